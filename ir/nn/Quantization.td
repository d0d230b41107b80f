// Quantization: q = saturate(round_half_even(x / scale) + zero_point), x = (q - zero_point) * scale.
#ifndef AOTC_IR_NN_QUANTIZATION
#define AOTC_IR_NN_QUANTIZATION

include "ir/nn/Base.td"

// scale: a scalar, a vector along `axis`, or one value per `block_size` elements along `axis` (0: no blocks). Without
// blocks, a scale of x's own rank broadcasts to x, whatever the axis.
class NN_Quantization<string mnemonic, dag more>
    : NN_InferredOp<mnemonic, "", [DeclareOpInterfaceMethods<NN_PermutableInterface>]> {
  let arguments = !con((ins NN_Tensor:$x, NN_Tensor:$scale, Optional<NN_Tensor>:$zero_point, I64Attr:$axis,
                        I64Attr:$block_size), more);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def NN_QuantizeOp : NN_Quantization<"quantize", (ins TypeAttr:$to)>;
def NN_DequantizeOp : NN_Quantization<"dequantize", (ins)>;

def NN_DynamicScaleOp : NN_InferredOp<"dynamic_scale"> {
  let summary = "what x, f32, is quantized to unsigned bytes by when the model runs";
  let description = [{
    With low and high the ends of x and 0, scale = (high - low) / 255, or 1 where they are equal, and zero_point =
    saturate(round_half_even(-low / scale)): two scalars, as ONNX's DynamicQuantizeLinear has them, rounding for rounding.
    x has dimensions.
  }];
  let arguments = (ins NN_Tensor:$x);
  let results = (outs NN_Tensor:$scale, NN_Tensor:$zero_point);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

// Made by lowering/precision too.
def NN_QuantizedMatMulOp : NN_InferredOp<"quantized_matmul"> {
  let summary = "sum over k of (x - x_zero_point) * weights, exact in 32 bits, as f32";
  let description = [{
    x [..., m, k], 8-bit, with one zero point x_zero_point [1] of its type; weights [k, n], constant 16-bit integers that fit
    into 8, less their own zero points. Sums wrap around.
  }];
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$weights, NN_Tensor:$x_zero_point);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

// A convolution whose products are summed as integers; lowering/precision makes it of a dequantized one, and of what
// quantizes its results.
def NN_QuantizedConvOp : NN_InferredOp<"quantized_conv", "", [AttrSizedOperandSegments]> {
  let summary = "clamp(round_half_even((sum of (x - zero point of x) * weights + bias) * scale + shift) + zero_point, low, high)";
  let description = [{
    The zero point of x is x_zero, [1] of its type, where only the run knows it, and the attribute x_zero_point else.
    x, 8-bit, and weights, 16-bit and less their own zero point, as in nn.conv; bias [O], i32; scale and shift [O], f32, the
    latter for what is no whole number in a bias, where there is one. The sum and
    the bias are exact in 32 bits, which wrap; the rest is f32. The result is of the 8-bit type `to`, which holds `low`
    and `high`; or f32, sum * scale + shift. docs/quantization.md is the whole model.
  }];
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$weights, NN_Tensor:$bias, NN_Tensor:$scale,
                   Optional<NN_Tensor>:$shift, Optional<NN_Tensor>:$x_zero, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations, I64Attr:$group,
                   UnitAttr:$channels_last, I64Attr:$x_zero_point, I64Attr:$zero_point, I64Attr:$low, I64Attr:$high,
                   TypeAttr:$to);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = [{
    $x `,` $weights `,` $bias `,` $scale (`shift` $shift^)? (`x_zero` $x_zero^)? attr-dict `:`
    functional-type(operands, results)
  }];
}

#endif
