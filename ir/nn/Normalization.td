// Normalisation of values by their own mean and variance. Scales and offsets that follow are nn.mul and nn.add.
#ifndef AOTC_IR_NN_NORMALIZATION
#define AOTC_IR_NN_NORMALIZATION

include "ir/nn/Base.td"

def NN_NormalizeOp : NN_InferredOp<"normalize", "", [DeclareOpInterfaceMethods<NN_PermutableInterface>]> {
  let summary = "(x - mean) / sqrt(variance + epsilon), both over `axes` (sorted, not negative) together";
  let description = "With `root_mean_square` the mean counts as 0: x / sqrt(mean of squares + epsilon).";
  let arguments = (ins NN_Tensor:$x, DenseI64ArrayAttr:$axes, F32Attr:$epsilon, UnitAttr:$root_mean_square);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif
