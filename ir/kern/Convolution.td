// Convolution and pooling over images.
#ifndef AOTC_IR_KERN_CONVOLUTION
#define AOTC_IR_KERN_CONVOLUTION

include "ir/kern/Base.td"

class KERN_WindowOp<string mnemonic, string header, dag inputs, dag more = (ins), list<Trait> traits = []>
    : KERN_EpilogueOp<mnemonic, header, "\"n\", \"h\", \"w\", \"c\"", traits> {
  // kernel, strides, dilations: height, width. pads: top, left, bottom, right; taps outside the image are skipped.
  let arguments = !con(inputs, (ins Variadic<KERN_Shaped>:$extras, KERN_Shaped:$out, DenseI64ArrayAttr:$kernel,
                                DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads, DenseI64ArrayAttr:$dilations), more,
                       (ins AffineMapArrayAttr:$extra_maps));
  let assemblyFormat = [{
    `ins` `(` operands `)` (`epilogue` $epilogue^)? attr-dict `:` functional-type(operands, results)
  }];
}

def KERN_ConvKind : I32EnumAttr<"ConvKind", "the algorithm of a convolution",
    [I32EnumAttrCase<"Direct", 0, "direct">, I32EnumAttrCase<"Depthwise", 1, "depthwise">,
     I32EnumAttrCase<"Winograd", 2, "winograd">]> {
  let cppNamespace = "::aotc::kern";
}

def KERN_Conv2DOp : KERN_WindowOp<"conv2d", "", (ins KERN_Shaped:$x, KERN_Shaped:$weights),
                                  (ins I64Attr:$groups, KERN_ConvKind:$kind, UnitAttr:$planar_input)> {
  let summary = "2-D convolution";
  let description = [{
    x [n, h, w, c], or [n, c, h, w] with `planar_input` (an image as the caller has it); out [n, h, w, c]. Weights are [o, c / groups, kh, kw]
    until lowering/select packs them for the kernel (see the kernel's header for the packed shapes). They are f32, f16 or bf16.
  }];
  let moreClassDeclaration = [{
    int64_t getMacs(::aotc::kern::ExtentOf extentOf);
    int64_t getScratchBytesPerThread();
    bool acceptsStrides() { return true; }
    bool acceptsHalves(unsigned operand) { return operand == 1; }
  }];
}
class KERN_PoolOp<string mnemonic, dag more = (ins)> : KERN_WindowOp<mnemonic, "pool2d", (ins KERN_Shaped:$x), more> {
  let moreClassDeclaration = [{
    bool acceptsStrides() { return true; }
    bool acceptsBytes() { return true; }
  }];
}
def KERN_MaxPool2DOp : KERN_PoolOp<"max_pool2d">;
def KERN_AveragePool2DOp : KERN_PoolOp<"average_pool2d", (ins UnitAttr:$count_include_pad)>;

#endif
