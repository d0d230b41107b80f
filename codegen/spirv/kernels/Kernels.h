// The shaders of all kinds of steps, one function for each: they build the body and set the groups of its dispatch.
// What computes is described where it is built; layouts of weights are those that lowering/select/ArrangeForGpu leaves.
#ifndef AOTC_CODEGEN_SPIRV_KERNELS_KERNELS_H
#define AOTC_CODEGEN_SPIRV_KERNELS_KERNELS_H

#include "codegen/spirv/Shader.h"
#include "ir/kern/Dialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace aotc::codegen {

/// Element-wise steps, transposes and what else is a loop nest: a thread for each element of the result.
mlir::LogicalResult buildMap(Shader &shader, mlir::linalg::LinalgOp op, BufferTable &buffers);
mlir::LogicalResult buildCopy(Shader &shader, mlir::memref::CopyOp op, BufferTable &buffers);

/// Matrix products, and convolutions as such: a workgroup for each tile of the result.
mlir::LogicalResult buildMatMul(Shader &shader, mlir::Operation *op);
mlir::LogicalResult buildConvolution(Shader &shader, mlir::Operation *op);

mlir::LogicalResult buildIntegerMatMul(Shader &shader, mlir::Operation *op);
mlir::LogicalResult buildIntegerConvolution(Shader &shader, mlir::Operation *op);

/// Pooling, and convolutions with few filters in a group: a thread for each element of the result.
mlir::LogicalResult buildPool(Shader &shader, mlir::Operation *op);
mlir::LogicalResult buildWindowConvolution(Shader &shader, mlir::Operation *op);

/// Folds along rows: a workgroup for a few rows.
mlir::LogicalResult buildReduce(Shader &shader, mlir::Operation *op);
mlir::LogicalResult buildNormalize(Shader &shader, mlir::Operation *op);
mlir::LogicalResult buildSoftmax(Shader &shader, mlir::Operation *op);

mlir::LogicalResult buildResize(Shader &shader, mlir::Operation *op);
mlir::LogicalResult buildGather(Shader &shader, mlir::Operation *op);
mlir::LogicalResult buildAttention(Shader &shader, mlir::Operation *op);
/// Whether the call is one of the recurrent layers that there is a shader for.
bool isRecurrence(mlir::Operation *op);
mlir::LogicalResult buildRecurrence(Shader &shader, mlir::Operation *op);

/// Whether the call is a pool of integers of at most 32 bits.
bool isIntegerMaxPool(mlir::Operation *op);
mlir::LogicalResult buildIntegerMaxPool(Shader &shader, mlir::Operation *op);

/// Whether the call finds the scale and zero point of a tensor that is quantized at run time, or the ends of parts of it.
bool isDynamicScale(mlir::Operation *op);
mlir::LogicalResult buildDynamicScale(Shader &shader, mlir::Operation *op);

//===-- shared ----------------------------------------------------------------------------------------------------===//

/// The value of `block` with `arguments` in the place of its arguments and `loops` in that of linalg.index.
llvm::SmallVector<mlir::Value> inlineBody(Shader &shader, mlir::Block &block, mlir::ValueRange arguments,
                                          mlir::ValueRange loops);

/// A member of the call's layout; 0 where there is none, or it is not known before the run.
int64_t memberOf(kern::CallOp call, llvm::StringRef name);

/// clamp(round_half_even(value) + zeroPoint, least, most) as a byte, NaN becoming the least: as kern.quantize has it. f32.
mlir::Value quantize(Shader &shader, mlir::Value value, mlir::Value zeroPoint, int64_t least, int64_t most);

/// A number that is defined outside of the shader.
mlir::Value importValue(Shader &shader, mlir::Value value);

/// What the kernel's epilogue makes of `value`, which is at `indices` of the destination.
mlir::Value applyEpilogue(Shader &shader, kern::EpilogueOp op, mlir::Value value, mlir::ValueRange indices);
/// Stores that.
void storeResult(Shader &shader, kern::EpilogueOp op, mlir::Value value, mlir::ValueRange indices);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_SPIRV_KERNELS_KERNELS_H
