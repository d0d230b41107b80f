// Arithmetic on integers that SPIR-V leaves undefined, as templates/kernels/scalar.hpp defines it for every operand:
// divisions by 0 give 0, shifts by the width or more leave no bit, floats become integers as on x86.
#ifndef AOTC_CODEGEN_SPIRV_KERNELS_DEFINEDINTEGERS_H
#define AOTC_CODEGEN_SPIRV_KERNELS_DEFINEDINTEGERS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace aotc::codegen {

/// The result of `op` on `operands`; null where the op is defined for all of them as it is.
mlir::Value buildDefined(mlir::ImplicitLocOpBuilder &b, mlir::Operation &op, mlir::ValueRange operands);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_SPIRV_KERNELS_DEFINEDINTEGERS_H
