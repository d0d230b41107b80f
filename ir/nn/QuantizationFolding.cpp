#include "ir/nn/QuantizationFolding.h"

#include "ir/nn/Strided.h"

#include <algorithm>
#include <cmath>
#include <vector>

using namespace mlir;

namespace aotc::nn {

namespace {

// Which scale, and which zero point of as many, an element has: that of the tensor, of its place along an axis, of its
// block, or where a scale of x's own rank broadcasts to it.
class ScaleIndices {
public:
  template <class Op> ScaleIndices(Op op, const HostTensor &x, const HostTensor &scale) : count(scale.size()) {
    ArrayRef<int64_t> shape = x.type().getShape();
    hasBlocks = op.getBlockSize() != 0;
    block = std::max<int64_t>(1, op.getBlockSize());
    if (count == 1)
      return;
    inner = ShapedType::getNumElements(shape.drop_front(op.getAxis() + 1));
    extent = shape[op.getAxis()];
    if (hasBlocks || scale.type().getRank() == 1)
      return;
    offsets.resize(x.size());
    forEachStrided(shape, broadcastStrides(scale.type().getShape(), shape), 0,
                   [&](int64_t i, int64_t offset) { offsets[i] = offset; });
  }

  int64_t operator()(int64_t i) const {
    if (count == 1)
      return 0;
    if (!offsets.empty())
      return offsets[i];
    int64_t along = i / inner % extent / block;
    return hasBlocks ? (i / inner / extent * ((extent + block - 1) / block) + along) * inner + i % inner : along;
  }

private:
  int64_t count, inner = 1, extent = 1, block;
  bool hasBlocks;
  std::vector<int64_t> offsets;
};

double zeroPoint(ArrayRef<HostTensor> operands, int64_t at) {
  return operands.size() > 2 ? operands[2].toDouble(operands[2].size() == 1 ? 0 : at) : 0.0;
}

} // namespace

int64_t quantized(float value, float scale, double zeroPoint, IntegerType type) {
  double low = type.isUnsigned() ? 0 : -std::ldexp(1.0, static_cast<int>(type.getWidth()) - 1);
  double high = low + std::ldexp(1.0, static_cast<int>(type.getWidth())) - 1;
  double rounded = static_cast<double>(std::nearbyint(value / scale)) + zeroPoint;
  return static_cast<int64_t>(std::isnan(rounded) ? low : std::clamp(rounded, low, high));
}

float dequantized(double integer, float scale, double zeroPoint) {
  return static_cast<float>(integer - zeroPoint) * scale;
}

HostTensor lessZeroPoints(const HostTensor &integers, const std::optional<HostTensor> &zero, int64_t axis,
                          Type element) {
  ArrayRef<int64_t> shape = integers.type().getShape();
  bool perIndex = zero && zero->size() > 1;
  int64_t inner = perIndex ? ShapedType::getNumElements(shape.drop_front(axis + 1)) : 1;
  HostTensor result(integers.type().clone(element));
  for (int64_t i = 0; i < integers.size(); ++i) {
    int64_t own = zero ? zero->toInteger(perIndex ? i / inner % shape[axis] : 0) : 0;
    result.set(i, static_cast<double>(integers.toInteger(i) - own));
  }
  return result;
}

std::optional<HostTensor> evaluate(QuantizeOp op, ArrayRef<HostTensor> operands) {
  const HostTensor &x = operands[0], &scale = operands[1];
  auto to = dyn_cast<IntegerType>(op.getTo());
  if (!to || to.getWidth() > 16 || !x.type().getElementType().isF32() || !scale.type().getElementType().isF32())
    return std::nullopt;
  HostTensor result(op.getType());
  ScaleIndices indices(op, x, scale);
  for (int64_t i = 0; i < x.size(); ++i) {
    int64_t at = indices(i);
    result.setInteger(i, quantized(static_cast<float>(x.toDouble(i)), static_cast<float>(scale.toDouble(at)),
                                   zeroPoint(operands, at), to));
  }
  return result;
}

HostTensor evaluate(DequantizeOp op, ArrayRef<HostTensor> operands) {
  const HostTensor &x = operands[0], &scale = operands[1];
  HostTensor result(op.getType());
  ScaleIndices indices(op, x, scale);
  for (int64_t i = 0; i < x.size(); ++i) {
    int64_t at = indices(i);
    result.set(i, dequantized(x.toDouble(i), static_cast<float>(scale.toDouble(at)), zeroPoint(operands, at)));
  }
  return result;
}

} // namespace aotc::nn
