// Moves scales between a convolution and those that alone read it, so that channels of the tensor between them have more
// equal ranges: one scale for all of them then wastes fewer of its steps. After M. Nagel et al., "Data-Free Quantization
// Through Weight Equalization and Bias Correction" (ICCV 2019), with the ranges that the tensor was observed to have in
// place of the first convolution's weights (whose filters have a scale each, and so cost nothing).
//
//   %t = nn.relu (nn.conv %x, w, b)         ==>   %t' = nn.relu (nn.conv %x, w / s, b / s)
//   %y = nn.conv %t, v                            %y  = nn.conv %t', v * s         s: one for each channel of %t
//
// Exact but for rounding: s is above 0, and relu of x / s is relu(x) / s. Limits other than 0 are divided too and become
// one for each channel, which is done only where all of them lie beyond the tensor's range: there quantization limits by
// itself. s = (range of the channel / largest range)^a, and a that of a few numbers with the least error expected of
// the reader; a = 1 makes all ranges equal, which readers that are depthwise always like best.
#include "lowering/Passes.h"
#include "lowering/precision/LayerWeights.h"
#include "lowering/precision/Limit.h"
#include "lowering/precision/Plan.h"
#include "lowering/precision/Quantization.h"

#include <cmath>

namespace aotc {

#define GEN_PASS_DEF_EQUALIZELAYERS
#include "lowering/Passes.h.inc"

using namespace mlir;
using namespace aotc::precision;

namespace {

// The tensor between convolutions, what limits it, and who reads it.
struct Joint {
  nn::ConvOp producer;
  SmallVector<Limit> limits; // the last one first
  Value tensor;
  SmallVector<nn::ConvOp> readers;
  ArrayRef<double> magnitude, power;
};

std::optional<Joint> jointBehind(nn::ConvOp producer) {
  Joint joint{producer, {}, endOf(producer), {}, {}, {}};
  for (Value value = joint.tensor; value != producer.getResult(); value = joint.limits.back().x())
    joint.limits.push_back(*limitOf(value.getDefiningOp()));
  for (Operation *user : joint.tensor.getUsers()) {
    auto reader = dyn_cast<nn::ConvOp>(user);
    if (!reader || reader.getX() != joint.tensor || precisionOf(reader) != int8Name)
      return std::nullopt;
    joint.readers.push_back(reader);
  }
  joint.magnitude = channelFact(joint.tensor, ChannelFact::magnitude);
  joint.power = channelFact(joint.tensor, ChannelFact::power);
  auto channels = static_cast<size_t>(LayerWeights(producer).filters());
  bool isObserved = joint.magnitude.size() == channels && joint.power.size() == channels;
  return isObserved && !joint.readers.empty() ? std::optional(joint) : std::nullopt;
}

// --------------------------------------------------------------------------------------------------- choosing divisors
// (range / largest range)^exponent. What hardly varies is held back: it may do so more in other samples than these.
SmallVector<double> divisorsFor(const Joint &joint, double exponent) {
  constexpr double least = 1.0 / 64;
  double largest = *llvm::max_element(joint.magnitude);
  SmallVector<double> divisors;
  for (double magnitude : joint.magnitude)
    divisors.push_back(magnitude > 0 ? std::max(std::pow(magnitude / largest, exponent), least) : 1.0);
  return divisors;
}

double rangeAfter(const Joint &joint, ArrayRef<double> divisors) {
  double range = 0;
  for (auto [magnitude, divisor] : llvm::zip(joint.magnitude, divisors))
    range = std::max(range, magnitude / divisor);
  return range;
}

// Whether the limit stays a single number, or lies beyond the range.
bool allows(const Limit &limit, ArrayRef<double> divisors, double range) {
  if (limit.isZero())
    return true;
  std::optional<SmallVector<double>> bounds = limit.perChannel(divisors.size());
  if (!bounds)
    return false;
  constexpr double rounding = 1 - 1e-6;
  for (auto [bound, divisor] : llvm::zip(*bounds, divisors))
    if (limit.isUpper ? bound / divisor < range * rounding : bound / divisor > -range * rounding)
      return false;
  return true;
}

// The mean squared error, summed over the filters of one reader, that rounding its input and its weights makes.
double expectedError(nn::ConvOp reader, const Joint &joint, ArrayRef<double> divisors, double range) {
  LayerWeights weights(reader);
  double inputStep = range / 255, result = 0;
  for (int64_t filter = 0; filter < weights.filters(); ++filter) {
    double largest = 0, squares = 0, power = 0;
    weights.forEach(filter, [&](int64_t channel, int64_t index) {
      double scaled = static_cast<double>(weights.values()[index]) * divisors[channel];
      largest = std::max(largest, std::abs(scaled));
      squares += scaled * scaled;
      power += joint.power[channel] / (divisors[channel] * divisors[channel]);
    });
    double weightStep = largest / 127;
    result += (inputStep * inputStep * squares + weightStep * weightStep * power) / 12;
  }
  return result;
}

std::optional<SmallVector<double>> bestDivisors(const Joint &joint) {
  std::optional<SmallVector<double>> best;
  double bestError = 0;
  for (double exponent : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    SmallVector<double> divisors = divisorsFor(joint, exponent);
    double range = rangeAfter(joint, divisors), error = 0;
    if (exponent > 0 && !llvm::all_of(joint.limits, [&](const Limit &limit) { return allows(limit, divisors, range); }))
      continue;
    for (nn::ConvOp reader : joint.readers)
      error += expectedError(reader, joint, divisors, range);
    if (exponent == 0 || error < bestError) {
      bestError = error;
      best = exponent == 0 ? std::nullopt : std::optional(divisors);
    }
  }
  return best;
}

// ----------------------------------------------------------------------------------------------------------- rewriting
void divideFilters(OpBuilder &builder, nn::ConvOp conv, ArrayRef<double> divisors) {
  LayerWeights weights(conv);
  nn::HostTensor divided(weights.type()), bias = biasOf(conv);
  for (int64_t filter = 0; filter < weights.filters(); ++filter) {
    auto factor = static_cast<float>(1 / divisors[static_cast<size_t>(filter)]);
    bias.asMutable<float>()[static_cast<size_t>(filter)] *= factor;
    weights.forEach(
        filter, [&](int64_t, int64_t index) { divided.asMutable<float>()[index] = weights.values()[index] * factor; });
  }
  builder.setInsertionPoint(conv);
  conv.getWeightsMutable().assign(constant(builder, conv.getLoc(), std::move(divided)));
  if (conv.getBias())
    conv.getBiasMutable().assign(constant(builder, conv.getLoc(), std::move(bias)));
}

void multiplyChannels(OpBuilder &builder, nn::ConvOp conv, ArrayRef<double> divisors) {
  LayerWeights weights(conv);
  nn::HostTensor multiplied(weights.type());
  for (int64_t filter = 0; filter < weights.filters(); ++filter)
    weights.forEach(filter, [&](int64_t channel, int64_t index) {
      multiplied.asMutable<float>()[index] = weights.values()[index] * static_cast<float>(divisors[channel]);
    });
  builder.setInsertionPoint(conv);
  conv.getWeightsMutable().assign(constant(builder, conv.getLoc(), std::move(multiplied)));
}

// One bound for each channel, such that it broadcasts.
void divideLimit(OpBuilder &builder, const Limit &limit, ArrayRef<double> divisors) {
  if (limit.isZero())
    return;
  auto result = cast<RankedTensorType>(limit.op->getResult(0).getType());
  SmallVector<int64_t> shape(static_cast<size_t>(result.getRank()) - 1, 1);
  shape[0] = static_cast<int64_t>(divisors.size());
  nn::HostTensor divided(RankedTensorType::get(shape, result.getElementType()));
  const SmallVector<double> bounds = *limit.perChannel(divisors.size());
  for (auto [channel, divisor] : llvm::enumerate(divisors))
    divided.set(static_cast<int64_t>(channel), bounds[channel] / divisor);
  builder.setInsertionPoint(limit.op);
  limit.op->setOperand(1 - limit.operand, constant(builder, limit.op->getLoc(), std::move(divided)));
}

// A fact of so many dimensions of the tensor's values, where it is known.
void divideFact(Value tensor, ChannelFact fact, ArrayRef<double> divisors, int dimensions) {
  SmallVector<double> values(channelFact(tensor, fact));
  if (values.size() != divisors.size())
    return;
  for (auto [value, divisor] : llvm::zip(values, divisors))
    value /= std::pow(divisor, dimensions);
  setChannelFact(tensor, fact, values);
}

void apply(OpBuilder &builder, const Joint &joint, ArrayRef<double> divisors) {
  divideFilters(builder, joint.producer, divisors);
  for (const Limit &limit : joint.limits)
    divideLimit(builder, limit, divisors);
  for (nn::ConvOp reader : joint.readers) {
    multiplyChannels(builder, reader, divisors);
    divideFact(reader.getResult(), ChannelFact::inputMean, divisors, 1);
    divideFact(reader.getResult(), ChannelFact::inputPower, divisors, 2);
  }
  setChannelFact(joint.tensor, ChannelFact::divisors, divisors);
  divideFact(joint.tensor, ChannelFact::power, divisors, 2);
  divideFact(joint.tensor, ChannelFact::magnitude, divisors, 1);
}

struct EqualizeLayers : impl::EqualizeLayersBase<EqualizeLayers> {
  void runOnOperation() final {
    OpBuilder builder(&getContext());
    for (Operation *layer : markedLayers(getOperation(), int8Name)) {
      auto conv = dyn_cast<nn::ConvOp>(layer);
      std::optional<Joint> joint = conv ? jointBehind(conv) : std::nullopt;
      std::optional<SmallVector<double>> divisors = joint ? bestDivisors(*joint) : std::nullopt;
      if (divisors)
        apply(builder, *joint, *divisors);
    }
  }
};

} // namespace

} // namespace aotc
