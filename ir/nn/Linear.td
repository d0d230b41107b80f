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

// Integers are of up to 32 bits. A zero point is of its operand's type, and of one element where it holds for all.
def NN_IntegerMatMulOp : NN_InferredOp<"integer_matmul"> {
  let summary = "the matrix product of a - a_zero_point and b - b_zero_point in i32, which wraps around";
  let description = "a_zero_point has an element for all or each row of a matrix, b_zero_point for all or each column.";
  let arguments = (ins NN_Tensor:$a, NN_Tensor:$b, NN_Tensor:$a_zero_point, NN_Tensor:$b_zero_point);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif
