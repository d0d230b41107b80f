#include "lowering/precision/Quantization.h"

#include "ir/nn/QuantizationFolding.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

using namespace mlir;

namespace aotc::precision {

std::optional<nn::HostTensor> constantOf(Value value) {
  ElementsAttr elements;
  if (!value || !matchPattern(value, m_Constant(&elements)))
    return std::nullopt;
  return nn::HostTensor::view(elements);
}

Value constant(OpBuilder &builder, Location loc, nn::HostTensor tensor) {
  return builder.create<nn::ConstantOp>(loc, std::move(tensor).toAttr());
}

nn::HostTensor asFloats(const nn::HostTensor &integers) {
  nn::HostTensor floats(integers.type().clone(Float32Type::get(integers.type().getContext())));
  for (int64_t i = 0; i < integers.size(); ++i)
    floats.set(i, integers.toDouble(i));
  return floats;
}

bool isByte(Value value) { return getElementTypeOrSelf(value.getType()).isInteger(8); }

template <class Op> static std::optional<Quantization> ofTensor(Op op) {
  std::optional<nn::HostTensor> scale = constantOf(op.getScale()), zero = constantOf(op.getZeroPoint());
  bool isWhole = scale && scale->size() == 1 && op.getBlockSize() == 0;
  if (!isWhole || (op.getZeroPoint() && (!zero || zero->size() != 1)))
    return std::nullopt;
  Quantization result{scale->toDouble(0), zero ? zero->toInteger(0) : 0};
  return result.scale > 0 && std::isfinite(result.scale) ? std::optional(result) : std::nullopt;
}

std::optional<Quantization> perTensor(nn::QuantizeOp op) { return ofTensor(op); }
std::optional<Quantization> perTensor(nn::DequantizeOp op) { return ofTensor(op); }

int64_t quantized(double value, const Quantization &to, IntegerType type) {
  return nn::quantized(static_cast<float>(value), static_cast<float>(to.scale), static_cast<double>(to.zeroPoint),
                       type);
}

double padValue(nn::PadOp pad) {
  return pad.getMode() == nn::PadMode::Constant ? cast<FloatAttr>(pad.getValue()).getValueAsDouble() : 0.0;
}

bool sumsFit(uint64_t sumOfMagnitudes, double bias) {
  constexpr double largestByte = 255, limit = 2147483648.0;
  return static_cast<double>(sumOfMagnitudes) * largestByte + std::abs(bias) < limit;
}

bool sumsOfBytesFit(uint64_t products) {
  constexpr uint64_t largestWeight = 128;
  return products < UINT64_MAX / largestWeight && sumsFit(largestWeight * products);
}

SmallVector<uint64_t> magnitudesOf(const nn::HostTensor &weights, int64_t axis) {
  ArrayRef<int64_t> shape = weights.type().getShape();
  int64_t inner = ShapedType::getNumElements(shape.drop_front(axis + 1));
  SmallVector<uint64_t> result(static_cast<size_t>(shape[axis]), 0);
  for (int64_t i = 0; i < weights.size(); ++i)
    result[static_cast<size_t>(i / inner % shape[axis])] += static_cast<uint64_t>(std::abs(weights.toInteger(i)));
  return result;
}

bool sumsFitFloat(ArrayRef<uint64_t> magnitudes, int64_t largestX, double bias) {
  constexpr double exactBelow = 16777216; // 2^24
  uint64_t largest = magnitudes.empty() ? 0 : *llvm::max_element(magnitudes);
  return static_cast<double>(largest) * static_cast<double>(largestX) + std::abs(bias) < exactBelow;
}

} // namespace aotc::precision
