// Convolution.
#ifndef AOTC_IR_NN_CONVOLUTION
#define AOTC_IR_NN_CONVOLUTION

include "ir/nn/Base.td"

def NN_ConvOp : NN_InferredOp<"conv"> {
  let summary = "convolution over one or more spatial dimensions";
  let description = [{
    x [N, C, spatial…], or [N, spatial…, C] with `channels_last`, as is the result; weights [O, C / group, spatial…] in either
    case; bias [O]. `pads` holds all begins, then all ends. Attributes have one entry per spatial dimension.
  }];
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$weights, Optional<NN_Tensor>:$bias,
                   DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, I64Attr:$group,
                   UnitAttr:$channels_last);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif
