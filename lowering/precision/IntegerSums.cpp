// Convolutions of integers whose sums are wanted as they are (ConvInteger, and QLinearConv where no kernel takes all of
// it), on the fastest kernel that keeps them exact:
//
//   nn.cast (nn.integer_conv %x, w, %z, zw) : f32   ==>   nn.quantized_conv %x, w - zw, 0, 1 x_zero %z : f32
//   nn.integer_conv %x, w, %z, zw                   ==>   nn.cast (nn.quantized_conv %x, …) : i32
//   nn.integer_conv %x, w, %z, zw                   ==>   nn.cast (nn.conv (nn.dequantize %x, 1, %z), w - zw) : i32
//
// The first two for images of bytes, the last for what else has constant weights; the last two where f32 holds every
// sum. All others stay loops over integers.
#include "ir/nn/Dialect.h"
#include "ir/nn/Exact.h"
#include "ir/nn/QuantizationFolding.h"
#include "ir/nn/Window.h"
#include "lowering/Passes.h"
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
std::optional<nn::HostTensor> weightsOf(nn::IntegerConvOp conv) {
  std::optional<nn::HostTensor> values = constantOf(conv.getWeights()), zero = constantOf(conv.getWeightsZeroPoint());
  if (!values || !zero || values->size() == 0 || !isByte(conv.getX()) || !isByte(conv.getWeights()))
    return std::nullopt;
  return nn::lessZeroPoints(*values, zero, /*axis=*/0, IntegerType::get(conv.getContext(), 16));
}

// ------------------------------------------------------------------------------------------------------ sums of bytes
// As f32, rounded where that cannot hold them; nothing for what the kernel does not take.
Value sumsOfBytes(OpBuilder &builder, Location loc, nn::IntegerConvOp conv, const nn::HostTensor &weights) {
  if (!nn::isIntegerImage(cast<RankedTensorType>(conv.getX().getType())))
    return {};
  std::optional<nn::HostTensor> zero = constantOf(conv.getXZeroPoint());
  auto perFilter = RankedTensorType::get({weights.type().getDimSize(0)}, builder.getF32Type());
  nn::HostTensor noBias(perFilter.clone(builder.getI32Type())), ones(perFilter);
  for (float &one : ones.asMutable<float>())
    one = 1;
  return builder.create<nn::QuantizedConvOp>(
      loc, conv.getX(), constant(builder, loc, weights), constant(builder, loc, std::move(noBias)),
      constant(builder, loc, std::move(ones)), /*shift=*/Value(), zero ? Value() : conv.getXZeroPoint(),
      conv.getStrides(), conv.getPads(), conv.getDilations(), conv.getGroup(), /*channels_last=*/false,
      zero ? zero->toInteger(0) : 0, /*zero_point=*/0, /*low=*/0, /*high=*/0, builder.getF32Type());
}

void rewriteCast(RewriterBase &rewriter, nn::CastOp cast) {
  auto conv = cast.getX().getDefiningOp<nn::IntegerConvOp>();
  if (!conv || !conv->hasOneUse() || !cast.getType().getElementType().isF32())
    return;
  std::optional<nn::HostTensor> weights = weightsOf(conv);
  if (!weights)
    return;
  rewriter.setInsertionPoint(cast);
  if (Value sums = sumsOfBytes(rewriter, rewriter.getFusedLoc({conv.getLoc(), cast.getLoc()}), conv, *weights)) {
    rewriter.replaceOp(cast, sums);
    rewriter.eraseOp(conv);
  }
}

// -------------------------------------------------------------------------------------------------------- sums in f32
// How far x may be from its zero point.
int64_t largestDistance(nn::IntegerConvOp conv) {
  std::optional<nn::HostTensor> zero = constantOf(conv.getXZeroPoint());
  if (!zero)
    return 255;
  int64_t low = getElementTypeOrSelf(conv.getX().getType()).isUnsignedInteger() ? 0 : -128, value = zero->toInteger(0);
  return std::max(value - low, low + 255 - value);
}

Value sumsInFloat(OpBuilder &builder, nn::IntegerConvOp conv, const nn::HostTensor &weights) {
  Location loc = conv.getLoc();
  nn::HostTensor one(RankedTensorType::get({}, builder.getF32Type()));
  one.set(0, 1);
  Value zero = builder.create<nn::ReshapeOp>(loc, conv.getXZeroPoint(), ArrayRef<int64_t>{}, AffineMapAttr());
  Value x = builder.create<nn::DequantizeOp>(loc, conv.getX(), constant(builder, loc, std::move(one)), zero,
                                             /*axis=*/0, /*block_size=*/0);
  auto sums = builder.create<nn::ConvOp>(loc, x, constant(builder, loc, precision::asFloats(weights)), Value(),
                                         conv.getStrides(), conv.getPads(), conv.getDilations(), conv.getGroup(),
                                         /*channels_last=*/false);
  nn::markExact(sums);
  return sums;
}

void rewriteSums(RewriterBase &rewriter, nn::IntegerConvOp conv) {
  std::optional<nn::HostTensor> weights = weightsOf(conv);
  if (!weights || !precision::sumsFitFloat(precision::magnitudesOf(*weights, /*axis=*/0), largestDistance(conv)))
    return;
  rewriter.setInsertionPoint(conv);
  Value sums = sumsOfBytes(rewriter, conv.getLoc(), conv, *weights);
  if (!sums)
    sums = sumsInFloat(rewriter, conv, *weights);
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
