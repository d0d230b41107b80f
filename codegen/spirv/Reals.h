// Arithmetic on f32, written briefly, for what is made of it.
#ifndef AOTC_CODEGEN_SPIRV_REALS_H
#define AOTC_CODEGEN_SPIRV_REALS_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace aotc::codegen {

class Reals {
public:
  explicit Reals(mlir::ImplicitLocOpBuilder &b) : b(b) {}

  mlir::Value number(double value) {
    return b.create<mlir::arith::ConstantFloatOp>(llvm::APFloat(static_cast<float>(value)), b.getF32Type());
  }
  mlir::Value add(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::AddFOp>(x, y); }
  mlir::Value sub(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::SubFOp>(x, y); }
  mlir::Value mul(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::MulFOp>(x, y); }
  mlir::Value div(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::DivFOp>(x, y); }
  mlir::Value sqrt(mlir::Value x) { return b.create<mlir::math::SqrtOp>(x); }
  mlir::Value exp(mlir::Value x) { return b.create<mlir::math::ExpOp>(x); }
  mlir::Value log(mlir::Value x) { return b.create<mlir::math::LogOp>(x); }
  mlir::Value abs(mlir::Value x) { return b.create<mlir::math::AbsFOp>(x); }
  mlir::Value floor(mlir::Value x) { return b.create<mlir::math::FloorOp>(x); }
  mlir::Value negate(mlir::Value x) { return b.create<mlir::arith::NegFOp>(x); }
  mlir::Value withSignOf(mlir::Value x, mlir::Value sign) { return b.create<mlir::math::CopySignOp>(x, sign); }
  mlir::Value hasSign(mlir::Value x) { // also -0
    return b.create<mlir::arith::CmpIOp>(mlir::arith::CmpIPredicate::slt, bits(x), word(0));
  }
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value x, mlir::Value y) {
    return b.createOrFold<mlir::arith::CmpFOp>(predicate, x, y);
  }
  mlir::Value isBelow(mlir::Value x, double y) { return compare(mlir::arith::CmpFPredicate::OLT, x, number(y)); }
  mlir::Value isEqual(mlir::Value x, double y) { return compare(mlir::arith::CmpFPredicate::OEQ, x, number(y)); }
  mlir::Value both(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::AndIOp>(x, y); }
  mlir::Value either(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::OrIOp>(x, y); }
  mlir::Value oneOf(mlir::Value x, mlir::Value y) { return b.createOrFold<mlir::arith::XOrIOp>(x, y); }
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y) {
    return b.createOrFold<mlir::arith::SelectOp>(condition, x, y);
  }

  // coefficients[0] + coefficients[1] * x + ...
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<double> coefficients) {
    mlir::Value sum = number(coefficients.back());
    for (double coefficient : llvm::reverse(coefficients.drop_back()))
      sum = add(mul(sum, x), number(coefficient));
    return sum;
  }

  // As IEEE 754 has it: a sign, eight bits of exponent, 23 of the mantissa.
  mlir::Value word(int64_t value) { return b.create<mlir::arith::ConstantIntOp>(value, 32); }
  mlir::Value bits(mlir::Value x) { return b.createOrFold<mlir::arith::BitcastOp>(b.getI32Type(), x); }
  mlir::Value ofBits(mlir::Value word) { return b.createOrFold<mlir::arith::BitcastOp>(b.getF32Type(), word); }

  mlir::ImplicitLocOpBuilder &b;
};

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_SPIRV_REALS_H
