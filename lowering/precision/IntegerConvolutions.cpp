// Computes a convolution between DequantizeLinear and QuantizeLinear on the integers themselves.
//
//   %r = nn.dequantize %x, sx, zx                     ==>   %y = nn.quantized_conv %x, w - zw, b / (sx sw), sx sw / sy
//   %s = nn.conv %r, nn.dequantize(w, sw, zw), b
//   %y = nn.quantize (nn.relu %s), sy, zy
//
// Equal to the real computation but for rounding: sums and biases are integers here, exact; the bias is one already
// where it is quantized as it should be; what else is left of it is added in f32. What stands between the convolution
// and the quantization and only limits values (relu, min and max with a number) limits the integers instead.
//
// A convolution stays in f32 where the scale of x differs from channel to channel, where anything else reads what is
// between, where its kernel cannot take the image, and where f32 cannot hold the product of its scales.
#include "ir/nn/ConstantFolding.h"
#include "ir/nn/Dialect.h"
#include "ir/nn/Window.h"
#include "lowering/Passes.h"
#include "lowering/precision/Limit.h"
#include "lowering/precision/Quantization.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

namespace aotc {

#define GEN_PASS_DEF_INTEGERCONVOLUTIONS
#include "lowering/Passes.h.inc"

using namespace mlir;
using precision::constantOf;
using precision::isByte;
using precision::Limit;
using precision::perTensor;
using precision::Quantization;

namespace {

// The integers that real values quantize to, as far as limits between convolution and quantization let them.
struct Range {
  int64_t low, high;
};

Range rangeOf(Type type) {
  bool isUnsigned = type.isUnsignedInteger();
  return {isUnsigned ? 0 : -128, isUnsigned ? 255 : 127};
}

void apply(const Limit &limit, const Quantization &to, Type type, Range &range) {
  int64_t bound = precision::quantized(limit.bounds.toDouble(0), to, cast<IntegerType>(type));
  for (int64_t *end : {&range.low, &range.high})
    *end = limit.isUpper ? std::min(*end, bound) : std::max(*end, bound);
}

// Weights less their zero points, and the scale of each filter. A scale of 0 makes a filter of zeros, whatever it is.
struct Weights {
  nn::HostTensor values;
  SmallVector<double> scales;
  SmallVector<uint64_t> magnitudes; // the sum of each filter's
};

std::optional<Weights> weightsOf(nn::ConvOp conv) {
  auto source = conv.getWeights().getDefiningOp<nn::DequantizeOp>();
  if (!source || source.getBlockSize() != 0 || !isByte(source.getX()))
    return std::nullopt;
  std::optional<nn::HostTensor> integers = constantOf(source.getX()), scale = constantOf(source.getScale()),
                                zero = constantOf(source.getZeroPoint());
  bool perFilter = scale && scale->size() > 1;
  if (!integers || !scale || (source.getZeroPoint() && !zero) || (perFilter && source.getAxis() != 0))
    return std::nullopt;
  int64_t filters = integers->type().getDimSize(0), perFilterSize = integers->size() / filters;
  Builder builder(conv.getContext());
  Weights result{
      nn::HostTensor(RankedTensorType::get(integers->type().getShape(), builder.getIntegerType(16))), {}, {}};
  for (int64_t filter = 0; filter < filters; ++filter) {
    double real = scale->toDouble(perFilter ? filter : 0);
    if (!std::isfinite(real))
      return std::nullopt;
    result.scales.push_back(real == 0 ? 1.0 : real);
    int64_t zeroPoint = zero ? zero->toInteger(zero->size() > 1 ? filter : 0) : 0;
    uint64_t magnitudes = 0;
    for (int64_t i = filter * perFilterSize; i < (filter + 1) * perFilterSize; ++i) {
      int64_t weight = real == 0 ? 0 : integers->toInteger(i) - zeroPoint;
      magnitudes += static_cast<uint64_t>(std::abs(weight));
      result.values.setInteger(i, weight);
    }
    if (!precision::sumsFit(magnitudes))
      return std::nullopt;
    result.magnitudes.push_back(magnitudes);
  }
  return result;
}

// The bias in units of what one in the sum of each filter stands for: whole numbers and, where it was not quantized to
// them, what is left.
struct Bias {
  SmallVector<int64_t> whole;
  SmallVector<double> rest;
  bool isWhole = true;
};

// Nothing where it is not constant. A bias so large that a sum might wrap is all rest.
std::optional<Bias> biasOf(nn::ConvOp conv, ArrayRef<double> units, ArrayRef<uint64_t> magnitudes) {
  Bias result{SmallVector<int64_t>(units.size(), 0), SmallVector<double>(units.size(), 0.0)};
  if (!conv.getBias())
    return result;
  auto source = conv.getBias().getDefiningOp<nn::DequantizeOp>();
  std::optional<nn::HostTensor> bias = source ? nn::dequantized(source) : constantOf(conv.getBias());
  if (!bias)
    return std::nullopt;
  for (size_t i = 0; i < units.size(); ++i) {
    double real = bias->toDouble(static_cast<int64_t>(i)) / units[i], whole = std::nearbyint(real);
    if (!precision::sumsFit(magnitudes[i], whole))
      whole = 0;
    result.whole[i] = static_cast<int64_t>(whole);
    result.rest[i] = real - whole;
    constexpr double ofRounding = 1e-6; // the scale of a quantized bias is a rounded product
    result.isWhole &= std::abs(result.rest[i]) <= ofRounding * std::max(1000.0, std::abs(whole));
  }
  bool isFinite = llvm::all_of(result.rest, [](double rest) { return std::isfinite(rest); });
  return isFinite ? std::optional(std::move(result)) : std::nullopt;
}

template <class T> Value perFilter(OpBuilder &builder, Location loc, ArrayRef<T> values, Type element) {
  nn::HostTensor tensor(RankedTensorType::get({static_cast<int64_t>(values.size())}, element));
  for (auto [i, value] : llvm::enumerate(values))
    tensor.set(static_cast<int64_t>(i), static_cast<double>(value));
  return builder.create<nn::ConstantOp>(loc, tensor.toAttr());
}

void rewrite(RewriterBase &rewriter, nn::QuantizeOp quantize) {
  std::optional<Quantization> to = perTensor(quantize);
  if (!to || !isByte(quantize) || !getElementTypeOrSelf(quantize.getX().getType()).isF32())
    return;
  SmallVector<Limit> limits;
  SmallVector<Location> locations{quantize.getLoc()};
  Value value = quantize.getX();
  while (std::optional<Limit> limit = value.hasOneUse() ? precision::limitOf(value.getDefiningOp()) : std::nullopt) {
    if (!limit->isNumber())
      return;
    limits.push_back(*limit);
    locations.push_back(value.getLoc());
    value = limit->x();
  }
  auto conv = value.hasOneUse() ? value.getDefiningOp<nn::ConvOp>() : nn::ConvOp();
  auto x = conv ? conv.getX().getDefiningOp<nn::DequantizeOp>() : nn::DequantizeOp();
  bool isImage = x && isByte(x.getX()) && nn::isIntegerImage(cast<RankedTensorType>(x.getX().getType()));
  std::optional<Quantization> from = isImage ? perTensor(x) : std::nullopt;
  std::optional<Weights> weights = from ? weightsOf(conv) : std::nullopt;
  if (!weights)
    return;
  SmallVector<double> units, scales;
  for (double scale : weights->scales) { // in f32, as QLinearConv has it
    float unit = static_cast<float>(from->scale) * static_cast<float>(scale),
          factor = unit / static_cast<float>(to->scale);
    if (!std::isnormal(unit) || !std::isnormal(factor))
      return;
    units.push_back(from->scale * scale);
    scales.push_back(static_cast<double>(factor));
  }
  std::optional<Bias> bias = biasOf(conv, units, weights->magnitudes);
  if (!bias)
    return;
  Range range = rangeOf(quantize.getTo());
  for (const Limit &limit : llvm::reverse(limits))
    apply(limit, *to, quantize.getTo(), range);
  locations.push_back(conv.getLoc());
  std::reverse(locations.begin(), locations.end());
  Location loc = rewriter.getFusedLoc(locations);
  rewriter.setInsertionPoint(quantize);
  Value integers = rewriter.create<nn::ConstantOp>(loc, weights->values.toAttr());
  Value shift;
  if (!bias->isWhole) {
    for (auto [rest, unit] : llvm::zip(bias->rest, units))
      rest *= unit / to->scale;
    shift = perFilter<double>(rewriter, loc, bias->rest, rewriter.getF32Type());
  }
  auto integer = rewriter.create<nn::QuantizedConvOp>(
      loc, x.getX(), integers, perFilter<int64_t>(rewriter, loc, bias->whole, rewriter.getI32Type()),
      perFilter<double>(rewriter, loc, scales, rewriter.getF32Type()), shift, conv.getStrides(), conv.getPads(),
      conv.getDilations(), conv.getGroup(), conv.getChannelsLast(), from->zeroPoint, to->zeroPoint, range.low,
      range.high, quantize.getTo());
  rewriter.replaceOp(quantize, integer);
}

struct IntegerConvolutions : impl::IntegerConvolutionsBase<IntegerConvolutions> {
  void runOnOperation() final {
    IRRewriter rewriter(&getContext());
    SmallVector<nn::QuantizeOp> quantizations;
    getOperation().walk([&](nn::QuantizeOp op) { quantizations.push_back(op); });
    for (nn::QuantizeOp op : quantizations)
      rewrite(rewriter, op);
  }
};

} // namespace

} // namespace aotc
