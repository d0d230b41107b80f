#include "lowering/precision/JoinPads.h"

#include "ir/nn/Dialect.h"
#include "lowering/precision/Quantization.h"

using namespace mlir;

namespace aotc::precision {

namespace {

// Whether the op only adds elements, around the images of a convolution and nowhere else, and all of this value.
bool padsImages(nn::PadOp pad, bool channelsLast, int64_t value) {
  auto number = dyn_cast<IntegerAttr>(pad.getValue());
  if (!number || pad.getMode() != nn::PadMode::Constant)
    return false;
  bool isUnsigned = number.getType().isUnsignedInteger();
  if ((isUnsigned ? static_cast<int64_t>(number.getValue().getZExtValue()) : number.getValue().getSExtValue()) != value)
    return false;
  size_t rank = pad.getLow().size(), channels = channelsLast ? rank - 1 : 1;
  for (size_t dim = 0; dim < rank; ++dim) {
    int64_t low = pad.getLow()[dim], high = pad.getHigh()[dim];
    if (low < 0 || high < 0 || ((dim == 0 || dim == channels) && (low > 0 || high > 0)))
      return false;
  }
  return true;
}

struct JoinPads : OpRewritePattern<nn::ConvOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::ConvOp conv, PatternRewriter &rewriter) const final {
    auto source = conv.getX().getDefiningOp<nn::DequantizeOp>();
    auto pad = source ? source.getX().getDefiningOp<nn::PadOp>() : nn::PadOp();
    std::optional<Quantization> from = pad ? perTensor(source) : std::nullopt;
    if (!from || !padsImages(pad, conv.getChannelsLast(), from->zeroPoint))
      return failure();
    SmallVector<int64_t> pads(conv.getPads());
    size_t spatial = pads.size() / 2, first = conv.getChannelsLast() ? 1 : 2;
    for (size_t dim = 0; dim < spatial; ++dim) {
      pads[dim] += pad.getLow()[first + dim];
      pads[spatial + dim] += pad.getHigh()[first + dim];
    }
    Value image = rewriter.create<nn::DequantizeOp>(source.getLoc(), pad.getX(), source.getScale(),
                                                    source.getZeroPoint(), source.getAxis(), source.getBlockSize());
    Location loc = rewriter.getFusedLoc({pad.getLoc(), conv.getLoc()});
    rewriter.modifyOpInPlace(conv, [&] {
      conv.getXMutable().assign(image);
      conv.setPads(pads);
      conv->setLoc(loc);
    });
    return success();
  }
};

} // namespace

void populateJoinPads(RewritePatternSet &patterns) { patterns.add<JoinPads>(patterns.getContext()); }

} // namespace aotc::precision
