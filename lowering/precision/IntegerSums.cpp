// Convolutions of integers whose sums are wanted as they are (ConvInteger, and QLinearConv where no kernel takes all of
// it), on the fastest kernel that keeps them exact:
//
//   nn.cast (nn.integer_conv %x, w, %z, zw) : f32   ==>   nn.quantized_conv %x, w - zw, 0, 1 x_zero %z : f32
//   nn.integer_conv %x, w, %z, zw                   ==>   nn.cast (nn.conv (nn.dequantize %x, 1, %z), w - zw) : i32
//
// The first for images of bytes. The second where f32 holds every sum, except where f32 convolutions may be transformed,
// which rounds. All others stay loops over integers.
#include "ir/nn/Dialect.h"
#include "ir/nn/Window.h"
#include "lowering/Passes.h"
#include "lowering/precision/LayerWeights.h"
#include "lowering/precision/Quantization.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

namespace aotc {

#define GEN_PASS_DEF_INTEGERSUMS
#include "lowering/Passes.h.inc"

using namespace mlir;
using precision::constant;
using precision::constantOf;
using precision::isByte;

namespace {

// Constant weights less their zero points.
std::optional<nn::HostTensor> weightsOf(nn::IntegerConvOp conv, Type element) {
  std::optional<nn::HostTensor> values = constantOf(conv.getWeights()), zero = constantOf(conv.getWeightsZeroPoint());
  if (!values || !zero || values->size() == 0 || !isByte(conv.getX()) || !isByte(conv.getWeights()))
    return std::nullopt;
  nn::HostTensor result(values->type().clone(element));
  int64_t perFilter = values->size() / values->type().getDimSize(0);
  for (int64_t i = 0; i < values->size(); ++i)
    result.set(i, static_cast<double>(values->toInteger(i) - zero->toInteger(zero->size() == 1 ? 0 : i / perFilter)));
  return result;
}

// ------------------------------------------------------------------------------------------------------ sums of bytes
void rewriteCast(RewriterBase &rewriter, nn::CastOp cast) {
  auto conv = cast.getX().getDefiningOp<nn::IntegerConvOp>();
  if (!conv || !conv->hasOneUse() || !cast.getType().getElementType().isF32() ||
      !nn::isIntegerImage(mlir::cast<RankedTensorType>(conv.getX().getType())))
    return;
  std::optional<nn::HostTensor> weights = weightsOf(conv, rewriter.getIntegerType(16)),
                                zero = constantOf(conv.getXZeroPoint());
  if (!weights)
    return;
  rewriter.setInsertionPoint(cast);
  Location loc = rewriter.getFusedLoc({conv.getLoc(), cast.getLoc()});
  auto perFilter = RankedTensorType::get({weights->type().getDimSize(0)}, rewriter.getF32Type());
  nn::HostTensor noBias(perFilter.clone(rewriter.getI32Type())), ones(perFilter);
  for (int64_t i = 0; i < ones.size(); ++i)
    ones.set(i, 1);
  auto sums = rewriter.create<nn::QuantizedConvOp>(
      loc, conv.getX(), constant(rewriter, loc, std::move(*weights)), constant(rewriter, loc, std::move(noBias)),
      constant(rewriter, loc, std::move(ones)), /*shift=*/Value(), zero ? Value() : conv.getXZeroPoint(),
      conv.getStrides(), conv.getPads(), conv.getDilations(), conv.getGroup(), /*channels_last=*/false,
      zero ? zero->toInteger(0) : 0, /*zero_point=*/0, /*low=*/0, /*high=*/0, rewriter.getF32Type());
  rewriter.replaceOp(cast, sums);
  rewriter.eraseOp(conv);
}

// ------------------------------------------------------------------------------------------------------- sums in f32
// How far x may be from its zero point.
int64_t largestDistance(nn::IntegerConvOp conv) {
  std::optional<nn::HostTensor> zero = constantOf(conv.getXZeroPoint());
  if (!zero)
    return 255;
  int64_t low = getElementTypeOrSelf(conv.getX().getType()).isUnsignedInteger() ? 0 : -128, value = zero->toInteger(0);
  return std::max(value - low, low + 255 - value);
}

// Whether f32 holds every sum of products, in whatever order they are added.
bool fitsFloat(nn::IntegerConvOp conv, const nn::HostTensor &weights) {
  constexpr double exactBelow = 16777216; // 2^24
  int64_t filters = weights.type().getDimSize(0), perFilter = weights.size() / filters;
  double largest = 0;
  for (int64_t filter = 0; filter < filters; ++filter) {
    double sum = 0;
    for (int64_t i = filter * perFilter; i < (filter + 1) * perFilter; ++i)
      sum += std::abs(weights.toDouble(i));
    largest = std::max(largest, sum);
  }
  return largest * static_cast<double>(largestDistance(conv)) < exactBelow;
}

// Whether convolutions of the form may be computed by transforms (lowering/select/Winograd).
bool mayBeTransformed(nn::IntegerConvOp conv) {
  ArrayRef<int64_t> kernel = cast<RankedTensorType>(conv.getWeights().getType()).getShape().drop_front(2);
  return conv.getGroup() == 1 && kernel == ArrayRef<int64_t>{3, 3};
}

void rewriteSums(RewriterBase &rewriter, nn::IntegerConvOp conv) {
  std::optional<nn::HostTensor> weights =
      mayBeTransformed(conv) ? std::nullopt : weightsOf(conv, rewriter.getF32Type());
  if (!weights || !fitsFloat(conv, *weights))
    return;
  rewriter.setInsertionPoint(conv);
  Location loc = conv.getLoc();
  nn::HostTensor one(RankedTensorType::get({}, rewriter.getF32Type()));
  one.set(0, 1);
  Value zero = rewriter.create<nn::ReshapeOp>(loc, conv.getXZeroPoint(), ArrayRef<int64_t>{}, AffineMapAttr());
  Value x = rewriter.create<nn::DequantizeOp>(loc, conv.getX(), constant(rewriter, loc, std::move(one)), zero,
                                              /*axis=*/0, /*block_size=*/0);
  Value sums = rewriter.create<nn::ConvOp>(loc, x, constant(rewriter, loc, std::move(*weights)), Value(),
                                           conv.getStrides(), conv.getPads(), conv.getDilations(), conv.getGroup(),
                                           /*channels_last=*/false);
  rewriter.replaceOpWithNewOp<nn::CastOp>(conv, sums, rewriter.getI32Type());
}

struct IntegerSums : impl::IntegerSumsBase<IntegerSums> {
  void runOnOperation() final {
    IRRewriter rewriter(&getContext());
    SmallVector<nn::CastOp> casts;
    getOperation().walk([&](nn::CastOp cast) { casts.push_back(cast); });
    for (nn::CastOp cast : casts)
      rewriteCast(rewriter, cast);
    SmallVector<nn::IntegerConvOp> convolutions;
    getOperation().walk([&](nn::IntegerConvOp conv) { convolutions.push_back(conv); });
    for (nn::IntegerConvOp conv : convolutions)
      rewriteSums(rewriter, conv);
  }
};

} // namespace

} // namespace aotc
