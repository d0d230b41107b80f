// Matrix products.
#ifndef AOTC_IR_NN_LINEAR
#define AOTC_IR_NN_LINEAR

include "ir/nn/Base.td"

def NN_MatMulOp : NN_InferredOp<"matmul", "MatMul"> {
  let summary = "matrix product with the broadcasting rules of numpy.matmul";
  let arguments = (ins NN_Tensor:$a, NN_Tensor:$b);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif
