// Reductions and the normalisations built on them.
#ifndef AOTC_IR_NN_REDUCTION
#define AOTC_IR_NN_REDUCTION

include "ir/nn/Base.td"

def NN_ReduceKind : I32EnumAttr<"ReduceKind", "what a reduction computes",
    [I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Mean", 1, "mean">, I32EnumAttrCase<"Max", 2, "max">,
     I32EnumAttrCase<"Min", 3, "min">, I32EnumAttrCase<"Product", 4, "product">]> {
  let cppNamespace = "::aotc::nn";
}

def NN_ReduceOp : NN_InferredOp<"reduce", "", [DeclareOpInterfaceMethods<NN_PermutableInterface>]> {
  let summary = "sum, mean, maximum, minimum or product over `axes` (sorted, not negative)";
  let arguments = (ins NN_Tensor:$x, NN_ReduceKind:$kind, DenseI64ArrayAttr:$axes, BoolAttr:$keepdims);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "$kind operands attr-dict `:` functional-type(operands, results)";
}

def NN_SoftmaxOp : NN_InferredOp<"softmax", "", [DeclareOpInterfaceMethods<NN_PermutableInterface>]> {
  let summary = "exp(x - max) / sum(exp(x - max)) along `axis` (not negative), or the logarithm of that";
  let arguments = (ins NN_Tensor:$x, I64Attr:$axis, UnitAttr:$logarithm);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def NN_CumulateOp : NN_InferredOp<"cumulate", "", [DeclareOpInterfaceMethods<NN_PermutableInterface>]> {
  let summary = "the sum or product of all elements up to each one along `axis` (not negative)";
  let description = [{
    `exclusive`: without the element itself; `reverse`: from it to the end. `kind` is sum or product.
  }];
  let arguments = (ins NN_Tensor:$x, NN_ReduceKind:$kind, I64Attr:$axis, BoolAttr:$exclusive, BoolAttr:$reverse);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "$kind operands attr-dict `:` functional-type(operands, results)";
}

#endif
