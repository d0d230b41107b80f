// Chooses the shader of each convolution and lays constant weights out so that neighbouring threads, which compute
// neighbouring channels, read neighbours. Kernels get no scratch memory: shaders have memory of their own.
//
//   kern.conv2d ins(%x, %w : 64x32x3x3, ...)            ==>   kern.conv2d ins(%x, %arranged : 1x288x64, ...)
//   kern.conv2d ins(%x, %w : 32x1x3x3, ...), grouped    ==>   kern.conv2d ins(%x, %arranged : 9x1x32, ...), depthwise
#include "ir/kern/Dialect.h"
#include "ir/nn/LargeConstants.h"
#include "lowering/Passes.h"
#include "lowering/select/ReplaceConstant.h"
#include "mlir/IR/Matchers.h"

namespace aotc {

#define GEN_PASS_DEF_ARRANGEFORGPU
#include "lowering/Passes.h.inc"

using namespace mlir;

namespace {

// Fewer filters in a group leave most of a product's tile empty.
constexpr int64_t fewFilters = 8;

// [groups * filters, channels, kh, kw] -> [groups, kh * kw * channels, filters].
nn::HostTensor arrange(const nn::HostTensor &weights, int64_t groups) {
  ArrayRef<int64_t> shape = weights.type().getShape();
  const int64_t filters = shape[0] / groups, channels = shape[1], taps = shape[2] * shape[3];
  nn::HostTensor arranged(RankedTensorType::get({groups, taps * channels, filters}, weights.type().getElementType()));
  ArrayRef<float> from = weights.as<float>();
  MutableArrayRef<float> to = arranged.asMutable<float>();
  for (int64_t o = 0; o < shape[0]; ++o)
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t tap = 0; tap < taps; ++tap)
        to[static_cast<size_t>(((o / filters * taps + tap) * channels + c) * filters + o % filters)] =
            from[static_cast<size_t>((o * channels + c) * taps + tap)];
  return arranged;
}

// [filters, channels of a group, kh, kw] -> [kh * kw, channels of a group, filters].
nn::HostTensor arrangeForWindows(const nn::HostTensor &weights) {
  ArrayRef<int64_t> shape = weights.type().getShape();
  nn::HostTensor arranged = arrange(weights, 1);
  nn::HostTensor result(
      RankedTensorType::get({shape[2] * shape[3], shape[1], shape[0]}, weights.type().getElementType()));
  llvm::copy(arranged.bytes(), result.mutableBytes().begin());
  return result;
}

void arrangeConvolution(kern::Conv2DOp conv, nn::LargeConstants &constants) {
  ElementsAttr weights;
  if (!matchPattern(conv.getWeights(), m_Constant(&weights)) || !weights.getElementType().isF32())
    return;
  const auto groups = static_cast<int64_t>(conv.getGroups());
  nn::HostTensor values = nn::HostTensor::view(weights);
  const bool isWindow = groups > 1 && values.type().getDimSize(0) / groups < fewFilters;
  if (isWindow)
    conv.setKind(kern::ConvKind::Depthwise);
  select::replaceConstant(conv.getWeightsMutable(), isWindow ? arrangeForWindows(values) : arrange(values, groups),
                          constants);
}

struct ArrangeForGpu : impl::ArrangeForGpuBase<ArrangeForGpu> {
  void runOnOperation() final {
    nn::LargeConstants constants(getOperation());
    getOperation().walk([&](kern::Conv2DOp conv) { arrangeConvolution(conv, constants); });
    getOperation().walk(
        [](kern::KernelOp kernel) { kernel->setAttr(kern::onGpuAttrName, UnitAttr::get(kernel->getContext())); });
  }
};

} // namespace

} // namespace aotc
