// Which parts of which buffers a shader sees, and where in them its operands lie.
#ifndef AOTC_CODEGEN_SPIRV_BINDINGS_H
#define AOTC_CODEGEN_SPIRV_BINDINGS_H

#include "codegen/spirv/GpuProgram.h"

namespace aotc::codegen {

/// A memref as a shader sees it: element (i, j, ...) is `offset + i * strides[0] + j * strides[1] + ...` of a binding,
/// counted in elements.
struct GpuOperand {
  size_t binding = 0;
  mlir::Type element;
  int64_t offset = 0;
  llvm::SmallVector<int64_t> sizes, strides;
};

/// The bindings of one step. Vulkan promises no more than four storage buffers to a shader, each a range of 128 MiB.
struct StepBindings {
  llvm::SmallVector<BindingDescription, 4> bindings;
  llvm::DenseMap<mlir::Value, GpuOperand> operands; ///< of each memref of the step
  std::optional<GpuOperand> status;                 ///< of a step that can fail
};

/// Every buffer has a binding of its own as long as four suffice, so that equal steps are equal shaders; beyond that,
/// neighbours in one memory share one. Fails with a diagnostic where that does not do, or an extent is not known.
mlir::FailureOr<StepBindings> bindStep(mlir::Operation *step, BufferTable &buffers, const GpuOptions &options);

/// Whether the second dispatch has to wait for the first: one writes what the other uses.
bool conflict(const DispatchDescription &first, const DispatchDescription &second);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_SPIRV_BINDINGS_H
