// The rounding of f32 to float16, written out on integers: what a driver's own conversion does with halfway cases and
// small numbers is its affair.
#include "codegen/spirv/Halves.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace aotc::codegen {

Value halfAsFloat(OpBuilder &builder, Location loc, Value value) {
  return value.getType().isF16() ? builder.create<arith::ExtFOp>(loc, builder.getF32Type(), value).getResult() : value;
}

namespace {

// Rounds an f32 to the nearest number of float16, on the bits of its magnitude.
class HalfRounding {
public:
  HalfRounding(OpBuilder &builder, Location loc) : b(loc, builder) {}

  Value round(Value value) {
    Value bits = b.create<arith::BitcastOp>(b.getI32Type(), value);
    Value magnitude = b.create<arith::AndIOp>(bits, word(0x7fffffff));
    Value sign = b.create<arith::XOrIOp>(bits, magnitude);
    Value result = select(isBelow(magnitude, leastNormal), roundSubnormal(magnitude), roundNormal(magnitude));
    result = select(isBelow(magnitude, infinity), result, magnitude); // as it is: an infinity, or a NaN
    return b.create<arith::BitcastOp>(b.getF32Type(), b.create<arith::OrIOp>(result, sign));
  }

private:
  static constexpr int64_t infinity = 0x7f800000, leastNormal = 0x38800000 /* 2^-14 */, beyond = 0x47800000 /* 2^16 */;

  Value word(int64_t value) { return b.create<arith::ConstantIntOp>(value, b.getI32Type()); }
  Value number(float value) { return b.create<arith::ConstantFloatOp>(APFloat(value), b.getF32Type()); }
  Value isBelow(Value bits, int64_t bound) {
    return b.create<arith::CmpIOp>(arith::CmpIPredicate::ult, bits, word(bound));
  }
  Value select(Value condition, Value a, Value c) { return b.create<arith::SelectOp>(condition, a, c); }

  // Thirteen bits less: half of the last one that stays is added, less one where that is even.
  Value roundNormal(Value magnitude) {
    Value last = b.create<arith::AndIOp>(b.create<arith::ShRUIOp>(magnitude, word(13)), word(1));
    Value sum = b.create<arith::AddIOp>(magnitude, b.create<arith::AddIOp>(last, word(0xfff)));
    Value rounded = b.create<arith::AndIOp>(sum, word(~0x1fff));
    return select(isBelow(rounded, beyond), rounded, word(infinity));
  }

  // To multiples of 2^-24; both products are exact.
  Value roundSubnormal(Value magnitude) {
    Value value = b.create<arith::BitcastOp>(b.getF32Type(), magnitude);
    Value steps = b.create<math::RoundEvenOp>(b.create<arith::MulFOp>(value, number(0x1p24F)));
    return b.create<arith::BitcastOp>(b.getI32Type(), b.create<arith::MulFOp>(steps, number(0x1p-24F)));
  }

  ImplicitLocOpBuilder b;
};

} // namespace

// Readers that want it as f32 again, as bodies of half models do, are spared the way through 16 bits.
static void round(arith::TruncFOp op) {
  OpBuilder builder(op);
  Value rounded = HalfRounding(builder, op.getLoc()).round(op.getIn());
  for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
    if (auto extension = dyn_cast<arith::ExtFOp>(user); extension && extension.getType().isF32()) {
      extension.replaceAllUsesWith(rounded);
      extension.erase();
    }
  op.getInMutable().set(rounded);
  if (op->use_empty())
    op.erase();
}

void roundToHalves(ModuleOp module) {
  SmallVector<arith::TruncFOp> roundings;
  module.walk([&](arith::TruncFOp op) {
    if (op.getIn().getType().isF32() && op.getType().isF16())
      roundings.push_back(op);
  });
  llvm::for_each(roundings, round);
}

} // namespace aotc::codegen
