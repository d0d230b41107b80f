// Ops that look for elements and give their places.
#ifndef AOTC_IR_NN_SEARCH
#define AOTC_IR_NN_SEARCH

include "ir/nn/Base.td"

def NN_TopKOp : NN_InferredOp<"top_k"> {
  let summary = "the k largest or smallest elements along `axis`, in order, and their indices (i64)";
  let description = [{
    Equal elements come in the order of their indices; NaN counts as larger than all numbers. An unknown k (kDynamic) is that of
    `extent`, no more than there are elements.
  }];
  let arguments = (ins NN_Tensor:$x, I64Attr:$k, I64Attr:$axis, BoolAttr:$largest, OptionalAttr<AffineMapAttr>:$extent);
  let results = (outs NN_Tensor:$values, NN_Tensor:$indices);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def NN_ArgReduceOp : NN_InferredOp<"arg_reduce", "", [DeclareOpInterfaceMethods<NN_PermutableInterface>]> {
  let summary = "where along `axis` the largest or smallest element stands (i64), with an extent of 1 there";
  let description = [{
    The first one of several equal elements, or the last one. A NaN counts as larger and as smaller than all numbers. The
    axis is not empty.
  }];
  let arguments = (ins NN_Tensor:$x, I64Attr:$axis, BoolAttr:$largest, BoolAttr:$last);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif
