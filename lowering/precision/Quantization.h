// What the passes of low precision ask of constants and of nn.quantize and nn.dequantize.
#ifndef AOTC_LOWERING_PRECISION_QUANTIZATION_H
#define AOTC_LOWERING_PRECISION_QUANTIZATION_H

#include "ir/nn/Dialect.h"
#include "ir/nn/HostTensor.h"
#include <optional>

namespace aotc::precision {

// The value of a constant; nothing for others, and for null.
std::optional<nn::HostTensor> constantOf(mlir::Value value);

// One at the builder's place.
mlir::Value constant(mlir::OpBuilder &builder, mlir::Location loc, nn::HostTensor tensor);

// Integers as f32.
nn::HostTensor asFloats(const nn::HostTensor &integers);

// Whether its elements have 8 bits, signed or not.
bool isByte(mlir::Value value);

// Scale and zero point of a whole tensor.
struct Quantization {
  double scale;
  int64_t zeroPoint;
};

// Nothing where they are not constant, not the same for the whole tensor, or the scale is not above 0 and finite.
std::optional<Quantization> perTensor(nn::QuantizeOp op);
std::optional<Quantization> perTensor(nn::DequantizeOp op);

// What nn.quantize makes of a number, in f32 as it computes it.
int64_t quantized(double value, const Quantization &to, mlir::IntegerType type);

// What an op of floats pads with; 0 where it repeats elements instead.
double padValue(nn::PadOp pad);

// Whether a bias and products of bytes, each less its zero point, by integers of these magnitudes sum up to less than
// 2^31.
bool sumsFit(uint64_t sumOfMagnitudes, double bias = 0);
// The same of sums of so many products, whatever the weights' bytes are.
bool sumsOfBytesFit(uint64_t products);

// The sum of each filter's magnitudes, filters being the indices of the dimension `axis` of weights of integers.
llvm::SmallVector<uint64_t> magnitudesOf(const nn::HostTensor &weights, int64_t axis);

// Whether f32 holds every sum of a bias and products of integers up to `largestX` by a filter of any of these
// magnitudes, in whatever order they are added.
bool sumsFitFloat(llvm::ArrayRef<uint64_t> magnitudes, int64_t largestX, double bias = 0);

} // namespace aotc::precision

#endif
