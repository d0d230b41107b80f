#include "lowering/precision/LayerWeights.h"

#include "lowering/precision/Quantization.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace aotc::precision {

LayerWeights::LayerWeights(Operation *layer)
    : tensor(*constantOf(layer->getOperand(1))), real(tensor.as<float>()), isMatrix(isa<nn::MatMulOp>(layer)) {
  ArrayRef<int64_t> shape = tensor.type().getShape();
  filterCount = isMatrix ? shape[1] : shape[0];
  perFilter = isMatrix ? shape[0] : shape[1];
  if (auto conv = dyn_cast<nn::ConvOp>(layer)) {
    groups = static_cast<int64_t>(conv.getGroup());
    for (int64_t extent : shape.drop_front(2))
      tapCount *= extent;
  }
  channelCount = perFilter * groups;
}

double LayerWeights::largest(int64_t filter) const {
  double result = 0;
  forEach(filter,
          [&](int64_t, int64_t index) { result = std::max(result, std::abs(static_cast<double>(real[index]))); });
  return result;
}

nn::HostTensor biasOf(nn::ConvOp conv) {
  auto weights = cast<RankedTensorType>(conv.getWeights().getType());
  nn::HostTensor bias(RankedTensorType::get({weights.getDimSize(0)}, weights.getElementType()));
  if (conv.getBias())
    llvm::copy(constantOf(conv.getBias())->as<float>(), bias.asMutable<float>().begin());
  return bias;
}

} // namespace aotc::precision
