// Quantization: q = saturate(round_half_even(x / scale) + zero_point), x = (q - zero_point) * scale.
#ifndef AOTC_IR_NN_QUANTIZATION
#define AOTC_IR_NN_QUANTIZATION

include "ir/nn/Base.td"

// scale: a scalar, a vector along `axis`, or one value per `block_size` elements along `axis` (0: no blocks).
class NN_Quantization<string mnemonic, dag more> : NN_InferredOp<mnemonic> {
  let arguments = !con((ins NN_Tensor:$x, NN_Tensor:$scale, Optional<NN_Tensor>:$zero_point, I64Attr:$axis,
                        I64Attr:$block_size), more);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def NN_QuantizeOp : NN_Quantization<"quantize", (ins TypeAttr:$to)>;
def NN_DequantizeOp : NN_Quantization<"dequantize", (ins)>;

#endif
