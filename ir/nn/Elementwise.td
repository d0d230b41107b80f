// Element-wise ops. A row is an op: its ONNX name, its operands and the scalar body in terms of ir/nn/Scalar.h.
#ifndef AOTC_IR_NN_ELEMENTWISE
#define AOTC_IR_NN_ELEMENTWISE

include "ir/nn/Base.td"

class NN_Elementwise<string mnemonic, string onnxOperator, code body>
    : NN_InferredOp<mnemonic, onnxOperator,
                    [DeclareOpInterfaceMethods<NN_ElementwiseInterface>, DeclareOpInterfaceMethods<NN_PermutableInterface>]> {
  let results = (outs NN_Tensor:$result);
  code scalarBody = body;
  // The result's element type, from the operands'.
  code resultElement = "return ::llvm::cast<::mlir::RankedTensorType>(operands.back().getType()).getElementType();";
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = [{
    ::mlir::Value $cppClass::buildScalar(::mlir::OpBuilder &builder, ::mlir::Location loc, ::mlir::ValueRange values) {
      scalar::Builder s(builder, loc, (*this)->getOperandTypes(), getResult().getType());
      auto args = s.arguments(values);
      auto body = [&]() -> scalar::Element { }] # scalarBody # [{ };
      return body().value;
    }
    ::mlir::LogicalResult $cppClass::inferReturnTypes(::mlir::MLIRContext *, std::optional<::mlir::Location> loc,
                                                      Adaptor adaptor, ::llvm::SmallVectorImpl<::mlir::Type> &types) {
      ::mlir::ValueRange operands = adaptor.getOperands();
      auto element = [&]() -> ::mlir::Type { }] # resultElement # [{ };
      return inferBroadcast(loc, operands, element(), sameOperandTypes, types);
    }
    ::mlir::Operation *$cppClass::permute(::mlir::OpBuilder &builder, ::mlir::ValueRange operands,
                                          ::llvm::ArrayRef<int64_t>) {
      return rebuildOn(builder, *this, operands);
    }
  }];
  // Whether all operands must have one element type (checked with a message that names both).
  bit sameTypes = 1;
  let moreClassDeclaration = "static constexpr bool sameOperandTypes = " # !if(sameTypes, "true", "false") # ";\n";
}

class NN_Unary<string mnemonic, string onnxOperator, code body> : NN_Elementwise<mnemonic, onnxOperator, body> {
  let arguments = (ins NN_Tensor:$x);
}
class NN_Binary<string mnemonic, string onnxOperator, code body> : NN_Elementwise<mnemonic, onnxOperator, body> {
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$y);
}
class NN_Compare<string mnemonic, string onnxOperator, code body> : NN_Binary<mnemonic, onnxOperator, body> {
  let resultElement = "return ::mlir::IntegerType::get(operands.front().getContext(), 1);";
}

// ------------------------------------------------------------------------------------------------------------- arithmetic
def NN_AddOp : NN_Binary<"add", "Add", "return s.add(args[0], args[1]);">;
def NN_SubOp : NN_Binary<"sub", "Sub", "return s.sub(args[0], args[1]);">;
def NN_MulOp : NN_Binary<"mul", "Mul", "return s.mul(args[0], args[1]);">;
def NN_DivOp : NN_Binary<"div", "Div", "return s.div(args[0], args[1]);">;
def NN_MaxOp : NN_Binary<"max", "", "return s.max(args[0], args[1]);">;
def NN_MinOp : NN_Binary<"min", "", "return s.min(args[0], args[1]);">;
def NN_NegOp : NN_Unary<"neg", "Neg", "return s.neg(args[0]);">;
def NN_AbsOp : NN_Unary<"abs", "Abs", "return s.abs(args[0]);">;
def NN_SignOp : NN_Unary<"sign", "Sign", "return s.sign(args[0]);">;
// The remainder of a truncated quotient, and that with the divisor's sign.
def NN_RemainderOp : NN_Binary<"remainder", "", "return s.remainder(args[0], args[1]);">;
def NN_ModuloOp : NN_Binary<"modulo", "", "return s.modulo(args[0], args[1]);">;
// Of the type of x; in double where x and y are not of one float type.
def NN_PowOp : NN_Binary<"pow", "", "return s.pow(args[0], args[1]);"> {
  let resultElement = "return ::llvm::cast<::mlir::RankedTensorType>(operands.front().getType()).getElementType();";
  let sameTypes = 0;
}

// ------------------------------------------------------------------------------------------------------------- functions
def NN_ExpOp : NN_Unary<"exp", "Exp", "return s.exp(args[0]);">;
def NN_LogOp : NN_Unary<"log", "Log", "return s.log(args[0]);">;
def NN_SqrtOp : NN_Unary<"sqrt", "Sqrt", "return s.sqrt(args[0]);">;
def NN_TanhOp : NN_Unary<"tanh", "Tanh", "return s.tanh(args[0]);">;
def NN_ErfOp : NN_Unary<"erf", "Erf", "return s.erf(args[0]);">;
def NN_FloorOp : NN_Unary<"floor", "Floor", "return s.floor(args[0]);">;
def NN_CeilOp : NN_Unary<"ceil", "Ceil", "return s.ceil(args[0]);">;
def NN_RoundOp : NN_Unary<"round", "Round", "return s.roundEven(args[0]);">;
def NN_SinOp : NN_Unary<"sin", "Sin", "return s.sin(args[0]);">;
def NN_CosOp : NN_Unary<"cos", "Cos", "return s.cos(args[0]);">;
def NN_TanOp : NN_Unary<"tan", "Tan", "return s.tan(args[0]);">;
def NN_AsinOp : NN_Unary<"asin", "Asin", "return s.asin(args[0]);">;
def NN_AcosOp : NN_Unary<"acos", "Acos", "return s.acos(args[0]);">;
def NN_AtanOp : NN_Unary<"atan", "Atan", "return s.atan(args[0]);">;
def NN_SinhOp : NN_Unary<"sinh", "Sinh", "return s.sinh(args[0]);">;
def NN_CoshOp : NN_Unary<"cosh", "Cosh", "return s.cosh(args[0]);">;
def NN_AsinhOp : NN_Unary<"asinh", "Asinh", "return s.asinh(args[0]);">;
def NN_AcoshOp : NN_Unary<"acosh", "Acosh", "return s.acosh(args[0]);">;
def NN_AtanhOp : NN_Unary<"atanh", "Atanh", "return s.atanh(args[0]);">;

// ------------------------------------------------------------------------------------------------------------ activations
def NN_ReluOp : NN_Unary<"relu", "Relu", "return s.max(s.constant(0.0), args[0]);">;
def NN_SigmoidOp : NN_Unary<"sigmoid", "Sigmoid", "return s.sigmoid(args[0]);">;
def NN_LeakyReluOp : NN_Unary<"leaky_relu", "LeakyRelu", [{
      auto scaled = s.mul(args[0], s.constant(getAlpha().convertToDouble()));
      return s.select(s.less(args[0], s.constant(0.0)), scaled, args[0]);
    }]> {
  let arguments = (ins NN_Tensor:$x, DefaultValuedAttr<F32Attr, "0.01f">:$alpha);
}
def NN_PReluOp : NN_Binary<"prelu", "PRelu",
    "return s.select(s.less(args[0], s.constant(0.0)), s.mul(args[0], args[1]), args[0]);">;
// max(0, min(1, alpha * x + beta))
def NN_HardSigmoidOp : NN_Unary<"hard_sigmoid", "HardSigmoid", [{
      auto line = s.add(s.mul(args[0], s.constant(getAlpha().convertToDouble())), s.constant(getBeta().convertToDouble()));
      return s.max(s.constant(0.0), s.min(s.constant(1.0), line));
    }]> {
  let arguments = (ins NN_Tensor:$x, DefaultValuedAttr<F32Attr, "0.2f">:$alpha, DefaultValuedAttr<F32Attr, "0.5f">:$beta);
}
// x * max(0, min(1, x / 6 + 0.5))
def NN_HardSwishOp : NN_Unary<"hard_swish", "HardSwish", [{
      auto line = s.add(s.mul(args[0], s.constant(1.0 / 6.0)), s.constant(0.5));
      return s.mul(args[0], s.max(s.constant(0.0), s.min(s.constant(1.0), line)));
    }]>;
// x * sigmoid(x)
def NN_SiluOp : NN_Unary<"silu", "", "return s.mul(args[0], s.sigmoid(args[0]));">;
def NN_SoftplusOp : NN_Unary<"softplus", "Softplus", "return s.softplus(args[0]);">;
// x / (1 + |x|)
def NN_SoftsignOp : NN_Unary<"softsign", "Softsign",
    "return s.div(args[0], s.add(s.constant(1.0), s.abs(args[0])));">;
// x, or alpha * (exp(x) - 1) where that is negative
def NN_EluOp : NN_Unary<"elu", "Elu", [{
      auto below = s.mul(s.constant(getAlpha().convertToDouble()), s.expm1(args[0]));
      return s.select(s.less(args[0], s.constant(0.0)), below, args[0]);
    }]> {
  let arguments = (ins NN_Tensor:$x, DefaultValuedAttr<F32Attr, "1.0f">:$alpha);
}
// gamma times the above
def NN_SeluOp : NN_Unary<"selu", "Selu", [{
      auto below = s.mul(s.constant(getAlpha().convertToDouble()), s.expm1(args[0]));
      auto shape = s.select(s.less(args[0], s.constant(0.0)), below, args[0]);
      return s.mul(s.constant(getGamma().convertToDouble()), shape);
    }]> {
  let arguments = (ins NN_Tensor:$x, DefaultValuedAttr<F32Attr, "1.67326319217681884765625f">:$alpha,
                   DefaultValuedAttr<F32Attr, "1.05070102214813232421875f">:$gamma);
}
// max(0, x) + min(0, alpha * (exp(x / alpha) - 1))
def NN_CeluOp : NN_Unary<"celu", "Celu", [{
      auto alpha = s.constant(getAlpha().convertToDouble());
      auto below = s.mul(alpha, s.expm1(s.div(args[0], alpha)));
      return s.add(s.max(s.constant(0.0), args[0]), s.min(s.constant(0.0), below));
    }]> {
  let arguments = (ins NN_Tensor:$x, DefaultValuedAttr<F32Attr, "1.0f">:$alpha);
}
// x, or 0 where it is not above alpha
def NN_ThresholdedReluOp : NN_Unary<"thresholded_relu", "ThresholdedRelu", [{
      return s.select(s.less(s.constant(getAlpha().convertToDouble()), args[0]), args[0], s.constant(0.0));
    }]> {
  let arguments = (ins NN_Tensor:$x, DefaultValuedAttr<F32Attr, "1.0f">:$alpha);
}
// x moved towards 0 by bias, and 0 from -lambd to lambd
def NN_ShrinkOp : NN_Unary<"shrink", "", [{
      auto lambd = s.constant(getLambd().convertToDouble()), bias = s.constant(getBias().convertToDouble());
      auto above = s.select(s.less(lambd, args[0]), s.sub(args[0], bias), s.constant(0.0));
      return s.select(s.less(args[0], s.neg(lambd)), s.add(args[0], bias), above);
    }]> {
  let arguments = (ins NN_Tensor:$x, F32Attr:$lambd, F32Attr:$bias);
}
// x / 2 * (1 + erf(x / sqrt(2)))
def NN_GeluOp : NN_Unary<"gelu", "", [{
      auto sum = s.add(s.constant(1.0), s.erf(s.mul(args[0], s.constant(0.70710678118654752))));
      return s.mul(s.mul(s.constant(0.5), args[0]), sum);
    }]>;
// x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))
def NN_GeluTanhOp : NN_Unary<"gelu_tanh", "", [{
      auto cube = s.mul(s.mul(args[0], args[0]), args[0]);
      auto inner = s.mul(s.constant(0.79788456080286536), s.add(args[0], s.mul(s.constant(0.044715), cube)));
      return s.mul(s.mul(s.constant(0.5), args[0]), s.add(s.constant(1.0), s.tanh(inner)));
    }]>;
// x * tanh(softplus(x)). With t = exp(-|x|) that is x * (1 + 2 t) / (1 + 2 t + 2 t^2) above 0, x * t (t + 2) / (t (t + 2) + 2)
// below: nothing overflows or cancels.
def NN_MishOp : NN_Unary<"mish", "Mish", [{
      auto two = s.constant(2.0), t = s.exp(s.neg(s.abs(args[0])));
      auto isBelow = s.less(args[0], s.constant(0.0));
      auto numerator = s.select(isBelow, s.mul(t, s.add(t, two)), s.add(s.constant(1.0), s.mul(two, t)));
      auto rest = s.select(isBelow, two, s.mul(two, s.mul(t, t)));
      return s.div(s.mul(args[0], numerator), s.add(numerator, rest));
    }]>;

// ------------------------------------------------------------------------------------------------- comparison and logic
def NN_EqualOp : NN_Compare<"equal", "Equal", "return s.equal(args[0], args[1]);">;
def NN_LessOp : NN_Compare<"less", "Less", "return s.less(args[0], args[1]);">;
def NN_GreaterOp : NN_Compare<"greater", "Greater", "return s.less(args[1], args[0]);">;
def NN_AndOp : NN_Binary<"and", "And", "return s.bitAnd(args[0], args[1]);">;
def NN_OrOp : NN_Binary<"or", "Or", "return s.bitOr(args[0], args[1]);">;
def NN_XorOp : NN_Binary<"xor", "Xor", "return s.bitXor(args[0], args[1]);">;
def NN_NotOp : NN_Unary<"not", "Not", "return s.complement(args[0]);">;
// All bits are gone where y is the width or more.
def NN_ShiftLeftOp : NN_Binary<"shift_left", "", "return s.shiftLeft(args[0], args[1]);">;
def NN_ShiftRightOp : NN_Binary<"shift_right", "", "return s.shiftRight(args[0], args[1]);">;
def NN_IsNaNOp : NN_Unary<"is_nan", "IsNaN", "return s.isNan(args[0]);"> {
  let resultElement = "return ::mlir::IntegerType::get(operands.front().getContext(), 1);";
}
// Integers that are not 0 stand for true.
def NN_IsInfOp : NN_Unary<"is_inf", "IsInf", [{
      double infinity = std::numeric_limits<double>::infinity();
      auto isNegative = s.equal(args[0], s.constant(-infinity)), isPositive = s.equal(args[0], s.constant(infinity));
      if (!getDetectPositive())
        return getDetectNegative() ? isNegative : s.less(args[0], args[0]); // never
      return getDetectNegative() ? s.bitOr(isNegative, isPositive) : isPositive;
    }]> {
  let arguments = (ins NN_Tensor:$x, DefaultValuedAttr<I64Attr, "1">:$detect_negative,
                   DefaultValuedAttr<I64Attr, "1">:$detect_positive);
  let resultElement = "return ::mlir::IntegerType::get(operands.front().getContext(), 1);";
}
def NN_WhereOp : NN_Elementwise<"where", "Where", "return s.select(args[0], args[1], args[2]);"> {
  let arguments = (ins NN_Tensor:$condition, NN_Tensor:$x, NN_Tensor:$y);
  let sameTypes = 0;
}

// -------------------------------------------------------------------------------------------------------------- conversion
def NN_CastOp : NN_Unary<"cast", "", "return s.cast(args[0]);"> {
  let arguments = (ins NN_Tensor:$x, TypeAttr:$to);
  let resultElement = "return adaptor.getTo();";
}

#endif
