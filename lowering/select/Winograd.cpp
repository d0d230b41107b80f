#include "lowering/select/Winograd.h"

#include "ir/nn/Exact.h"

using namespace mlir;

namespace aotc::select {

constexpr int64_t tile = 4;

// What winograd.hpp asserts, and extents that are known: scratch memory depends on them.
static bool isComputable(kern::Conv2DOp conv) {
  auto isAll = [](ArrayRef<int64_t> values, int64_t value) {
    return llvm::all_of(values, [&](int64_t v) { return v == value; });
  };
  auto hasKnownImage = [](Value image) {
    auto type = cast<ShapedType>(image.getType());
    return type.getElementType().isF32() && !ShapedType::isDynamicShape(type.getShape().drop_front());
  };
  return isAll(conv.getKernel(), 3) && isAll(conv.getStrides(), 1) && isAll(conv.getDilations(), 1) &&
         conv.getGroups() == 1 && !conv.getPlanarInput() && hasKnownImage(conv.getX()) && hasKnownImage(conv.getOut());
}

// Measured on AVX-512 cores, the gain over the direct kernel is 2.3 to 3.3 times the part of the tiles' results that
// is wanted, from 8 channels on. Below nine tiles, loading the weights takes the time: each is used once for a tile.
static bool isFaster(kern::Conv2DOp conv) {
  constexpr int64_t fewestChannels = 8, fewestTiles = 9;
  constexpr double smallestUse = 0.6;
  ArrayRef<int64_t> in = cast<ShapedType>(conv.getX().getType()).getShape();
  ArrayRef<int64_t> out = cast<ShapedType>(conv.getOut().getType()).getShape();
  int64_t tiles = llvm::divideCeil(out[1], tile) * llvm::divideCeil(out[2], tile);
  double use = static_cast<double>(out[1] * out[2]) / static_cast<double>(tiles * tile * tile);
  return std::min(in[3], out[3]) >= fewestChannels && tiles >= fewestTiles && use >= smallestUse;
}

bool prefersWinograd(kern::Conv2DOp conv, const LiveBytes &live) {
  if (nn::isExact(conv) || !isComputable(conv) || !isFaster(conv))
    return false;
  kern::ConvKind before = conv.getKind();
  conv.setKind(kern::ConvKind::Winograd);
  int64_t bytes = live.during(conv) + conv.getScratchBytesPerThread();
  conv.setKind(before);
  return bytes <= live.peak() + live.peak() / 4;
}

} // namespace aotc::select
