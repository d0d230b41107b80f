// What quantization and its inverse make of constants.
#ifndef AOTC_IR_NN_QUANTIZATION_FOLDING_H
#define AOTC_IR_NN_QUANTIZATION_FOLDING_H

#include "ir/nn/Dialect.h"
#include "ir/nn/HostTensor.h"
#include <optional>

namespace aotc::nn {

// saturate(round_half_even(value / scale) + zero point) in f32; NaN gives the lowest value of the type.
int64_t quantized(float value, float scale, double zeroPoint, mlir::IntegerType type);
// The real value that an integer stands for, in f32.
float dequantized(double integer, float scale, double zeroPoint);

// Integers less their zero points: one number, or one for each index of the dimension `axis`; 0 where there are none.
// `element` holds all results: 16 bits do for those of bytes.
HostTensor lessZeroPoints(const HostTensor &integers, const std::optional<HostTensor> &zero, int64_t axis,
                          mlir::Type element);

// Operands are those of the op, in its order. Nothing for targets other than integers of up to 16 bits, and for what is
// not f32.
std::optional<HostTensor> evaluate(QuantizeOp op, llvm::ArrayRef<HostTensor> operands);
HostTensor evaluate(DequantizeOp op, llvm::ArrayRef<HostTensor> operands);

} // namespace aotc::nn

#endif
