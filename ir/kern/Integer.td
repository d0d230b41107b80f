// Integers of 8 bits: products and convolutions of them, and how they come from real numbers.
#ifndef AOTC_IR_KERN_INTEGER
#define AOTC_IR_KERN_INTEGER

include "ir/kern/Convolution.td"

// The one op of kern that is no call: a number in the body of an element-wise step, or in an epilogue.
def KERN_QuantizeOp : Op<KERN_Dialect, "quantize", [Pure]> {
  let summary = "clamp(round_half_even(value) + zero_point, low, high) as 8 bits, signed or not; NaN becomes low";
  let description = "zero_point is a whole number.";
  let arguments = (ins F32:$value, F32:$zero_point, I64Attr:$low, I64Attr:$high);
  let results = (outs I8:$result);
  let assemblyFormat = "$value `,` $zero_point attr-dict";
}

def KERN_IntegerMatMulOp : KERN_EpilogueOp<"integer_matmul", "integer_matmul_packed", "\"b\", \"m\", \"n\""> {
  let summary = "out[b, m, n] = sum over k of (a[b, m, k] - a_zero) * w[k, n], exact in 32 bits";
  let description = [{
    a [batch, m, k] of 8 bits, k a multiple of 4, with one zero point a_zero [1] of its type; out [batch, m, n], f32 or 8 bits.
    Sums wrap around; the epilogue gets them as f32. Weights are constant, 16-bit [1, k, n] of integers that fit into 8, less
    their own zero points, until lowering/select packs them, in panels of 16 columns and words of 4 rows, and fills
    `weight_sums`, 32-bit [n]. Kernels without products of bytes widen `widened_rows` rows of a at a time, unless it is 0.
  }];
  let moreClassDeclaration = [{
    int64_t getMacs(::aotc::kern::ExtentOf extentOf);
    int64_t getScratchBytesPerThread();
  }];
  let arguments = (ins KERN_Shaped:$a, KERN_Shaped:$weights, KERN_Shaped:$weight_sums, KERN_Shaped:$a_zero,
                   Variadic<KERN_Shaped>:$extras, KERN_Shaped:$out, UnitAttr:$a_unsigned, AffineMapArrayAttr:$extra_maps,
                   DefaultValuedOptionalAttr<I64Attr, "0">:$widened_rows);
  let assemblyFormat = [{
    `ins` `(` operands `)` (`epilogue` $epilogue^)? attr-dict `:` functional-type(operands, results)
  }];
}

def KERN_IntegerConvKind : I32EnumAttr<"IntegerConvKind", "the kernel of a convolution of integers",
    [I32EnumAttrCase<"Direct", 0, "direct">, I32EnumAttrCase<"Depthwise", 1, "depthwise">]> {
  let cppNamespace = "::aotc::kern";
}

def KERN_IntegerConv2DOp : KERN_WindowOp<"integer_conv2d", "",
    (ins KERN_Shaped:$x, KERN_Shaped:$weights, KERN_Shaped:$offsets, Optional<KERN_Shaped>:$x_zero),
    (ins I64Attr:$groups, KERN_IntegerConvKind:$kind, UnitAttr:$x_unsigned, I64Attr:$x_zero_point,
         DefaultValuedOptionalAttr<I64Attr, "1">:$block_rows, UnitAttr:$joins_taps, UnitAttr:$widens_rows),
    [AttrSizedOperandSegments]> {
  let summary = "2-D convolution of 8-bit integers, exact in 32 bits";
  let description = [{
    x [n, h, w, c] of 8 bits, out [n, h, w, o] of 8 bits or f32. The sums of (x - zero point) * weights, plus one of the
    offsets for each filter, wrap around in 32 bits; the epilogue gets them as f32. The zero point is x_zero, [1] of x's
    type, if it is there, and x_zero_point else. Taps outside the image count as the zero point.

    Weights are 16-bit [o, c / groups, kh, kw], less their own zero point, and offsets 32-bit [o] until lowering/select
    chooses a kernel and packs both for it (see the kernels' headers), with `block_rows` rows of output to a unit. Kernels
    without products of bytes widen the rows of input of a unit if `widens_rows`.
  }];
  let moreClassDeclaration = [{
    int64_t getMacs(::aotc::kern::ExtentOf extentOf);
    int64_t getScratchBytesPerThread();
    bool acceptsStrides() { return true; }
  }];
}

#endif
