#include "ir/nn/Scalar.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace aotc::scalar {

static Type elementOf(Type type) { return cast<ShapedType>(type).getElementType(); }

Type signless(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  return integer ? IntegerType::get(element.getContext(), integer.getWidth()) : element;
}

Builder::Builder(OpBuilder &builder, Location loc, TypeRange operands, Type result)
    : builder(builder), loc(loc), operandElement(elementOf(operands.back())), resultElement(elementOf(result)) {}

Value Builder::constant(double value) {
  Type type = signless(operandElement);
  if (auto floatType = dyn_cast<FloatType>(type))
    return builder.create<arith::ConstantOp>(loc, builder.getFloatAttr(floatType, value));
  return builder.create<arith::ConstantOp>(loc, builder.getIntegerAttr(type, static_cast<int64_t>(value)));
}

// Creates FloatOp or IntegerOp on the operands' own type.
template <class FloatOp, class IntegerOp> static Value either(OpBuilder &builder, Location loc, Value x, Value y) {
  if (isa<FloatType>(x.getType()))
    return builder.create<FloatOp>(loc, x, y);
  return builder.create<IntegerOp>(loc, x, y);
}

Value Builder::add(Value x, Value y) { return either<arith::AddFOp, arith::AddIOp>(builder, loc, x, y); }
Value Builder::sub(Value x, Value y) { return either<arith::SubFOp, arith::SubIOp>(builder, loc, x, y); }
Value Builder::mul(Value x, Value y) { return either<arith::MulFOp, arith::MulIOp>(builder, loc, x, y); }

Value Builder::div(Value x, Value y) {
  if (operandElement.isUnsignedInteger())
    return builder.create<arith::DivUIOp>(loc, x, y);
  return either<arith::DivFOp, arith::DivSIOp>(builder, loc, x, y);
}
Value Builder::max(Value x, Value y) {
  if (operandElement.isUnsignedInteger())
    return builder.create<arith::MaxUIOp>(loc, x, y);
  return either<arith::MaximumFOp, arith::MaxSIOp>(builder, loc, x, y);
}
Value Builder::min(Value x, Value y) {
  if (operandElement.isUnsignedInteger())
    return builder.create<arith::MinUIOp>(loc, x, y);
  return either<arith::MinimumFOp, arith::MinSIOp>(builder, loc, x, y);
}
Value Builder::neg(Value x) {
  if (isFloat(x))
    return builder.create<arith::NegFOp>(loc, x);
  return sub(constant(0), x);
}
Value Builder::abs(Value x) {
  if (isFloat(x))
    return builder.create<math::AbsFOp>(loc, x);
  return operandElement.isUnsignedInteger() ? x : Value(builder.create<math::AbsIOp>(loc, x));
}

Value Builder::exp(Value x) { return builder.create<math::ExpOp>(loc, x); }
Value Builder::log(Value x) { return builder.create<math::LogOp>(loc, x); }
Value Builder::sqrt(Value x) { return builder.create<math::SqrtOp>(loc, x); }
Value Builder::tanh(Value x) { return builder.create<math::TanhOp>(loc, x); }
Value Builder::erf(Value x) { return builder.create<math::ErfOp>(loc, x); }
Value Builder::floor(Value x) { return builder.create<math::FloorOp>(loc, x); }
Value Builder::ceil(Value x) { return builder.create<math::CeilOp>(loc, x); }
Value Builder::sigmoid(Value x) { return div(constant(1.0), add(constant(1.0), exp(neg(x)))); }

Value Builder::equal(Value x, Value y) {
  if (isFloat(x))
    return builder.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OEQ, x, y);
  return builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, x, y);
}
Value Builder::less(Value x, Value y) {
  if (isFloat(x))
    return builder.create<arith::CmpFOp>(loc, arith::CmpFPredicate::OLT, x, y);
  bool isUnsigned = operandElement.isUnsignedInteger() || operandElement.isInteger(1);
  return builder.create<arith::CmpIOp>(loc, isUnsigned ? arith::CmpIPredicate::ult : arith::CmpIPredicate::slt, x, y);
}
Value Builder::select(Value condition, Value x, Value y) {
  return builder.create<arith::SelectOp>(loc, condition, x, y);
}
Value Builder::bitAnd(Value x, Value y) { return builder.create<arith::AndIOp>(loc, x, y); }
Value Builder::bitOr(Value x, Value y) { return builder.create<arith::OrIOp>(loc, x, y); }
Value Builder::logicalNot(Value x) {
  Value one = builder.create<arith::ConstantOp>(loc, builder.getIntegerAttr(x.getType(), 1));
  return builder.create<arith::XOrIOp>(loc, x, one);
}

Value Builder::roundTo(Value x, Type format) {
  Value rounded = builder.create<arith::TruncFOp>(loc, format, x);
  return builder.create<arith::ExtFOp>(loc, x.getType(), rounded);
}

Value Builder::cast(Value x) {
  Type from = operandElement, to = signless(resultElement);
  if (x.getType() == to)
    return x;
  bool fromFloat = isa<FloatType>(from), toFloat = isa<FloatType>(to);
  bool fromUnsigned = from.isUnsignedInteger() || from.isInteger(1);
  if (to.isInteger(1)) {
    if (fromFloat)
      return builder.create<arith::CmpFOp>(loc, arith::CmpFPredicate::UNE, x, constant(0.0));
    return builder.create<arith::CmpIOp>(loc, arith::CmpIPredicate::ne, x, constant(0.0));
  }
  if (fromFloat && toFloat) {
    if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
      return builder.create<arith::ExtFOp>(loc, to, x);
    return builder.create<arith::TruncFOp>(loc, to, x);
  }
  if (fromFloat)
    return resultElement.isUnsignedInteger() ? Value(builder.create<arith::FPToUIOp>(loc, to, x))
                                             : Value(builder.create<arith::FPToSIOp>(loc, to, x));
  if (toFloat)
    return fromUnsigned ? Value(builder.create<arith::UIToFPOp>(loc, to, x))
                        : Value(builder.create<arith::SIToFPOp>(loc, to, x));
  if (from.getIntOrFloatBitWidth() > to.getIntOrFloatBitWidth())
    return builder.create<arith::TruncIOp>(loc, to, x);
  return fromUnsigned ? Value(builder.create<arith::ExtUIOp>(loc, to, x))
                      : Value(builder.create<arith::ExtSIOp>(loc, to, x));
}

} // namespace aotc::scalar
