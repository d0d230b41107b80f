// Each function is written out in f32, by arithmetic and the functions that SPIR-V has; a pattern puts that in its op's
// place, with conversions around it where the operands are of another type.
#include "codegen/spirv/ExpandMath.h"

#include "codegen/spirv/Reals.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SPIRV/IR/SPIRVOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace aotc::codegen {

static constexpr double infinity = std::numeric_limits<double>::infinity();

//===-- logarithms and exponentials -------------------------------------------------------------------------------===//

// log(1 + x) = 2 artanh(x / (2 + x)), of which the series does near 0. (1 + x) - 1 would tell what is lost elsewhere, if
// drivers did not simplify it.
static Value log1p(Reals &r, Value x) {
  Value s = r.div(x, r.add(r.number(2), x));
  Value series = r.polynomial(r.mul(s, s), {1, 1. / 3, 1. / 5, 1. / 7, 1. / 9, 1. / 11, 1. / 13});
  Value near = r.mul(r.add(s, s), series), far = r.log(r.add(r.number(1), x));
  return r.select(r.isBelow(r.abs(x), 0.5), near, far);
}

static Value expm1(Reals &r, Value x) {
  Value series = r.polynomial(x, {1, 1. / 2, 1. / 6, 1. / 24, 1. / 120, 1. / 720, 1. / 5040, 1. / 40320});
  Value near = r.mul(x, series), far = r.sub(r.exp(x), r.number(1));
  return r.select(r.isBelow(r.abs(x), 0.5), near, far);
}

//===-- inverse hyperbolic functions ------------------------------------------------------------------------------===//

static constexpr double largeArgument = 1e9; // whose square may overflow, and is all that counts

// log(2 x).
static Value logOfTwice(Reals &r, Value x) { return r.add(r.log(x), r.number(0.69314718055994531)); }

static Value asinh(Reals &r, Value x) {
  Value size = r.abs(x), square = r.mul(size, size), one = r.number(1);
  Value small = log1p(r, r.add(size, r.div(square, r.add(one, r.sqrt(r.add(square, one))))));
  return r.withSignOf(r.select(r.isBelow(size, largeArgument), small, logOfTwice(r, size)), x);
}

static Value acosh(Reals &r, Value x) {
  Value one = r.number(1), more = r.sub(x, one);
  Value small = log1p(r, r.add(more, r.sqrt(r.mul(more, r.add(x, one)))));
  return r.select(r.isBelow(x, largeArgument), small, logOfTwice(r, x));
}

static Value atanh(Reals &r, Value x) {
  Value size = r.abs(x);
  Value twice = log1p(r, r.div(r.add(size, size), r.sub(r.number(1), size)));
  return r.withSignOf(r.mul(r.number(0.5), twice), x);
}

//===-- powers ----------------------------------------------------------------------------------------------------===//

namespace {

struct Exponent {
  Value real, isOdd, isFractional;
};

} // namespace

static Exponent realExponent(Reals &r, Value y) {
  Value half = r.mul(y, r.number(0.5));
  Value isFractional = r.compare(arith::CmpFPredicate::UNE, r.floor(y), y);
  Value isUneven = r.compare(arith::CmpFPredicate::UNE, r.floor(half), half);
  Value isWhole = r.compare(arith::CmpFPredicate::OEQ, r.floor(y), y);
  return {y, r.both(isWhole, isUneven), isFractional};
}

// GLSL's pow is defined for positive x; C's also elsewhere.
static Value power(Reals &r, Value x, const Exponent &y) {
  Value size = r.abs(x), shrinks = r.isBelow(y.real, 0), isZero = r.isEqual(size, 0);
  Value isInfinite = r.isEqual(size, infinity), isExtreme = r.either(isZero, isInfinite);
  Value extreme = r.select(r.oneOf(isZero, shrinks), r.number(0), r.number(infinity));
  Value result = r.select(isExtreme, extreme, r.b.create<spirv::GLPowOp>(size, y.real));
  result = r.select(r.isEqual(size, 1), r.number(1), result); // also with an infinite exponent
  result = r.select(r.both(y.isOdd, r.hasSign(x)), r.negate(result), result);
  Value isNegative = r.both(r.isBelow(x, 0), r.compare(arith::CmpFPredicate::UNE, x, r.number(-infinity)));
  result = r.select(r.both(isNegative, y.isFractional), r.number(std::numeric_limits<double>::quiet_NaN()), result);
  result = r.select(r.compare(arith::CmpFPredicate::UNO, x, y.real), r.add(x, y.real), result);
  return r.select(r.either(r.isEqual(x, 1), r.isEqual(y.real, 0)), r.number(1), result);
}

// The integer that is converted, or null.
static Value integerOf(Value real) {
  Operation *conversion = real.getDefiningOp();
  return isa_and_nonnull<arith::SIToFPOp, arith::UIToFPOp>(conversion) ? conversion->getOperand(0) : nullptr;
}

// The number itself, if it is one that 32 bits hold.
static std::optional<float> constantOf(Value real) {
  APFloat value(0.0);
  bool isInexact = false;
  if (!matchPattern(real, m_ConstantFloat(&value)))
    return std::nullopt;
  value.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven, &isInexact);
  return isInexact ? std::nullopt : std::optional(value.convertToFloat());
}

static bool isShortFloat(Type type) { return type.isF32() || type.isF16(); }

bool isIntegerPower(arith::TruncFOp op) {
  auto power = op.getIn().getDefiningOp<math::PowFOp>();
  auto base = power ? power.getLhs().getDefiningOp<arith::ExtFOp>() : nullptr;
  return base && power->hasOneUse() && isShortFloat(base.getIn().getType()) && isShortFloat(op.getType()) &&
         (integerOf(power.getRhs()) || constantOf(power.getRhs()));
}

static Exponent integerExponent(Reals &r, Value y) {
  if (std::optional<float> constant = constantOf(y))
    return realExponent(r, r.number(*constant));
  ImplicitLocOpBuilder &b = r.b;
  Value integer = integerOf(y), never = b.create<arith::ConstantIntOp>(0, 1);
  Value real = isa<arith::SIToFPOp>(y.getDefiningOp()) ? b.create<arith::SIToFPOp>(b.getF32Type(), integer).getResult()
                                                       : b.create<arith::UIToFPOp>(b.getF32Type(), integer).getResult();
  return {real, b.create<arith::TruncIOp>(b.getI1Type(), integer), never};
}

//===-- patterns --------------------------------------------------------------------------------------------------===//

static Value asF32(ImplicitLocOpBuilder &b, Value x) {
  return x.getType().isF32() ? x : b.create<arith::ExtFOp>(b.getF32Type(), x).getResult();
}

namespace {

// Op = function of its operands, which are made f32, as the result is unmade.
template <class Op, class Function> struct Expand : OpRewritePattern<Op> {
  Expand(MLIRContext *context, Function function) : OpRewritePattern<Op>(context), function(function) {}

  LogicalResult matchAndRewrite(Op op, PatternRewriter &rewriter) const final {
    Type type = op.getType();
    if (!isShortFloat(type))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Reals reals(b);
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(asF32(b, operand));
    Value result = function(reals, operands);
    rewriter.replaceOp(op, type.isF32() ? result : b.create<arith::TruncFOp>(type, result).getResult());
    return success();
  }

  Function function;
};

struct ExpandIntegerPower : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(arith::TruncFOp op, PatternRewriter &rewriter) const final {
    if (!isIntegerPower(op))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Reals reals(b);
    auto power64 = op.getIn().getDefiningOp<math::PowFOp>();
    Value base = asF32(b, power64.getLhs().getDefiningOp<arith::ExtFOp>().getIn());
    Value result = power(reals, base, integerExponent(reals, power64.getRhs()));
    rewriter.replaceOp(op, op.getType().isF32() ? result : b.create<arith::TruncFOp>(op.getType(), result).getResult());
    return success();
  }
};

template <class Op> void addUnary(RewritePatternSet &patterns, Value (*function)(Reals &, Value)) {
  auto ofOperands = [function](Reals &reals, ArrayRef<Value> operands) { return function(reals, operands[0]); };
  patterns.add<Expand<Op, decltype(ofOperands)>>(patterns.getContext(), ofOperands);
}

} // namespace

void populateMathExpansions(RewritePatternSet &patterns) {
  addUnary<math::ExpM1Op>(patterns, expm1);
  addUnary<math::Log1pOp>(patterns, log1p);
  addUnary<math::AsinhOp>(patterns, asinh);
  addUnary<math::AcoshOp>(patterns, acosh);
  addUnary<math::AtanhOp>(patterns, atanh);
  auto powerOf = [](Reals &reals, ArrayRef<Value> operands) {
    return power(reals, operands[0], realExponent(reals, operands[1]));
  };
  patterns.add<Expand<math::PowFOp, decltype(powerOf)>>(patterns.getContext(), powerOf);
  patterns.add<ExpandIntegerPower>(patterns.getContext());
}

} // namespace aotc::codegen
