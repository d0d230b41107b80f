// Multiplies per-channel scales into the convolution before them and adds per-channel offsets to its bias.
// Inference-time batch normalization is such a scale and offset; so are the Mul and Add that exporters write out for
// it.
//
//   %y = nn.conv %x, %w, %b                      ==>   %z = nn.conv %x, %w * s, %b * s + t
//   %s = nn.mul %y, s : [C,1,1]
//   %z = nn.add %s, t : [C,1,1]
//
// Only where the convolution has no other reader. An activation in between stops it.
#include "ir/nn/Dialect.h"
#include "ir/nn/HostTensor.h"
#include "ir/nn/LargeConstants.h"
#include "lowering/Passes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace aotc {

#define GEN_PASS_DEF_FOLDSCALES
#include "lowering/Passes.h.inc"

using namespace mlir;

namespace {

// One f32 per channel from a constant that varies along the channel dimension of `result` at most.
std::optional<SmallVector<float>> perChannel(Value value, RankedTensorType result, bool channelsLast) {
  ElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.getElementType().isF32())
    return std::nullopt;
  auto type = cast<RankedTensorType>(value.getType());
  int64_t channelAxis = channelsLast ? result.getRank() - 1 : 1, channels = result.getDimSize(channelAxis);
  int64_t lead = result.getRank() - type.getRank();
  for (auto [i, extent] : llvm::enumerate(type.getShape()))
    if (extent != 1 && static_cast<int64_t>(i) + lead != channelAxis)
      return std::nullopt;
  nn::HostTensor tensor = nn::HostTensor::view(elements);
  ArrayRef<float> values = tensor.as<float>();
  if (values.size() == 1)
    return SmallVector<float>(channels, values[0]);
  return SmallVector<float>(values);
}

// The convolution that alone feeds one operand of a binary op, and the other operand as one number per channel.
struct ScaledConv {
  nn::ConvOp conv;
  SmallVector<float> values;
  bool convIsFirst;
};

std::optional<ScaledConv> match(Operation *op) {
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  for (unsigned i : {0u, 1u}) {
    auto conv = op->getOperand(i).getDefiningOp<nn::ConvOp>();
    ElementsAttr weights, bias;
    if (!conv || !conv->hasOneUse() || conv.getType() != result || !result.getElementType().isF32() ||
        !matchPattern(conv.getWeights(), m_Constant(&weights)) ||
        (conv.getBias() && !matchPattern(conv.getBias(), m_Constant(&bias))))
      continue;
    if (auto values = perChannel(op->getOperand(1 - i), result, conv.getChannelsLast()))
      return ScaledConv{conv, *values, i == 0};
  }
  return std::nullopt;
}

nn::HostTensor constantOf(Value value) {
  ElementsAttr elements;
  bool isConstant = matchPattern(value, m_Constant(&elements));
  assert(isConstant && "checked by match()");
  (void)isConstant;
  return nn::HostTensor::view(elements);
}

// The bias, or zeros.
nn::HostTensor biasOf(nn::ConvOp conv) {
  auto weights = cast<RankedTensorType>(conv.getWeights().getType());
  nn::HostTensor bias(RankedTensorType::get({weights.getDimSize(0)}, weights.getElementType()));
  if (conv.getBias())
    llvm::copy(constantOf(conv.getBias()).as<float>(), bias.asMutable<float>().begin());
  return bias;
}

// Replaces `op` by the convolution with other weights and bias; the location names both.
void replaceByConv(PatternRewriter &rewriter, Operation *op, nn::ConvOp conv, Value weights,
                   const nn::HostTensor &bias) {
  Location loc = rewriter.getFusedLoc({conv.getLoc(), op->getLoc()});
  Value newBias = rewriter.create<nn::ConstantOp>(loc, bias.toAttr());
  rewriter
      .replaceOpWithNewOp<nn::ConvOp>(op, conv.getX(), weights, newBias, conv.getStrides(), conv.getPads(),
                                      conv.getDilations(), conv.getGroup(), conv.getChannelsLast())
      ->setLoc(loc);
}

template <class Op> struct FoldScale : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    constexpr bool divides = std::is_same_v<Op, nn::DivOp>;
    std::optional<ScaledConv> found = match(op);
    if (!found || (divides && !found->convIsFirst))
      return failure();
    if (divides && llvm::is_contained(found->values, 0.0f)) // 0 / 0 would become 0 * infinity, in every element
      return failure();
    nn::HostTensor original = constantOf(found->conv.getWeights()), weights(original.type()),
                   bias = biasOf(found->conv);
    size_t perFilter = weights.size() / std::max<size_t>(1, found->values.size()); // there may be no filters
    for (auto [filter, value] : llvm::enumerate(found->values)) {
      float scale = divides ? 1.0f / value : value;
      bias.asMutable<float>()[filter] *= scale;
      for (size_t i = filter * perFilter; i < (filter + 1) * perFilter; ++i)
        weights.asMutable<float>()[i] = original.as<float>()[i] * scale;
    }
    Value constant = rewriter.create<nn::ConstantOp>(op.getLoc(), std::move(weights).toAttr());
    replaceByConv(rewriter, op, found->conv, constant, bias);
    return success();
  }
};

template <class Op> struct FoldOffset : OpRewritePattern<Op> {
  using OpRewritePattern<Op>::OpRewritePattern;
  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    constexpr bool subtracts = std::is_same_v<Op, nn::SubOp>;
    std::optional<ScaledConv> found = match(op);
    if (!found || (subtracts && !found->convIsFirst))
      return failure();
    nn::HostTensor bias = biasOf(found->conv);
    for (auto [sum, value] : llvm::zip(bias.asMutable<float>(), found->values))
      sum += subtracts ? -value : value;
    replaceByConv(rewriter, op, found->conv, found->conv.getWeights(), bias);
    return success();
  }
};

struct FoldScales : impl::FoldScalesBase<FoldScales> {
  void runOnOperation() final {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldScale<nn::MulOp>, FoldScale<nn::DivOp>, FoldOffset<nn::AddOp>, FoldOffset<nn::SubOp>>(
        &getContext());
    nn::LargeConstants constants(getOperation());
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    constants.freeUnused(getOperation()); // the weights as they were
  }
};

} // namespace

} // namespace aotc
