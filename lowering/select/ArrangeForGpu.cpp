// Chooses the shader of each convolution and lays constant weights out so that neighbouring threads, which compute
// neighbouring channels, read neighbours. Those kernels get no scratch memory: shaders have memory of their own. What has
// no shader, or bounded dims, is left to SelectKernels.
//
//   kern.conv2d ins(%x, %w : 64x32x3x3, ...)            ==>   kern.conv2d ins(%x, %arranged : 1x288x64, ...)
//   kern.conv2d ins(%x, %w : 32x1x3x3, ...), grouped    ==>   kern.conv2d ins(%x, %arranged : 9x1x32, ...), depthwise
#include "ir/kern/Dialect.h"
#include "ir/nn/Halves.h"
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

// [groups * filters, channels, kh, kw] -> [groups, kh * kw, channels, filters], in the dimensions of `shape`.
nn::HostTensor arrange(const nn::HostTensor &weights, int64_t groups, ArrayRef<int64_t> shape) {
  ArrayRef<int64_t> given = weights.type().getShape();
  const int64_t filters = given[0] / groups, channels = given[1], taps = given[2] * given[3];
  nn::HostTensor arranged(RankedTensorType::get(shape, weights.type().getElementType()));
  const auto move = [&](auto from, auto to) {
    for (int64_t o = 0; o < given[0]; ++o)
      for (int64_t c = 0; c < channels; ++c)
        for (int64_t tap = 0; tap < taps; ++tap)
          to[static_cast<size_t>(((o / filters * taps + tap) * channels + c) * filters + o % filters)] =
              from[static_cast<size_t>((o * channels + c) * taps + tap)];
  };
  if (weights.type().getElementType().isF32())
    move(weights.as<float>(), arranged.asMutable<float>());
  else
    move(weights.as<uint16_t>(), arranged.asMutable<uint16_t>());
  return arranged;
}

nn::HostTensor arrangeForProduct(const nn::HostTensor &weights, int64_t groups) {
  ArrayRef<int64_t> given = weights.type().getShape();
  return arrange(weights, groups, {groups, given[2] * given[3] * given[1], given[0] / groups});
}
// Filters of all groups side by side.
nn::HostTensor arrangeForWindows(const nn::HostTensor &weights) {
  ArrayRef<int64_t> given = weights.type().getShape();
  return arrange(weights, 1, {given[2] * given[3], given[1], given[0]});
}

void arrangeConvolution(kern::Conv2DOp conv, nn::LargeConstants &constants) {
  ElementsAttr weights;
  if (!matchPattern(conv.getWeights(), m_Constant(&weights)))
    return;
  assert((weights.getElementType().isF32() || nn::isHalf(weights.getElementType())) && "convolutions are of floats");
  const auto groups = static_cast<int64_t>(conv.getGroups());
  nn::HostTensor values = nn::HostTensor::view(weights);
  const bool isWindow = groups > 1 && values.type().getDimSize(0) / groups < fewFilters;
  if (isWindow)
    conv.setKind(kern::ConvKind::Depthwise);
  select::replaceConstant(conv.getWeightsMutable(),
                          isWindow ? arrangeForWindows(values) : arrangeForProduct(values, groups), constants);
}

// Shaders do not learn extents that only the run knows.
bool hasStaticShapes(Operation *op) {
  return llvm::all_of(op->getOperandTypes(), [](Type type) {
    auto shaped = dyn_cast<ShapedType>(type);
    return !shaped || shaped.hasStaticShape();
  });
}

struct ArrangeForGpu : impl::ArrangeForGpuBase<ArrangeForGpu> {
  ArrangeForGpu() = default;
  explicit ArrangeForGpu(bool (*hasShader)(Operation *)) : hasShader(hasShader) {}

  void runOnOperation() final {
    nn::LargeConstants constants(getOperation());
    getOperation().walk([&](kern::KernelOp kernel) {
      if (!hasShader(kernel) || !hasStaticShapes(kernel))
        return;
      kernel->setAttr(kern::onGpuAttrName, UnitAttr::get(kernel->getContext()));
      if (auto conv = dyn_cast<kern::Conv2DOp>(*kernel))
        arrangeConvolution(conv, constants);
    });
  }

  bool (*hasShader)(Operation *) = [](Operation *) { return true; };
};

} // namespace

std::unique_ptr<Pass> createArrangeForGpu(bool (*hasShader)(Operation *)) {
  return std::make_unique<ArrangeForGpu>(hasShader);
}

} // namespace aotc
