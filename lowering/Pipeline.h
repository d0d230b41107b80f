// The order of everything between the importer and the printers.
#ifndef AOTC_LOWERING_PIPELINE_H
#define AOTC_LOWERING_PIPELINE_H

#include "mlir/Pass/PassManager.h"

#include <string>

namespace aotc {

// Registers the dialects and interfaces that the pipeline needs.
void registerDialects(mlir::DialectRegistry &registry);

// Before own quantization: from nn as imported to layers whose weights hold all that can be in them.
void addFloatPasses(mlir::OpPassManager &passes);
// From nn as imported to nn as it will be computed.
void addGraphPasses(mlir::OpPassManager &passes);
// What the user or the target decides about the choice of kernels.
struct KernelOptions {
  bool useWinograd = true; // where it is faster; rounding errors are a few times larger, and weights four times
  // Of a GPU: whether it has shaders for steps of this kind. They are not packed for processors.
  bool (*hasShader)(mlir::Operation *step) = nullptr;
  // Whether some processor that the code is for lacks products of bytes: kernels need memory to widen bytes in.
  bool widenBytes = false;
  std::string precision = {}; // what weights are stored in: "f32", "f16" or "bf16"; empty: as the model has them
};
// From nn to linalg and kern on tensors, fused and with kernels chosen.
void addKernelPasses(mlir::OpPassManager &passes, const KernelOptions &options = {});
// From tensors to memrefs that are views of one arena.
// bufferAlignment: of the buffers in the arena, in bytes.
void addPlanPasses(mlir::OpPassManager &passes, int64_t bufferAlignment = 64);

} // namespace aotc

#endif
