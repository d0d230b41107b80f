// Floats of 16 bits in the compiler's own memory: f16 and bf16 from f32 and back, as fast as weights of gigabytes want.
#ifndef AOTC_IR_NN_HALVES_H
#define AOTC_IR_NN_HALVES_H

#include "ir/nn/HostTensor.h"

#include <cstdint>

namespace aotc::nn {

// f16 and bf16.
bool isHalf(mlir::Type element);

// The nearest number, ties to even; what is too large is infinity, a NaN the type's quiet one.
uint16_t toFloat16(float value);
uint16_t toBFloat16(float value);
float fromFloat16(uint16_t bits);
float fromBFloat16(uint16_t bits);

// The tensor of f32 rounded to `half`.
HostTensor toHalves(const HostTensor &floats, mlir::Type half);
// The tensor, of f32 or of halves, as one of f32.
HostTensor toFloats(const HostTensor &tensor);

// The first element of a tensor of f32 that is no number of the type `half`; the first finite one that becomes infinite
// there. -1 where there is none.
int64_t findInexact(const HostTensor &floats, mlir::Type half);
int64_t findOverflow(const HostTensor &floats, mlir::Type half);

} // namespace aotc::nn

#endif
