// The vocabulary of scalar bodies: arithmetic on one element, as arith and math ops on signless types.
//
// ONNX's signedness lives on the tensor types of nn; every element keeps its own beside the signless value, and the
// builder picks the signed or unsigned op. Integer division truncates, additions wrap, shifts by the width or more give
// 0, float maximum and minimum propagate NaN, as ONNX Runtime does.
#ifndef AOTC_IR_NN_SCALAR_H
#define AOTC_IR_NN_SCALAR_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace aotc::scalar {

// A value of a signless type, and the ONNX element type that it stands for.
struct Element {
  mlir::Value value;
  mlir::Type type;
};

class Builder {
public:
  // operands, result: the tensor types of the op whose body is built.
  Builder(mlir::OpBuilder &builder, mlir::Location loc, mlir::TypeRange operands, mlir::Type result);

  // The arguments of a body, one for each operand.
  llvm::SmallVector<Element, 4> arguments(mlir::ValueRange values) const;

  // Of the type of the last operand.
  Element constant(double value) { return constant(value, operandElements.back()); }
  Element constant(double value, mlir::Type type);

  // Both operands are of one type, which is that of the result.
  Element add(Element x, Element y);
  Element sub(Element x, Element y);
  Element mul(Element x, Element y);
  Element div(Element x, Element y);
  Element max(Element x, Element y);
  Element min(Element x, Element y);
  // x - y * (x / y) with a quotient that is truncated: the sign is that of x, or there is none.
  Element remainder(Element x, Element y);
  // The remainder with the sign of y, also where it is 0.
  Element modulo(Element x, Element y);
  Element neg(Element x);
  Element abs(Element x);
  // -1, 0 or 1; NaN for NaN.
  Element sign(Element x);

  Element exp(Element x);
  Element log(Element x);
  Element sqrt(Element x);
  Element tanh(Element x);
  Element erf(Element x);
  Element floor(Element x);
  Element ceil(Element x);
  Element roundEven(Element x);
  Element expm1(Element x);
  Element log1p(Element x);
  Element sin(Element x);
  Element cos(Element x);
  Element tan(Element x);
  Element asin(Element x);
  Element acos(Element x);
  Element atan(Element x);
  Element sinh(Element x);
  Element cosh(Element x);
  Element asinh(Element x);
  Element acosh(Element x);
  Element atanh(Element x);
  // 1 / (1 + exp(-x)), written so; the printer of vector code recognises it.
  Element sigmoid(Element x);
  // x to the power of y, of the type of x. In double where they are not both of one float type.
  Element pow(Element x, Element y);
  // log(1 + exp(x))
  Element softplus(Element x);

  // Comparisons give bool. Comparisons with NaN are false.
  Element equal(Element x, Element y);
  Element less(Element x, Element y);
  Element isNan(Element x);
  Element select(Element condition, Element x, Element y);

  // Bits, or bools.
  Element bitAnd(Element x, Element y);
  Element bitOr(Element x, Element y);
  Element bitXor(Element x, Element y);
  Element complement(Element x);
  // All bits are gone where `count` is the width or more.
  Element shiftLeft(Element x, Element count);
  Element shiftRight(Element x, Element count);

  // Converts to the result's element type, or another one. Floats that an integer type cannot hold become what x86
  // processors make of them; anything to bool is "not zero".
  Element cast(Element x) { return cast(x, resultElement); }
  Element cast(Element x, mlir::Type to);
  // x, a float, rounded to a number of the narrower float type `format`.
  Element roundTo(Element x, mlir::Type format);

private:
  mlir::Type boolType() const;

  mlir::OpBuilder &builder;
  mlir::Location loc;
  llvm::SmallVector<mlir::Type, 4> operandElements;
  mlir::Type resultElement;
};

// The signless type that linalg, kern and memrefs use for an ONNX element type.
mlir::Type signless(mlir::Type element);

} // namespace aotc::scalar

#endif
