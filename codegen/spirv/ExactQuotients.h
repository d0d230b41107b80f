// Quotients that are rounded to whole numbers, where the last bit of a device's division would decide between two.
#ifndef AOTC_CODEGEN_SPIRV_EXACTQUOTIENTS_H
#define AOTC_CODEGEN_SPIRV_EXACTQUOTIENTS_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace aotc::codegen {

/// x / y of f32 by arithmetic whose result is the nearest float, as processors have it, if operands and quotient are
/// normal numbers; other quotients are the device's. Vulkan allows its divisions 2.5 units in the last place, and
/// rounds sums, differences and products to the nearest.
mlir::Value exactQuotient(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y);

/// Replaces each arith.divf of f32 that whole numbers are made of.
void makeRoundedQuotientsExact(mlir::ModuleOp module);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_SPIRV_EXACTQUOTIENTS_H
