// Values out of tables that are known when compiling.
#ifndef AOTC_IR_NN_LOOKUP
#define AOTC_IR_NN_LOOKUP

include "ir/nn/Base.td"

def NN_TopClassOp : NN_InferredOp<"top_class"> {
  let summary = "the label of the largest element of each row, the first one of equals: i64 [rows]";
  let arguments = (ins NN_Tensor:$x, DenseI64ArrayAttr:$labels);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def NN_LookupOp : NN_InferredOp<"lookup"> {
  let summary = "values[i] for each element of x that is keys[i]";
  let description = [{
    keys [n] are sorted, each there once, without NaN, and constant. values [n + 2] end with the value for NaN and the one for
    everything else.
  }];
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$keys, NN_Tensor:$values);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif
