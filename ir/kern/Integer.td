// Integers of 8 bits: convolutions of them, and how they come from real numbers.
#ifndef AOTC_IR_KERN_INTEGER
#define AOTC_IR_KERN_INTEGER

include "ir/kern/Convolution.td"

// The one op of kern that is no call: a number in the body of an element-wise step, or in an epilogue.
def KERN_QuantizeOp : Op<KERN_Dialect, "quantize", [Pure]> {
  let summary = "clamp(round_half_even(value) + zero_point, low, high) as 8 bits, signed or not; NaN becomes low";
  let arguments = (ins F32:$value, I64Attr:$zero_point, I64Attr:$low, I64Attr:$high);
  let results = (outs I8:$result);
  let assemblyFormat = "$value attr-dict";
}

def KERN_IntegerConvKind : I32EnumAttr<"IntegerConvKind", "the kernel of a convolution of integers",
    [I32EnumAttrCase<"Direct", 0, "direct">, I32EnumAttrCase<"Depthwise", 1, "depthwise">]> {
  let cppNamespace = "::aotc::kern";
}

def KERN_IntegerConv2DOp : KERN_WindowOp<"integer_conv2d", "",
    (ins KERN_Shaped:$x, KERN_Shaped:$weights, KERN_Shaped:$offsets),
    (ins I64Attr:$groups, KERN_IntegerConvKind:$kind, UnitAttr:$x_unsigned, I64Attr:$x_zero_point,
         DefaultValuedOptionalAttr<I64Attr, "1">:$block_rows, UnitAttr:$joins_taps)> {
  let summary = "2-D convolution of 8-bit integers, exact in 32 bits";
  let description = [{
    x [n, h, w, c] and out [n, h, w, o] of 8 bits. The sums of (x - x_zero_point) * weights, plus one of the offsets for
    each filter, wrap around in 32 bits; the epilogue gets them as f32 and yields 8 bits. Taps outside the image count as the zero point.

    Weights are 16-bit [o, c / groups, kh, kw], less their own zero point, and offsets 32-bit [o] until lowering/select
    chooses a kernel and packs both for it (see the kernels' headers), with `block_rows` rows of output to a unit.
  }];
  let moreClassDeclaration = [{
    int64_t getMacs();
    int64_t getScratchBytesPerThread();
    bool acceptsStrides() { return true; }
  }];
}

#endif
