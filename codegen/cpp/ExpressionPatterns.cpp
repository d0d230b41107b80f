#include "codegen/cpp/ExpressionPatterns.h"

#include "ir/kern/Dialect.h"
#include "ir/kern/Vectors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace aotc::codegen {

static FloatAttr numberOf(Value value) {
  FloatAttr number;
  return matchPattern(value, m_Constant(&number)) ? number : FloatAttr();
}

static bool isNumber(Value value, double expected) {
  FloatAttr number = numberOf(value);
  return number && number.getValueAsDouble() == expected;
}

// The operands of a commutative op that has a number as one of them: what is no number, and the number.
static std::optional<std::pair<Value, FloatAttr>> splitNumber(Operation *op) {
  for (unsigned i : {0u, 1u})
    if (FloatAttr number = numberOf(op->getOperand(1 - i)); number && !numberOf(op->getOperand(i)))
      return std::pair(op->getOperand(i), number);
  return std::nullopt;
}

// min(max(x, low), high) or max(min(x, high), low): the same where low is not above high.
static std::optional<CallPattern> matchClip(Operation *op) {
  if (!isa<arith::MaximumFOp, arith::MinimumFOp>(op))
    return std::nullopt;
  auto outer = splitNumber(op);
  Operation *first = outer ? outer->first.getDefiningOp() : nullptr;
  bool isOpposite = first && isa<arith::MaximumFOp, arith::MinimumFOp>(first) && first->getName() != op->getName();
  auto inner = isOpposite ? splitNumber(first) : std::nullopt;
  if (!inner)
    return std::nullopt;
  auto [low, high] =
      isa<arith::MaximumFOp>(op) ? std::pair(outer->second, inner->second) : std::pair(inner->second, outer->second);
  if (!(low.getValueAsDouble() <= high.getValueAsDouble())) // NaN among them
    return std::nullopt;
  return CallPattern{"clip", inner->first, {low, high}};
}

static std::optional<CallPattern> matchRelu(Operation *op) {
  auto parts = isa<arith::MaximumFOp>(op) ? splitNumber(op) : std::nullopt;
  if (!parts || parts->second.getValueAsDouble() != 0.0)
    return std::nullopt;
  return CallPattern{"relu", parts->first};
}

// 1 / (1 + exp(-x))
static std::optional<CallPattern> matchSigmoid(Operation *op) {
  auto divide = dyn_cast<arith::DivFOp>(op);
  if (!divide || !isNumber(divide.getLhs(), 1.0))
    return std::nullopt;
  auto sum = divide.getRhs().getDefiningOp<arith::AddFOp>();
  if (!sum)
    return std::nullopt;
  Value power = isNumber(sum.getLhs(), 1.0) ? sum.getRhs() : sum.getLhs();
  if (power == sum.getLhs() && !isNumber(sum.getRhs(), 1.0))
    return std::nullopt;
  auto exponential = power.getDefiningOp<math::ExpOp>();
  auto negative = exponential ? exponential.getOperand().getDefiningOp<arith::NegFOp>() : nullptr;
  if (!negative)
    return std::nullopt;
  return CallPattern{"sigmoid", negative.getOperand()};
}

static std::optional<CallPattern> matchIsNan(Operation *op) {
  auto compare = dyn_cast<arith::CmpFOp>(op);
  if (!compare || compare.getLhs() != compare.getRhs())
    return std::nullopt;
  if (compare.getPredicate() != arith::CmpFPredicate::UNE && compare.getPredicate() != arith::CmpFPredicate::UNO)
    return std::nullopt;
  return CallPattern{"is_nan", compare.getLhs()};
}

// f32 to a narrower type and back
static std::optional<CallPattern> matchRounding(Operation *op) {
  if (!kern::isRounding(op))
    return std::nullopt;
  auto truncate = op->getOperand(0).getDefiningOp<arith::TruncFOp>();
  static const std::pair<bool (Type::*)() const, StringRef> rows[] = {{&Type::isF16, "round_to_f16"},
                                                                      {&Type::isBF16, "round_to_bf16"},
                                                                      {&Type::isFloat8E4M3FN, "round_to_f8e4m3fn"},
                                                                      {&Type::isFloat8E4M3FNUZ, "round_to_f8e4m3fnuz"},
                                                                      {&Type::isFloat8E5M2, "round_to_f8e5m2"},
                                                                      {&Type::isFloat8E5M2FNUZ, "round_to_f8e5m2fnuz"}};
  for (auto [isFormat, function] : rows)
    if ((truncate.getType().*isFormat)())
      return CallPattern{function, truncate.getIn()};
  return std::nullopt;
}

// The quantization that alone an op converts back to a float.
static kern::QuantizeOp quantizationOf(Operation *asFloat) {
  if (!asFloat || !kern::isFloatOfByte(asFloat))
    return {};
  auto quantize = asFloat->getOperand(0).getDefiningOp<kern::QuantizeOp>();
  bool fits = quantize && (isa<arith::UIToFPOp>(asFloat) ? static_cast<int64_t>(quantize.getLow()) >= 0
                                                         : static_cast<int64_t>(quantize.getHigh()) <= 127);
  return fits && quantize->hasOneUse() ? quantize : kern::QuantizeOp();
}

// float(kern.quantize v, z) - z: a number that is quantized and dequantized at once.
static std::optional<CallPattern> matchQuantizedSteps(Operation *op) {
  Operation *asFloat = op;
  double taken = 0;
  if (isa<arith::AddFOp, arith::SubFOp>(op)) {
    FloatAttr number = numberOf(op->getOperand(1));
    if (!number || !op->getOperand(0).hasOneUse())
      return std::nullopt;
    asFloat = op->getOperand(0).getDefiningOp();
    taken = (isa<arith::SubFOp>(op) ? 1 : -1) * number.getValueAsDouble();
  }
  kern::QuantizeOp quantize = quantizationOf(asFloat);
  if (!quantize || !isNumber(quantize.getZeroPoint(), taken))
    return std::nullopt;
  Builder builder(op->getContext());
  auto less = [&](uint64_t bound) {
    return builder.getI32IntegerAttr(static_cast<int32_t>(static_cast<int64_t>(bound) - static_cast<int64_t>(taken)));
  };
  return CallPattern{"quantized_steps", quantize.getValue(), {less(quantize.getLow()), less(quantize.getHigh())}};
}

std::optional<CallPattern> findPattern(Operation *op) {
  for (auto match : {matchClip, matchRelu, matchSigmoid, matchIsNan, matchRounding,
                     matchQuantizedSteps}) // relu would take the outer half of a clip
    if (std::optional<CallPattern> pattern = match(op))
      return pattern;
  return std::nullopt;
}

} // namespace aotc::codegen
