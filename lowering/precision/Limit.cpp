#include "lowering/precision/Limit.h"

#include "lowering/precision/Quantization.h"

#include <cmath>

using namespace mlir;

namespace aotc::precision {

static bool hasNaN(const nn::HostTensor &tensor) {
  for (int64_t i = 0; i < tensor.size(); ++i)
    if (std::isnan(tensor.toDouble(i)))
      return true;
  return false;
}

std::optional<Limit> limitOf(Operation *op) {
  if (isa_and_nonnull<nn::ReluOp>(op))
    return Limit{op, 0, false, nn::HostTensor(RankedTensorType::get({}, Float32Type::get(op->getContext())))};
  if (!isa_and_nonnull<nn::MaxOp, nn::MinOp>(op))
    return std::nullopt;
  for (unsigned operand : {0u, 1u}) {
    if (op->getOperand(operand).getType() != op->getResult(0).getType() || constantOf(op->getOperand(operand)))
      continue;
    std::optional<nn::HostTensor> bounds = constantOf(op->getOperand(1 - operand));
    if (bounds && bounds->size() > 0 && !hasNaN(*bounds))
      return Limit{op, operand, isa<nn::MinOp>(op), std::move(*bounds)};
  }
  return std::nullopt;
}

std::optional<SmallVector<double>> Limit::perChannel(size_t channels) const {
  if (isNumber())
    return SmallVector<double>(channels, bounds.toDouble(0));
  int64_t rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  ArrayRef<int64_t> shape = bounds.type().getShape();
  int64_t axis = 1 - (rank - static_cast<int64_t>(shape.size())); // of the channels, in the shape of the bounds
  bool isOnlyAxis =
      axis >= 0 && bounds.size() == static_cast<int64_t>(channels) && shape[static_cast<size_t>(axis)] == bounds.size();
  if (!isOnlyAxis)
    return std::nullopt;
  SmallVector<double> result;
  for (int64_t channel = 0; channel < bounds.size(); ++channel)
    result.push_back(bounds.toDouble(channel));
  return result;
}

} // namespace aotc::precision
