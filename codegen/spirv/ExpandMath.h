// Functions of real numbers that SPIR-V has no instruction for, or one that is undefined or inexact in places.
#ifndef AOTC_CODEGEN_SPIRV_EXPANDMATH_H
#define AOTC_CODEGEN_SPIRV_EXPANDMATH_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"

namespace aotc::codegen {

/// math.powf as C has it, in all corners, and math.asinh, acosh, atanh, expm1 and log1p with all their digits near 0
/// and without overflow. Of floats of up to 32 bits, in 32 bits. Beside them powers that isIntegerPower() accepts.
void populateMathExpansions(mlir::RewritePatternSet &patterns);

/// Whether the number is a power of a float of up to 32 bits with an integer exponent that goes through 64 bits, which
/// shaders do without.
bool isIntegerPower(mlir::arith::TruncFOp op);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_SPIRV_EXPANDMATH_H
