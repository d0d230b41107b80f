// Numbers kept to a narrower type. The importer computes what ONNX does in float16, bfloat16 or float8 in f32, and rounds at
// the end of each ONNX node.
#ifndef AOTC_IR_NN_PRECISION
#define AOTC_IR_NN_PRECISION

include "ir/nn/Elementwise.td"

def NN_RoundToOp : NN_Unary<"round_to", "", "return s.roundTo(args[0], getFormat());"> {
  let summary = "the nearest number of the float type `format`, ties to even, as f32";
  let arguments = (ins NN_Tensor:$x, TypeAttr:$format);
}

#endif
