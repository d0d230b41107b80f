// Floats of 16 bits in shaders: they are loaded and stored as such, and computed with in f32.
#ifndef AOTC_CODEGEN_SPIRV_HALVES_H
#define AOTC_CODEGEN_SPIRV_HALVES_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"

namespace aotc::codegen {

/// A float16 as f32; any other value as it is.
mlir::Value halfAsFloat(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value);

/// Has conversions of f32 to float16 round to the nearest, ties to even, as processors do: Vulkan leaves the direction
/// to the device. They are computed on f32, so that what is then stored as a half is one.
void roundToHalves(mlir::ModuleOp module);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_SPIRV_HALVES_H
