// Ops that look for elements and give their places.
#ifndef AOTC_IR_NN_SEARCH
#define AOTC_IR_NN_SEARCH

include "ir/nn/Base.td"

def NN_TopKOp : NN_InferredOp<"top_k"> {
  let summary = "the k largest or smallest elements along `axis`, in order, and their indices (i64)";
  let description = "Equal elements come in the order of their indices; NaN counts as larger than all numbers.";
  let arguments = (ins NN_Tensor:$x, I64Attr:$k, I64Attr:$axis, BoolAttr:$largest);
  let results = (outs NN_Tensor:$values, NN_Tensor:$indices);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif
