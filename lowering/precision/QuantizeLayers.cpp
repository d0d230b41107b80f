// Writes the quantization that was planned as exporters write theirs, so that everything behind is shared with imported
// models (lowering/precision/IntegerConvolutions and so on):
//
//   %t = nn.relu (nn.conv %x, w, b)    ==>   %d = nn.dequantize (nn.quantize %x, sx, zx)
//                                            %c = nn.conv %d, nn.dequantize(w8, sw), nn.dequantize(b32, sx sw)
//                                            %t = nn.dequantize (nn.quantize (nn.relu %c), st, zt)
//
// Weights are signed bytes with a scale for each filter, symmetric; tensors are unsigned bytes with one scale. What the
// rounding of its weights adds to a filter's results on average is taken off its bias (Nagel et al. 2019, as in
// EqualizeLayers.cpp, section 4.2, with observed means). Ops that only move elements then move bytes.
#include "ir/nn/Dialect.h"
#include "ir/nn/LargeConstants.h"
#include "ir/nn/Shapes.h"
#include "lowering/Passes.h"
#include "lowering/precision/LayerWeights.h"
#include "lowering/precision/Limit.h"
#include "lowering/precision/Plan.h"
#include "lowering/precision/Quantization.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>

namespace aotc {

#define GEN_PASS_DEF_QUANTIZELAYERS
#include "lowering/Passes.h.inc"

using namespace mlir;
using namespace aotc::precision;

namespace {

nn::HostTensor vectorOf(ArrayRef<double> values, Type element) {
  nn::HostTensor tensor(RankedTensorType::get({static_cast<int64_t>(values.size())}, element));
  for (auto [i, value] : llvm::enumerate(values))
    tensor.set(static_cast<int64_t>(i), value);
  return tensor;
}

// ------------------------------------------------------------------------------------------------------------- tensors
// Scale and zero point as operands.
struct Parameters {
  ByteQuantization numbers;
  Value scale, zeroPoint;
};

IntegerType byteType(OpBuilder &builder) { return builder.getIntegerType(8, /*isSigned=*/false); }

Parameters parametersOf(OpBuilder &builder, Location loc, Range range) {
  ByteQuantization numbers = byteQuantization(range);
  nn::HostTensor scale(RankedTensorType::get({}, builder.getF32Type()));
  nn::HostTensor zeroPoint(RankedTensorType::get({}, byteType(builder)));
  scale.set(0, numbers.scale);
  zeroPoint.setInteger(0, numbers.zeroPoint);
  return {numbers, constant(builder, loc, std::move(scale)), constant(builder, loc, std::move(zeroPoint))};
}

// Whether the integers of `to` are limited as much as `limit` does.
bool isSubsumed(const Limit &limit, const ByteQuantization &to) {
  constexpr double rounding = 1 - 1e-6;
  double low = -static_cast<double>(to.zeroPoint) * to.scale, high = static_cast<double>(255 - to.zeroPoint) * to.scale;
  for (int64_t i = 0; i < limit.bounds.size(); ++i)
    if (limit.isUpper ? limit.bounds.toDouble(i) < high * rounding : limit.bounds.toDouble(i) > low * rounding)
      return false;
  return true;
}

// Drops limits in front of a quantization that saturates there in any case.
void dropLimits(RewriterBase &rewriter, nn::QuantizeOp quantize, const ByteQuantization &to) {
  while (std::optional<Limit> limit = limitOf(quantize.getX().getDefiningOp())) {
    if (!limit->op->hasOneUse() || !isSubsumed(*limit, to))
      return;
    quantize.getXMutable().assign(limit->x());
    quantize->setLoc(rewriter.getFusedLoc({limit->op->getLoc(), quantize.getLoc()}));
    rewriter.eraseOp(limit->op);
  }
}

// The tensor's readers get what its bytes stand for.
void quantizeTensor(RewriterBase &rewriter, Value tensor, const Parameters &to) {
  rewriter.setInsertionPointAfterValue(isa<BlockArgument>(tensor) ? to.zeroPoint : tensor); // behind both
  Location loc = tensor.getLoc();
  auto bytes = rewriter.create<nn::QuantizeOp>(loc, tensor, to.scale, to.zeroPoint, 0, 0, byteType(rewriter));
  Value real = rewriter.create<nn::DequantizeOp>(loc, bytes, to.scale, to.zeroPoint, 0, 0);
  rewriter.replaceAllUsesExcept(tensor, real, bytes);
  dropLimits(rewriter, bytes, to.numbers);
}

// --------------------------------------------------------------------------------------------------------------- layers
struct QuantizedWeights {
  nn::HostTensor integers;
  SmallVector<double> scales;     // of f32
  SmallVector<double> meanErrors; // of each filter's results, where the means of the input are known
};

// The weights of one filter, and how much the error of each of them counts.
struct Filter {
  SmallVector<float> weights, importance;
  double largest = 0;
};

// Half to even, as long as a value has no more than 22 bits; vectors can do that.
inline float rounded(float value) {
  constexpr float shift = 12582912.0f; // 1.5 * 2^23
  return (value + shift) - shift;
}

float errorOf(const Filter &filter, float scale) {
  float error = 0, perUnit = 1 / scale;
  for (size_t i = 0; i < filter.weights.size(); ++i) {
    float integer = std::clamp(rounded(filter.weights[i] * perUnit), -127.0f, 127.0f);
    float difference = integer * scale - filter.weights[i];
    error += difference * difference * filter.importance[i];
  }
  return error;
}

// The scale with the least error: the largest weight becomes 127, or a smaller integer that suits the others better, or
// is clipped a little. Weights that have been integers before are found to be so.
double bestScale(const Filter &filter) {
  constexpr int widest = 127, fewestSteps = 32, mostSteps = 150;
  auto largest = static_cast<float>(filter.largest), best = largest / widest;
  float least = errorOf(filter, best);
  for (int steps = mostSteps; steps >= fewestSteps && least > 0; --steps) {
    float scale = largest / static_cast<float>(steps), error = errorOf(filter, scale);
    if (error < least) {
      least = error;
      best = scale;
    }
  }
  return static_cast<double>(best);
}

// A filter of zeros, or with weights so small that its bias would be no integer of 32 bits in their units, gets a scale
// that the bias fits. Times that of the input it is a normal number of f32.
double scaleOf(const Filter &filter, double bias, double inputScale) {
  constexpr double mostOfBias = 1 << 29, ofZeros = 1 << 20;
  constexpr auto smallest = static_cast<double>(std::numeric_limits<float>::min());
  double scale = filter.largest > smallest ? bestScale(filter) : 0;
  double least = std::abs(bias) / inputScale / (scale > 0 ? mostOfBias : ofZeros);
  if (scale > 0 || bias != 0)
    least = std::max(least, 2 * smallest / inputScale);
  auto result = static_cast<float>(std::max(scale, least));
  return result >= std::numeric_limits<float>::min() ? static_cast<double>(result) : 1.0;
}

// What is known of the input of a layer, for each of its channels; both may be empty.
struct InputFacts {
  ArrayRef<double> mean, power;
};

InputFacts factsOf(Operation *layer, const LayerWeights &weights) {
  auto channels = static_cast<size_t>(weights.channels());
  InputFacts facts{channelFact(layer->getResult(0), ChannelFact::inputMean),
                   channelFact(layer->getResult(0), ChannelFact::inputPower)};
  return {facts.mean.size() == channels ? facts.mean : ArrayRef<double>(),
          facts.power.size() == channels ? facts.power : ArrayRef<double>()};
}

Filter filterOf(const LayerWeights &weights, int64_t number, const InputFacts &facts) {
  Filter filter;
  filter.largest = weights.largest(number);
  weights.forEach(number, [&](int64_t channel, int64_t index) {
    filter.weights.push_back(weights.values()[index]);
    filter.importance.push_back(facts.power.empty() ? 1.0f : static_cast<float>(facts.power[channel]));
  });
  return filter;
}

QuantizedWeights quantizeWeights(Operation *layer, ArrayRef<float> bias, double inputScale) {
  LayerWeights weights(layer);
  InputFacts facts = factsOf(layer, weights);
  QuantizedWeights result{nn::HostTensor(weights.type().clone(IntegerType::get(layer->getContext(), 8))), {}, {}};
  for (int64_t number = 0; number < weights.filters(); ++number) {
    double filterBias = bias.empty() ? 0 : static_cast<double>(bias[static_cast<size_t>(number)]);
    double scale = scaleOf(filterOf(weights, number, facts), filterBias, inputScale), meanError = 0;
    weights.forEach(number, [&](int64_t channel, int64_t index) {
      auto weight = static_cast<double>(weights.values()[index]);
      auto integer = static_cast<int64_t>(std::clamp(std::nearbyint(weight / scale), -127.0, 127.0));
      result.integers.setInteger(index, integer);
      meanError += facts.mean.empty() ? 0 : (static_cast<double>(integer) * scale - weight) * facts.mean[channel];
    });
    result.scales.push_back(scale);
    result.meanErrors.push_back(meanError);
  }
  return result;
}

Value dequantized(OpBuilder &builder, Location loc, nn::HostTensor integers, ArrayRef<double> scales, int64_t axis) {
  Value values = constant(builder, loc, std::move(integers));
  Value scale = constant(builder, loc, vectorOf(scales, builder.getF32Type()));
  return builder.create<nn::DequantizeOp>(loc, values, scale, Value(), axis, 0);
}

// As integers of 32 bits in units of what one in a sum stands for.
Value quantizeBias(OpBuilder &builder, Location loc, ArrayRef<double> bias, ArrayRef<double> scales,
                   double inputScale) {
  nn::HostTensor integers(RankedTensorType::get({static_cast<int64_t>(bias.size())}, builder.getI32Type()));
  SmallVector<double> units;
  for (auto [i, value] : llvm::enumerate(bias)) {
    units.push_back(static_cast<double>(static_cast<float>(inputScale) * static_cast<float>(scales[i])));
    integers.setInteger(static_cast<int64_t>(i), std::llround(value / units[i]));
  }
  return dequantized(builder, loc, std::move(integers), units, 0);
}

void quantizeConv(OpBuilder &builder, nn::ConvOp conv, double inputScale) {
  nn::HostTensor bias = biasOf(conv);
  QuantizedWeights weights = quantizeWeights(conv, bias.as<float>(), inputScale);
  SmallVector<double> corrected;
  for (auto [value, error] : llvm::zip(bias.as<float>(), weights.meanErrors))
    corrected.push_back(static_cast<double>(value) - error);
  builder.setInsertionPoint(conv);
  conv.getWeightsMutable().assign(dequantized(builder, conv.getLoc(), std::move(weights.integers), weights.scales, 0));
  bool hasBias = conv.getBias() || llvm::any_of(corrected, [](double value) { return value != 0; });
  if (hasBias)
    conv.getBiasMutable().assign(quantizeBias(builder, conv.getLoc(), corrected, weights.scales, inputScale));
}

void quantizeProduct(RewriterBase &rewriter, nn::MatMulOp product, double inputScale) {
  QuantizedWeights weights = quantizeWeights(product, {}, inputScale);
  rewriter.setInsertionPoint(product);
  Location loc = product.getLoc();
  product.getBMutable().assign(dequantized(rewriter, loc, std::move(weights.integers), weights.scales, 1));
  for (double &error : weights.meanErrors)
    error = -error;
  if (llvm::all_of(weights.meanErrors, [](double error) { return error == 0; }))
    return;
  Value correction = constant(rewriter, loc, vectorOf(weights.meanErrors, rewriter.getF32Type()));
  rewriter.setInsertionPointAfter(product);
  auto sum = rewriter.create<nn::AddOp>(loc, product.getResult(), correction);
  rewriter.replaceAllUsesExcept(product.getResult(), sum.getResult(), sum);
}

// The scale of what a layer reads, through ops that move elements.
double inputScaleOf(Operation *layer) {
  Value value = inputOf(layer);
  while (Operation *op = value.getDefiningOp()) {
    if (auto dequantize = dyn_cast<nn::DequantizeOp>(op))
      return perTensor(dequantize)->scale;
    value = op->getOperand(0);
  }
  llvm_unreachable("a layer whose input is not quantized");
}

// ------------------------------------------------------------------------------------------------------------ movement
// op(dequantize(a), dequantize(b)) ==> dequantize(op(a, b)), all with one scale.
void moveBytes(RewriterBase &rewriter, Operation *op) {
  SmallVector<Value> bytes;
  nn::DequantizeOp first;
  for (Value operand : op->getOperands()) {
    auto dequantize = operand.getDefiningOp<nn::DequantizeOp>();
    if (!dequantize || !isByte(dequantize.getX()) || !perTensor(dequantize) ||
        (first && (first.getScale() != dequantize.getScale() || first.getZeroPoint() != dequantize.getZeroPoint())))
      return;
    first = first ? first : dequantize;
    bytes.push_back(dequantize.getX());
  }
  rewriter.setInsertionPoint(op);
  Operation *moved = nullptr;
  if (auto pad = dyn_cast<nn::PadOp>(op)) {
    int64_t byte = precision::quantized(padValue(pad), *perTensor(first), byteType(rewriter));
    auto attribute = IntegerAttr::get(byteType(rewriter), byte);
    moved = rewriter.create<nn::PadOp>(op->getLoc(), bytes[0], pad.getLow(), pad.getHigh(), pad.getMode(), attribute);
  } else {
    moved = nn::rebuildOn(rewriter, op, bytes);
  }
  rewriter.replaceOpWithNewOp<nn::DequantizeOp>(op, moved->getResult(0), first.getScale(), first.getZeroPoint(), 0, 0);
}

// ---------------------------------------------------------------------------------------------------------------- pass
struct QuantizeLayers : impl::QuantizeLayersBase<QuantizeLayers> {
  void runOnOperation() final {
    IRRewriter rewriter(&getContext());
    nn::LargeConstants constants(getOperation());
    SmallVector<Operation *> layers = markedLayers(getOperation(), int8Name);
    if (failed(quantizeTensors(rewriter)))
      return signalPassFailure();
    SmallVector<Operation *> movements;
    getOperation().walk([&](Operation *op) {
      if (commutesWithQuantization(op))
        movements.push_back(op);
    });
    for (Operation *op : movements)
      moveBytes(rewriter, op);
    for (Operation *layer : layers) {
      if (auto conv = dyn_cast<nn::ConvOp>(layer))
        quantizeConv(rewriter, conv, inputScaleOf(layer));
      else
        quantizeProduct(rewriter, cast<nn::MatMulOp>(layer), inputScaleOf(layer));
    }
    clearPlan(getOperation());
    constants.freeUnused(getOperation());
  }

private:
  LogicalResult quantizeTensors(RewriterBase &rewriter) {
    SmallVector<QuantizedTensor> tensors = quantizedTensors(getOperation());
    std::optional<std::vector<Range>> ranges = groupRanges(tensors);
    if (!ranges)
      return getOperation().emitError("a tensor that is to be quantized has no range");
    std::vector<std::optional<Parameters>> parameters(ranges->size());
    for (QuantizedTensor tensor : tensors) {
      std::optional<Parameters> &to = parameters[tensor.group];
      if (!to) {
        rewriter.setInsertionPointToStart(tensor.value.getParentBlock());
        to = parametersOf(rewriter, tensor.value.getLoc(), (*ranges)[tensor.group]);
      }
      quantizeTensor(rewriter, tensor.value, *to);
    }
    return success();
  }
};

} // namespace

} // namespace aotc
