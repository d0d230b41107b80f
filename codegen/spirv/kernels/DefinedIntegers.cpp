// Instructions never see operands that they are undefined for: others take their place, and the result another's.
#include "codegen/spirv/kernels/DefinedIntegers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace aotc::codegen {

using Predicate = arith::CmpIPredicate;

static unsigned widthOf(Type type) { return type.isIndex() ? 32 : type.getIntOrFloatBitWidth(); }
static Value constantLike(ImplicitLocOpBuilder &b, Value x, int64_t value) {
  return b.create<arith::ConstantOp>(b.getIntegerAttr(x.getType(), value));
}
static Value compare(ImplicitLocOpBuilder &b, Predicate predicate, Value x, int64_t y) {
  return b.createOrFold<arith::CmpIOp>(predicate, x, constantLike(b, x, y));
}
static Value select(ImplicitLocOpBuilder &b, Value condition, Value x, Value y) {
  return b.createOrFold<arith::SelectOp>(condition, x, y);
}
static Value subtract(ImplicitLocOpBuilder &b, Value x, Value y) { return b.createOrFold<arith::SubIOp>(x, y); }

//===-- division --------------------------------------------------------------------------------------------------===//

static Value divideSigned(ImplicitLocOpBuilder &b, Value x, Value y) {
  Value isZero = compare(b, Predicate::eq, y, 0), isNegation = compare(b, Predicate::eq, y, -1);
  Value isSpecial = b.createOrFold<arith::OrIOp>(isZero, isNegation), zero = constantLike(b, x, 0);
  Value quotient = b.createOrFold<arith::DivSIOp>(x, select(b, isSpecial, constantLike(b, x, 1), y));
  return select(b, isZero, zero, select(b, isNegation, subtract(b, zero, x), quotient));
}

static Value divideUnsigned(ImplicitLocOpBuilder &b, Value x, Value y) {
  Value isZero = compare(b, Predicate::eq, y, 0);
  Value quotient = b.createOrFold<arith::DivUIOp>(x, select(b, isZero, constantLike(b, x, 1), y));
  return select(b, isZero, constantLike(b, x, 0), quotient);
}

static Value remainder(ImplicitLocOpBuilder &b, Value x, Value y, Value quotient) {
  return subtract(b, x, b.createOrFold<arith::MulIOp>(quotient, y));
}

//===-- shifts ----------------------------------------------------------------------------------------------------===//

template <class Op> static Value shift(ImplicitLocOpBuilder &b, Value x, Value count) {
  Value isShort = compare(b, Predicate::ult, count, widthOf(x.getType())), zero = constantLike(b, x, 0);
  return select(b, isShort, b.createOrFold<Op>(x, select(b, isShort, count, zero)), zero);
}

static Value shiftRightSigned(ImplicitLocOpBuilder &b, Value x, Value count) {
  const int64_t most = widthOf(x.getType()) - 1;
  Value isShort = compare(b, Predicate::ult, count, most);
  return b.createOrFold<arith::ShRSIOp>(x, select(b, isShort, count, constantLike(b, x, most)));
}

//===-- from floats -----------------------------------------------------------------------------------------------===//

namespace {

// The integers of a float, which has 32 bits at least: those below would not hold the bounds.
class Truncation {
public:
  Truncation(ImplicitLocOpBuilder &b, Value x)
      : b(b), x(x.getType().isF16() ? b.create<arith::ExtFOp>(b.getF32Type(), x).getResult() : x) {}

  Value toSigned(unsigned width) {
    return width == 64 ? whole(64) : width == 32 ? whole(32) : lowBits(whole(32), width);
  }
  Value toUnsigned(unsigned width) {
    return width == 64 ? toUnsigned64() : width == 32 ? toUnsigned32() : lowBits(whole(32), width);
  }

private:
  Value number(double value) { return b.create<arith::ConstantOp>(b.getFloatAttr(x.getType(), value)); }
  Value isBelow(Value y, Value z) { return b.create<arith::CmpFOp>(arith::CmpFPredicate::OLT, y, z); }
  Value both(Value y, Value z) { return b.create<arith::AndIOp>(y, z); }
  Value lowBits(Value integer, unsigned width) { return b.create<arith::TruncIOp>(b.getIntegerType(width), integer); }

  // The least integer stands for what is too large, and for NaN.
  Value whole(unsigned width) {
    const double bound = std::ldexp(1.0, static_cast<int>(width) - 1);
    Value isInside = both(isBelow(number(-bound), x), isBelow(x, number(bound)));
    Type type = b.getIntegerType(width);
    Value integer = b.create<arith::FPToSIOp>(type, select(b, isInside, x, number(0)));
    return select(b, isInside, integer, constantLike(b, integer, llvm::minIntN(width)));
  }

  // The low half of what 64 bits would hold, without such integers.
  Value toUnsigned32() {
    Value size = b.create<math::FloorOp>(b.create<math::AbsFOp>(x));
    Value isInside = isBelow(size, number(std::ldexp(1.0, 63)));
    Value high = b.create<math::FloorOp>(b.create<arith::MulFOp>(size, number(std::ldexp(1.0, -32))));
    Value low = b.create<arith::SubFOp>(size, b.create<arith::MulFOp>(high, number(std::ldexp(1.0, 32))));
    Value word = b.create<arith::FPToUIOp>(b.getI32Type(), select(b, isInside, low, number(0)));
    return select(b, isBelow(x, number(0)), subtract(b, constantLike(b, word, 0), word), word);
  }

  Value toUnsigned64() {
    Value half = number(std::ldexp(1.0, 63));
    Value isLarge = b.create<arith::CmpFOp>(arith::CmpFPredicate::OGE, x, half);
    Value isInside = both(isLarge, isBelow(x, number(std::ldexp(1.0, 64))));
    Value large = b.create<arith::FPToUIOp>(b.getI64Type(), select(b, isInside, x, number(0)));
    return select(b, isLarge, large, whole(64));
  }

  ImplicitLocOpBuilder &b;
  Value x;
};

} // namespace

//===-- all of them -----------------------------------------------------------------------------------------------===//

Value buildDefined(ImplicitLocOpBuilder &b, Operation &op, ValueRange operands) {
  auto width = [&] { return widthOf(op.getResult(0).getType()); };
  auto x = [&] { return operands[0]; };
  auto y = [&] { return operands[1]; };
  return llvm::TypeSwitch<Operation *, Value>(&op)
      .Case<arith::DivSIOp>([&](auto) { return divideSigned(b, x(), y()); })
      .Case<arith::DivUIOp>([&](auto) { return divideUnsigned(b, x(), y()); })
      .Case<arith::RemSIOp>([&](auto) { return remainder(b, x(), y(), divideSigned(b, x(), y())); })
      .Case<arith::RemUIOp>([&](auto) { return remainder(b, x(), y(), divideUnsigned(b, x(), y())); })
      .Case<arith::ShLIOp, arith::ShRUIOp>([&](auto shiftOp) { return shift<decltype(shiftOp)>(b, x(), y()); })
      .Case<arith::ShRSIOp>([&](auto) { return shiftRightSigned(b, x(), y()); })
      .Case<arith::FPToSIOp>([&](auto) { return Truncation(b, x()).toSigned(width()); })
      .Case<arith::FPToUIOp>([&](auto) { return Truncation(b, x()).toUnsigned(width()); })
      .Default([](Operation *) { return Value(); });
}

} // namespace aotc::codegen
