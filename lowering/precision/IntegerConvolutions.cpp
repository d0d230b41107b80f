// Computes a convolution behind DequantizeLinear on the integers themselves.
//
//   %r = nn.dequantize %x, sx, zx                     ==>   %y = nn.quantized_conv %x, w - zw, b / (sx sw), sx sw / sy
//   %s = nn.conv %r, nn.dequantize(w, sw, zw), b
//   %y = nn.quantize (nn.relu %s), sy, zy
//
// Equal to the real computation but for rounding: sums and biases are integers here, exact; the bias is one already
// where it is quantized as it should be; what else is left of it is added in f32. What stands between the convolution
// and the quantization and only limits values (relu, min and max with a number) limits the integers instead. Where
// something else stands there, or there is no quantization, or others read the results, these are f32: sums * sx sw.
//
// A convolution stays in f32 where the scale of x differs from channel to channel, where its kernel cannot take the
// image, and where f32 cannot hold the product of its scales.
#include "ir/nn/ConstantFolding.h"
#include "ir/nn/Dialect.h"
#include "ir/nn/QuantizationFolding.h"
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
struct ByteRange {
  int64_t low, high;
};

ByteRange byteRangeOf(Type type) {
  bool isUnsigned = type.isUnsignedInteger();
  return {isUnsigned ? 0 : -128, isUnsigned ? 255 : 127};
}

void apply(const Limit &limit, const Quantization &to, Type type, ByteRange &range) {
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
  if (!integers || !scale || (source.getZeroPoint() && !zero))
    return std::nullopt;
  bool perFilter = scale->size() > 1;
  if (perFilter && (source.getAxis() != 0 || scale->type().getRank() != 1)) // of the weights' own rank: it broadcasts
    return std::nullopt;
  Weights result{nn::lessZeroPoints(*integers, zero, /*axis=*/0, IntegerType::get(conv.getContext(), 16)), {}, {}};
  int64_t filters = integers->type().getDimSize(0), perFilterSize = integers->size() / filters;
  for (int64_t filter = 0; filter < filters; ++filter) {
    double real = scale->toDouble(perFilter ? filter : 0);
    if (!std::isfinite(real))
      return std::nullopt;
    result.scales.push_back(real == 0 ? 1.0 : real);
    if (real == 0)
      std::fill_n(result.values.asMutable<int16_t>().begin() + filter * perFilterSize, perFilterSize, int16_t{0});
  }
  result.magnitudes = precision::magnitudesOf(result.values, /*axis=*/0);
  if (!llvm::all_of(result.magnitudes, [](uint64_t magnitude) { return precision::sumsFit(magnitude); }))
    return std::nullopt;
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
  return precision::constant(builder, loc, std::move(tensor));
}

// A convolution whose sums can be integers.
struct IntegerForm {
  nn::ConvOp conv;
  Value x;
  int64_t zeroPoint;
  Weights weights;
  SmallVector<float> units; // what one in the sum of each filter stands for: in f32, as QLinearConv has it
  Bias bias;
};

std::optional<IntegerForm> integerForm(nn::ConvOp conv) {
  auto x = conv.getX().getDefiningOp<nn::DequantizeOp>();
  bool isImage = x && isByte(x.getX()) && conv.getType().getElementType().isF32() &&
                 nn::isIntegerImage(cast<RankedTensorType>(x.getX().getType()));
  std::optional<Quantization> from = isImage ? perTensor(x) : std::nullopt;
  std::optional<Weights> weights = from ? weightsOf(conv) : std::nullopt;
  if (!weights)
    return std::nullopt;
  SmallVector<double> exactUnits;
  SmallVector<float> units;
  for (double scale : weights->scales) {
    exactUnits.push_back(from->scale * scale);
    units.push_back(static_cast<float>(from->scale) * static_cast<float>(scale));
    if (!std::isnormal(units.back()))
      return std::nullopt;
  }
  std::optional<Bias> bias = biasOf(conv, exactUnits, weights->magnitudes);
  if (!bias)
    return std::nullopt;
  for (auto [rest, unit] : llvm::zip(bias->rest, exactUnits))
    rest *= unit;
  return IntegerForm{conv, x.getX(), from->zeroPoint, std::move(*weights), std::move(units), std::move(*bias)};
}

// What the results of a convolution are: real numbers (of scale 1), or bytes.
struct Result {
  Type type;
  Quantization quantization;
  ByteRange range;
};

// Null where f32 cannot hold a scale.
Value integerConvolution(OpBuilder &builder, Location loc, IntegerForm &form, const Result &result) {
  SmallVector<double> scales, shifts;
  for (auto [unit, rest] : llvm::zip(form.units, form.bias.rest)) {
    float scale = unit / static_cast<float>(result.quantization.scale);
    if (!std::isnormal(scale))
      return {};
    scales.push_back(static_cast<double>(scale));
    shifts.push_back(rest / result.quantization.scale);
  }
  Type f32 = builder.getF32Type();
  Value weights = precision::constant(builder, loc, std::move(form.weights.values));
  Value bias = perFilter<int64_t>(builder, loc, form.bias.whole, builder.getI32Type());
  Value shift = form.bias.isWhole ? Value() : perFilter<double>(builder, loc, shifts, f32);
  nn::ConvOp conv = form.conv;
  return builder.create<nn::QuantizedConvOp>(
      loc, form.x, weights, bias, perFilter<double>(builder, loc, scales, f32), shift, /*x_zero=*/Value(),
      conv.getStrides(), conv.getPads(), conv.getDilations(), conv.getGroup(), conv.getChannelsLast(), form.zeroPoint,
      result.quantization.zeroPoint, result.range.low, result.range.high, result.type);
}

// What lies between a convolution and the quantization of its results, which limits them and is read by nothing else.
struct Ending {
  nn::ConvOp conv;           // null where there is none
  SmallVector<Limit> limits; // the last one first
};

Ending endingOf(nn::QuantizeOp quantize) {
  Ending ending;
  Value value = quantize.getX();
  while (std::optional<Limit> limit = value.hasOneUse() ? precision::limitOf(value.getDefiningOp()) : std::nullopt) {
    if (!limit->isNumber())
      return {};
    ending.limits.push_back(*limit);
    value = limit->x();
  }
  if (value.hasOneUse())
    ending.conv = value.getDefiningOp<nn::ConvOp>();
  return ending;
}

// What the quantization was alone to read goes with it.
void replaceChain(RewriterBase &rewriter, nn::QuantizeOp quantize, Value bytes, const Ending &ending) {
  rewriter.replaceOp(quantize, bytes);
  for (const Limit &limit : ending.limits)
    rewriter.eraseOp(limit.op);
  rewriter.eraseOp(ending.conv);
}

// The convolution in front of a quantization gives bytes.
void rewriteQuantized(RewriterBase &rewriter, nn::QuantizeOp quantize) {
  std::optional<Quantization> to = perTensor(quantize);
  Ending ending = to && isByte(quantize) ? endingOf(quantize) : Ending();
  std::optional<IntegerForm> form = ending.conv ? integerForm(ending.conv) : std::nullopt;
  if (!form)
    return;
  ByteRange range = byteRangeOf(quantize.getTo());
  SmallVector<Location> locations{ending.conv.getLoc()};
  for (const Limit &limit : llvm::reverse(ending.limits)) {
    apply(limit, *to, quantize.getTo(), range);
    locations.push_back(limit.op->getLoc());
  }
  locations.push_back(quantize.getLoc());
  rewriter.setInsertionPoint(quantize);
  if (Value bytes =
          integerConvolution(rewriter, rewriter.getFusedLoc(locations), *form, {quantize.getTo(), *to, range}))
    replaceChain(rewriter, quantize, bytes, ending);
}

// Any other gives real numbers.
void rewriteReal(RewriterBase &rewriter, nn::ConvOp conv) {
  std::optional<IntegerForm> form = integerForm(conv);
  if (!form)
    return;
  rewriter.setInsertionPoint(conv);
  if (Value sums = integerConvolution(rewriter, conv.getLoc(), *form, {rewriter.getF32Type(), {1.0, 0}, {0, 0}}))
    rewriter.replaceOp(conv, sums);
}

template <class Op> SmallVector<Op> allOf(ModuleOp module) {
  SmallVector<Op> ops;
  module.walk([&](Op op) { ops.push_back(op); });
  return ops;
}

struct IntegerConvolutions : impl::IntegerConvolutionsBase<IntegerConvolutions> {
  void runOnOperation() final {
    IRRewriter rewriter(&getContext());
    for (nn::QuantizeOp op : allOf<nn::QuantizeOp>(getOperation()))
      rewriteQuantized(rewriter, op);
    for (nn::ConvOp op : allOf<nn::ConvOp>(getOperation()))
      rewriteReal(rewriter, op);
  }
};

} // namespace

} // namespace aotc
