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

def NN_IntegerConvOp : NN_InferredOp<"integer_conv"> {
  let summary = "convolution of x - x_zero_point and weights - weights_zero_point in i32, which wraps around";
  let description = [{
    x [N, C, spatial…] and weights [O, C / group, spatial…], integers of up to 32 bits, and zero points of their types:
    x_zero_point of one element, weights_zero_point of one or of O. What is padded counts as the zero point.
  }];
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$weights, NN_Tensor:$x_zero_point, NN_Tensor:$weights_zero_point,
                   DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, I64Attr:$group);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif
