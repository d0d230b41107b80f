#include "ir/nn/Scalar.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace aotc::scalar {

static Type elementOf(Type type) { return cast<ShapedType>(type).getElementType(); }

// A bool counts as a number without a sign.
static bool isUnsigned(const Element &x) { return x.type.isUnsignedInteger() || x.type.isInteger(1); }
static bool isFloat(const Element &x) { return isa<FloatType>(x.type); }

Type signless(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  return integer ? IntegerType::get(element.getContext(), integer.getWidth()) : element;
}

Builder::Builder(OpBuilder &builder, Location loc, TypeRange operands, Type result)
    : builder(builder), loc(loc), operandElements(llvm::map_range(operands, elementOf)),
      resultElement(elementOf(result)) {}

SmallVector<Element, 4> Builder::arguments(ValueRange values) const {
  SmallVector<Element, 4> result;
  for (auto [value, type] : llvm::zip_equal(values, operandElements))
    result.push_back({value, type});
  return result;
}

Type Builder::boolType() const { return builder.getI1Type(); }

Element Builder::constant(double value, Type type) {
  Type storage = signless(type);
  if (auto floatType = dyn_cast<FloatType>(storage))
    return {builder.create<arith::ConstantOp>(loc, builder.getFloatAttr(floatType, value)), type};
  return {builder.create<arith::ConstantOp>(loc, builder.getIntegerAttr(storage, static_cast<int64_t>(value))), type};
}

// Creates the op that goes with the operands' type.
template <class FloatOp, class SignedOp, class UnsignedOp = SignedOp>
static Element create(OpBuilder &builder, Location loc, Element x, Element y) {
  if (isFloat(x))
    return {builder.create<FloatOp>(loc, x.value, y.value), x.type};
  if (isUnsigned(x))
    return {builder.create<UnsignedOp>(loc, x.value, y.value), x.type};
  return {builder.create<SignedOp>(loc, x.value, y.value), x.type};
}

//===-- arithmetic ------------------------------------------------------------------------------------------------===//

Element Builder::add(Element x, Element y) { return create<arith::AddFOp, arith::AddIOp>(builder, loc, x, y); }
Element Builder::sub(Element x, Element y) { return create<arith::SubFOp, arith::SubIOp>(builder, loc, x, y); }
Element Builder::mul(Element x, Element y) { return create<arith::MulFOp, arith::MulIOp>(builder, loc, x, y); }
Element Builder::div(Element x, Element y) {
  return create<arith::DivFOp, arith::DivSIOp, arith::DivUIOp>(builder, loc, x, y);
}
Element Builder::max(Element x, Element y) {
  return create<arith::MaximumFOp, arith::MaxSIOp, arith::MaxUIOp>(builder, loc, x, y);
}
Element Builder::min(Element x, Element y) {
  return create<arith::MinimumFOp, arith::MinSIOp, arith::MinUIOp>(builder, loc, x, y);
}
Element Builder::remainder(Element x, Element y) {
  return create<arith::RemFOp, arith::RemSIOp, arith::RemUIOp>(builder, loc, x, y);
}

Element Builder::modulo(Element x, Element y) {
  Element rest = remainder(x, y), zero = constant(0, x.type);
  if (isUnsigned(x))
    return rest;
  Element isWhole = equal(rest, zero), isBelow = less(y, zero);
  Element whole = isFloat(x) ? select(isBelow, constant(-0.0, x.type), zero) : zero;
  Element moved = select(bitXor(less(rest, zero), isBelow), add(rest, y), rest);
  return select(isWhole, whole, moved);
}

Element Builder::neg(Element x) {
  if (isFloat(x))
    return {builder.create<arith::NegFOp>(loc, x.value), x.type};
  return sub(constant(0, x.type), x);
}

Element Builder::abs(Element x) {
  if (isFloat(x))
    return {builder.create<math::AbsFOp>(loc, x.value), x.type};
  return isUnsigned(x) ? x : Element{builder.create<math::AbsIOp>(loc, x.value), x.type};
}

Element Builder::sign(Element x) {
  Element zero = constant(0, x.type), one = constant(1, x.type);
  Element rest = isFloat(x) ? add(x, zero) : zero; // 0 for -0, and NaN stays
  if (!isUnsigned(x))
    rest = select(less(x, zero), constant(-1, x.type), rest);
  return select(less(zero, x), one, rest);
}

//===-- functions -------------------------------------------------------------------------------------------------===//

Element Builder::exp(Element x) { return {builder.create<math::ExpOp>(loc, x.value), x.type}; }
Element Builder::log(Element x) { return {builder.create<math::LogOp>(loc, x.value), x.type}; }
Element Builder::sqrt(Element x) { return {builder.create<math::SqrtOp>(loc, x.value), x.type}; }
Element Builder::tanh(Element x) { return {builder.create<math::TanhOp>(loc, x.value), x.type}; }
Element Builder::erf(Element x) { return {builder.create<math::ErfOp>(loc, x.value), x.type}; }
Element Builder::floor(Element x) { return {builder.create<math::FloorOp>(loc, x.value), x.type}; }
Element Builder::ceil(Element x) { return {builder.create<math::CeilOp>(loc, x.value), x.type}; }
Element Builder::roundEven(Element x) { return {builder.create<math::RoundEvenOp>(loc, x.value), x.type}; }
Element Builder::expm1(Element x) { return {builder.create<math::ExpM1Op>(loc, x.value), x.type}; }
Element Builder::log1p(Element x) { return {builder.create<math::Log1pOp>(loc, x.value), x.type}; }
Element Builder::sin(Element x) { return {builder.create<math::SinOp>(loc, x.value), x.type}; }
Element Builder::cos(Element x) { return {builder.create<math::CosOp>(loc, x.value), x.type}; }
Element Builder::tan(Element x) { return {builder.create<math::TanOp>(loc, x.value), x.type}; }
Element Builder::asin(Element x) { return {builder.create<math::AsinOp>(loc, x.value), x.type}; }
Element Builder::acos(Element x) { return {builder.create<math::AcosOp>(loc, x.value), x.type}; }
Element Builder::atan(Element x) { return {builder.create<math::AtanOp>(loc, x.value), x.type}; }
Element Builder::sinh(Element x) { return {builder.create<math::SinhOp>(loc, x.value), x.type}; }
Element Builder::cosh(Element x) { return {builder.create<math::CoshOp>(loc, x.value), x.type}; }
Element Builder::asinh(Element x) { return {builder.create<math::AsinhOp>(loc, x.value), x.type}; }
Element Builder::acosh(Element x) { return {builder.create<math::AcoshOp>(loc, x.value), x.type}; }
Element Builder::atanh(Element x) { return {builder.create<math::AtanhOp>(loc, x.value), x.type}; }

Element Builder::sigmoid(Element x) {
  Element one = constant(1.0, x.type);
  return div(one, add(constant(1.0, x.type), exp(neg(x))));
}

Element Builder::pow(Element x, Element y) {
  if (isFloat(x) && x.type == y.type)
    return {builder.create<math::PowFOp>(loc, x.value, y.value), x.type};
  Type wide = builder.getF64Type();
  Element power{builder.create<math::PowFOp>(loc, cast(x, wide).value, cast(y, wide).value), wide};
  return cast(power, x.type);
}

// The exponential is of a negative number: nothing overflows, and small results keep their digits.
Element Builder::softplus(Element x) { return add(max(x, constant(0, x.type)), log1p(exp(neg(abs(x))))); }

//===-- comparisons and bits --------------------------------------------------------------------------------------===//

// On bools these are made of and, or, xor, which masks of vectors have too.
Element Builder::equal(Element x, Element y) {
  if (x.type.isInteger(1))
    return complement(bitXor(x, y));
  if (isFloat(x))
    return {builder.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OEQ, x.value, y.value), boolType()};
  return {builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, x.value, y.value), boolType()};
}

Element Builder::less(Element x, Element y) {
  if (x.type.isInteger(1))
    return bitAnd(complement(x), y);
  if (isFloat(x))
    return {builder.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OLT, x.value, y.value), boolType()};
  auto predicate = isUnsigned(x) ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt;
  return {builder.create<arith::CmpIOp>(loc, predicate, x.value, y.value), boolType()};
}

Element Builder::isNan(Element x) {
  return {builder.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNE, x.value, x.value), boolType()};
}

Element Builder::select(Element condition, Element x, Element y) {
  if (x.type.isInteger(1))
    return bitOr(bitAnd(condition, x), bitAnd(complement(condition), y));
  return {builder.create<arith::SelectOp>(loc, condition.value, x.value, y.value), x.type};
}

Element Builder::bitAnd(Element x, Element y) { return {builder.create<arith::AndIOp>(loc, x.value, y.value), x.type}; }
Element Builder::bitOr(Element x, Element y) { return {builder.create<arith::OrIOp>(loc, x.value, y.value), x.type}; }
Element Builder::bitXor(Element x, Element y) { return {builder.create<arith::XOrIOp>(loc, x.value, y.value), x.type}; }
Element Builder::complement(Element x) { return bitXor(x, constant(x.type.isInteger(1) ? 1 : -1, x.type)); }
Element Builder::shiftLeft(Element x, Element count) {
  return {builder.create<arith::ShLIOp>(loc, x.value, count.value), x.type};
}
Element Builder::shiftRight(Element x, Element count) {
  if (isUnsigned(x))
    return {builder.create<arith::ShRUIOp>(loc, x.value, count.value), x.type};
  return {builder.create<arith::ShRSIOp>(loc, x.value, count.value), x.type};
}

//===-- conversions -----------------------------------------------------------------------------------------------===//

Element Builder::roundTo(Element x, Type format) {
  Value rounded = builder.create<arith::TruncFOp>(loc, format, x.value);
  return {builder.create<arith::ExtFOp>(loc, x.value.getType(), rounded), x.type};
}

static Value toBool(OpBuilder &builder, Location loc, Element x, Element zero) {
  if (isFloat(x))
    return builder.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNE, x.value, zero.value);
  return builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, x.value, zero.value);
}

static Value floatToFloat(OpBuilder &builder, Location loc, Value x, Type to) {
  if (x.getType().getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    return builder.create<arith::ExtFOp>(loc, to, x);
  return builder.create<arith::TruncFOp>(loc, to, x);
}

static Value integerToInteger(OpBuilder &builder, Location loc, Element x, Type to) {
  if (x.value.getType().getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return builder.create<arith::TruncIOp>(loc, to, x.value);
  if (isUnsigned(x))
    return builder.create<arith::ExtUIOp>(loc, to, x.value);
  return builder.create<arith::ExtSIOp>(loc, to, x.value);
}

Element Builder::cast(Element x, Type type) {
  Type to = signless(type);
  if (x.value.getType() == to)
    return {x.value, type};
  bool toFloat = isa<FloatType>(to);
  if (to.isInteger(1))
    return {toBool(builder, loc, x, constant(0, x.type)), type};
  if (isFloat(x) && toFloat)
    return {floatToFloat(builder, loc, x.value, to), type};
  if (isFloat(x) && type.isUnsignedInteger())
    return {builder.create<arith::FPToUIOp>(loc, to, x.value), type};
  if (isFloat(x))
    return {builder.create<arith::FPToSIOp>(loc, to, x.value), type};
  if (toFloat && x.type.isInteger(1))
    return {select(x, constant(1, type), constant(0, type)).value, type};
  if (toFloat && isUnsigned(x))
    return {builder.create<arith::UIToFPOp>(loc, to, x.value), type};
  if (toFloat)
    return {builder.create<arith::SIToFPOp>(loc, to, x.value), type};
  return {integerToInteger(builder, loc, x, to), type};
}

} // namespace aotc::scalar
