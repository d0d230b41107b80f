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
    ::mlir::Value $cppClass::buildScalar(::mlir::OpBuilder &builder, ::mlir::Location loc, ::mlir::ValueRange args) {
      [[maybe_unused]] scalar::Builder s(builder, loc, (*this)->getOperandTypes(), getResult().getType());
  }] # scalarBody # [{
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

// ------------------------------------------------------------------------------------------------------------- functions
def NN_ExpOp : NN_Unary<"exp", "Exp", "return s.exp(args[0]);">;
def NN_LogOp : NN_Unary<"log", "Log", "return s.log(args[0]);">;
def NN_SqrtOp : NN_Unary<"sqrt", "Sqrt", "return s.sqrt(args[0]);">;
def NN_TanhOp : NN_Unary<"tanh", "Tanh", "return s.tanh(args[0]);">;
def NN_ErfOp : NN_Unary<"erf", "Erf", "return s.erf(args[0]);">;
def NN_FloorOp : NN_Unary<"floor", "Floor", "return s.floor(args[0]);">;
def NN_CeilOp : NN_Unary<"ceil", "Ceil", "return s.ceil(args[0]);">;

// ------------------------------------------------------------------------------------------------------------ activations
def NN_ReluOp : NN_Unary<"relu", "Relu", "return s.max(s.constant(0.0), args[0]);">;
def NN_SigmoidOp : NN_Unary<"sigmoid", "Sigmoid", "return s.sigmoid(args[0]);">;
def NN_LeakyReluOp : NN_Unary<"leaky_relu", "LeakyRelu", [{
      ::mlir::Value scaled = s.mul(args[0], s.constant(getAlpha().convertToDouble()));
      return s.select(s.less(args[0], s.constant(0.0)), scaled, args[0]);
    }]> {
  let arguments = (ins NN_Tensor:$x, DefaultValuedAttr<F32Attr, "0.01f">:$alpha);
}
def NN_PReluOp : NN_Binary<"prelu", "PRelu",
    "return s.select(s.less(args[0], s.constant(0.0)), s.mul(args[0], args[1]), args[0]);">;
// max(0, min(1, alpha * x + beta))
def NN_HardSigmoidOp : NN_Unary<"hard_sigmoid", "HardSigmoid", [{
      ::mlir::Value line = s.add(s.mul(args[0], s.constant(getAlpha().convertToDouble())), s.constant(getBeta().convertToDouble()));
      return s.max(s.constant(0.0), s.min(s.constant(1.0), line));
    }]> {
  let arguments = (ins NN_Tensor:$x, DefaultValuedAttr<F32Attr, "0.2f">:$alpha, DefaultValuedAttr<F32Attr, "0.5f">:$beta);
}
// x * max(0, min(1, x / 6 + 0.5))
def NN_HardSwishOp : NN_Unary<"hard_swish", "HardSwish", [{
      ::mlir::Value line = s.add(s.mul(args[0], s.constant(1.0 / 6.0)), s.constant(0.5));
      return s.mul(args[0], s.max(s.constant(0.0), s.min(s.constant(1.0), line)));
    }]>;
// x * sigmoid(x)
def NN_SiluOp : NN_Unary<"silu", "", "return s.mul(args[0], s.sigmoid(args[0]));">;

// ------------------------------------------------------------------------------------------------- comparison and logic
def NN_EqualOp : NN_Compare<"equal", "Equal", "return s.equal(args[0], args[1]);">;
def NN_LessOp : NN_Compare<"less", "Less", "return s.less(args[0], args[1]);">;
def NN_GreaterOp : NN_Compare<"greater", "Greater", "return s.less(args[1], args[0]);">;
def NN_AndOp : NN_Binary<"and", "And", "return s.bitAnd(args[0], args[1]);">;
def NN_OrOp : NN_Binary<"or", "Or", "return s.bitOr(args[0], args[1]);">;
def NN_NotOp : NN_Unary<"not", "Not", "return s.logicalNot(args[0]);">;
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
