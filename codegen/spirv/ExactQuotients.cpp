// The device's quotient of the mantissas is corrected by its remainder, which products in two halves give exactly
// (Dekker, A floating-point technique for extending the available precision, 1971), and then once more by a unit in the
// last place where the remainder is more than half of one: quotients are never halfway between two floats.
#include "codegen/spirv/ExactQuotients.h"

#include "codegen/spirv/Reals.h"

using namespace mlir;

namespace aotc::codegen {

namespace {

// A float as a sum of two whose products with halves of others are exact.
struct Halves {
  Halves(Reals &r, Value x) : whole(x) {
    high = r.ofBits(r.b.createOrFold<arith::AndIOp>(r.bits(x), r.word(0xfffff000)));
    low = r.sub(x, high);
  }
  Value whole, high, low;
};

// The fields of a float.
struct Fields {
  Fields(Reals &r, Value x) {
    ImplicitLocOpBuilder &b = r.b;
    bits = r.bits(x);
    exponent = b.createOrFold<arith::AndIOp>(b.createOrFold<arith::ShRUIOp>(bits, r.word(23)), r.word(0xff));
    mantissa = b.createOrFold<arith::AndIOp>(bits, r.word(0x7fffff));
  }
  Value bits, exponent, mantissa;
};

} // namespace

// x - q * y, without an error where q is the nearest float to x / y or one of its neighbours.
static Value remainder(Reals &r, Value x, const Halves &q, const Halves &y) {
  Value product = r.mul(q.whole, y.whole);
  Value error = r.sub(r.mul(q.high, y.high), product);
  error = r.add(error, r.mul(q.high, y.low));
  error = r.add(error, r.mul(q.low, y.high));
  error = r.add(error, r.mul(q.low, y.low));
  return r.sub(r.sub(x, product), error);
}

// Of numbers of [1, 2).
static Value quotientOfMantissas(Reals &r, Value x, Value y) {
  Halves divisor(r, y);
  Value q = r.div(x, y);
  q = r.add(q, r.div(remainder(r, x, Halves(r, q), divisor), y));
  Value rest = remainder(r, x, Halves(r, q), divisor);
  Value isBelowOne = r.isBelow(q, 1);
  Value unit = r.select(isBelowOne, r.number(0x1p-24), r.number(0x1p-23));
  Value half = r.select(isBelowOne, r.number(0x1p-25), r.number(0x1p-24));
  Value isOff = r.compare(arith::CmpFPredicate::OGT, r.abs(rest), r.mul(y, half));
  return r.select(isOff, r.add(q, r.withSignOf(unit, rest)), q);
}

// 1 to 254: neither 0, subnormal, infinite nor NaN.
static Value isNormal(Reals &r, Value exponent) {
  Value less = r.b.createOrFold<arith::SubIOp>(exponent, r.word(1));
  return r.b.createOrFold<arith::CmpIOp>(arith::CmpIPredicate::ult, less, r.word(254));
}

Value exactQuotient(ImplicitLocOpBuilder &b, Value x, Value y) {
  Reals r(b);
  Fields dividend(r, x), divisor(r, y);
  const auto scaled = [&](const Fields &of) { // to [1, 2)
    return r.ofBits(b.createOrFold<arith::OrIOp>(of.mantissa, r.word(0x3f800000)));
  };
  Fields quotient(r, quotientOfMantissas(r, scaled(dividend), scaled(divisor)));
  Value shift = b.createOrFold<arith::SubIOp>(dividend.exponent, divisor.exponent);
  Value exponent = b.createOrFold<arith::AddIOp>(quotient.exponent, shift);
  Value sign =
      b.createOrFold<arith::AndIOp>(b.createOrFold<arith::XOrIOp>(dividend.bits, divisor.bits), r.word(0x80000000));
  Value size = b.createOrFold<arith::OrIOp>(b.createOrFold<arith::ShLIOp>(exponent, r.word(23)), quotient.mantissa);
  Value isExact = r.both(r.both(isNormal(r, dividend.exponent), isNormal(r, divisor.exponent)), isNormal(r, exponent));
  return r.select(isExact, r.ofBits(b.createOrFold<arith::OrIOp>(sign, size)), r.div(x, y));
}

// Whether whole numbers are made of it; casts to integers have conditions in front.
static bool isRounded(Value quotient) {
  return llvm::any_of(quotient.getUsers(), [](Operation *user) {
    if (isa<arith::SelectOp, math::AbsFOp>(user))
      return isRounded(user->getResult(0));
    return isa<math::RoundEvenOp, math::RoundOp, math::FloorOp, math::CeilOp, math::TruncOp, arith::FPToSIOp,
               arith::FPToUIOp>(user);
  });
}

void makeRoundedQuotientsExact(ModuleOp module) {
  SmallVector<arith::DivFOp> quotients;
  module.walk([&](arith::DivFOp op) {
    if (op.getType().isF32() && isRounded(op))
      quotients.push_back(op);
  });
  for (arith::DivFOp op : quotients) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    op.replaceAllUsesWith(exactQuotient(b, op.getLhs(), op.getRhs()));
    op.erase();
  }
}

} // namespace aotc::codegen
