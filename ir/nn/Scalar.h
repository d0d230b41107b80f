// The vocabulary of scalar bodies: arithmetic on one element, as arith and math ops on signless types.
//
// ONNX's signedness lives on the tensor types of nn; the builder keeps it here and picks the signed or unsigned op.
// Integer division truncates, additions wrap, float maximum and minimum propagate NaN, as ONNX Runtime does.
#ifndef AOTC_IR_NN_SCALAR_H
#define AOTC_IR_NN_SCALAR_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace aotc::scalar {

class Builder {
public:
  // operands, result: the tensor types of the op whose body is built.
  Builder(mlir::OpBuilder &builder, mlir::Location loc, mlir::TypeRange operands, mlir::Type result);

  mlir::Value constant(double value);

  mlir::Value add(mlir::Value x, mlir::Value y);
  mlir::Value sub(mlir::Value x, mlir::Value y);
  mlir::Value mul(mlir::Value x, mlir::Value y);
  mlir::Value div(mlir::Value x, mlir::Value y);
  mlir::Value max(mlir::Value x, mlir::Value y);
  mlir::Value min(mlir::Value x, mlir::Value y);
  mlir::Value neg(mlir::Value x);
  mlir::Value abs(mlir::Value x);

  mlir::Value exp(mlir::Value x);
  mlir::Value log(mlir::Value x);
  mlir::Value sqrt(mlir::Value x);
  mlir::Value tanh(mlir::Value x);
  mlir::Value erf(mlir::Value x);
  mlir::Value floor(mlir::Value x);
  mlir::Value ceil(mlir::Value x);
  // 1 / (1 + exp(-x)), written so; the printer of vector code recognises it.
  mlir::Value sigmoid(mlir::Value x);

  // Comparisons give i1. Comparisons with NaN are false.
  mlir::Value equal(mlir::Value x, mlir::Value y);
  mlir::Value less(mlir::Value x, mlir::Value y);
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y);
  mlir::Value bitAnd(mlir::Value x, mlir::Value y);
  mlir::Value bitOr(mlir::Value x, mlir::Value y);
  mlir::Value logicalNot(mlir::Value x);

  // Converts from the first operand's to the result's element type. Float to integer truncates and saturates; anything
  // to bool is "not zero".
  mlir::Value cast(mlir::Value x);
  // x, a float, rounded to a number of the narrower float type `format`.
  mlir::Value roundTo(mlir::Value x, mlir::Type format);

private:
  bool isFloat(mlir::Value x) const { return mlir::isa<mlir::FloatType>(x.getType()); }

  mlir::OpBuilder &builder;
  mlir::Location loc;
  mlir::Type operandElement, resultElement;
};

// The signless type that linalg, kern and memrefs use for an ONNX element type.
mlir::Type signless(mlir::Type element);

} // namespace aotc::scalar

#endif
