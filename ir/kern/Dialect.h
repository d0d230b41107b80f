// The kern dialect: calls of the shipped kernel templates. See Base.td.
#ifndef AOTC_IR_KERN_DIALECT_H
#define AOTC_IR_KERN_DIALECT_H

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace aotc::kern {

// A member of a kernel's layout struct: a constant, a list of constants and index values, or, where `value` is
// kDynamic, an index value or the extent or the stride of `dim` of `source`.
struct LayoutMember {
  llvm::StringRef name;
  int64_t value;
  mlir::Value source = {};
  int64_t dim = 0;
  bool isStride = false;
  mlir::Value extent = {};
  std::optional<llvm::SmallVector<mlir::OpFoldResult>> list = std::nullopt;
};

// The extent of a dimension of a shaped value, bounded ones at their bounds.
using ExtentOf = llvm::function_ref<int64_t(mlir::Value shaped, unsigned dim)>;

} // namespace aotc::kern

#include "ir/kern/Dialect.h.inc"
#include "ir/kern/Enums.h.inc"
#include "ir/kern/Interfaces.h.inc"

#define GET_OP_CLASSES
#include "ir/kern/Ops.h.inc"

namespace aotc::kern {

// Columns of a weight panel: one packing serves AVX-512, AVX2 and NEON kernels.
constexpr int64_t panelColumns = 16;

// A unit attribute of kernels that become shaders: they need no scratch memory.
constexpr llvm::StringLiteral onGpuAttrName = "aotc.on_gpu";

// Lets one-shot bufferization turn kern ops on tensors into kern ops on memrefs.
void registerBufferization(mlir::DialectRegistry &registry);

} // namespace aotc::kern

#endif
