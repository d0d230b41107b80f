// Reductions, normalisation and softmax over one run of dimensions: x [outer, length, inner].
#ifndef AOTC_IR_KERN_REDUCTION
#define AOTC_IR_KERN_REDUCTION

include "ir/kern/Base.td"

def KERN_ReduceKind : I32EnumAttr<"ReduceKind", "what is accumulated",
    [I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">, I32EnumAttrCase<"Min", 2, "min">,
     I32EnumAttrCase<"Product", 3, "product">]> {
  let cppNamespace = "::aotc::kern";
}
def KERN_ReduceOp : KERN_EpilogueOp<"reduce", "reduce", "\"o\", \"i\""> {
  let summary = "out[o, i] = fold over l of x[o, l, i]; a mean is a sum whose epilogue scales";
  let moreClassDeclaration = [{
    ::llvm::SmallVector<std::string> getKernelArguments();
    bool acceptsBytes() { return true; }
  }];
  let arguments = (ins KERN_Shaped:$x, Variadic<KERN_Shaped>:$extras, KERN_Shaped:$out, KERN_ReduceKind:$kind,
                   AffineMapArrayAttr:$extra_maps);
  let assemblyFormat = "$kind `ins` `(` operands `)` (`epilogue` $epilogue^)? attr-dict `:` functional-type(operands, results)";
}

// Its epilogue has the indices of its shape: o, l or o, l, i.
def KERN_NormalizeOp : KERN_EpilogueOp<"normalize", "normalize", ""> {
  let summary = "x [o, l] or [o, l, i] less its mean over l, divided by its standard deviation there";
  let description = "With `root_mean_square` the mean counts as 0. `epsilon` is added to the variance.";
  let moreClassDeclaration = [{
    ::llvm::SmallVector<std::string> getKernelArguments();
    bool acceptsBytes() { return true; }
  }];
  let arguments = (ins KERN_Shaped:$x, Variadic<KERN_Shaped>:$extras, KERN_Shaped:$out, F32Attr:$epsilon,
                   UnitAttr:$root_mean_square, AffineMapArrayAttr:$extra_maps);
  let assemblyFormat = "`ins` `(` operands `)` (`epilogue` $epilogue^)? attr-dict `:` functional-type(operands, results)";
}

// Its epilogue has the indices of its shape: o, l or o, l, i.
def KERN_SoftmaxOp : KERN_EpilogueOp<"softmax", "softmax", ""> {
  let summary = "softmax over l of x [o, l] or [o, l, i], or its logarithm; out may be x";
  let moreClassDeclaration = "bool acceptsBytes() { return true; }";
  let arguments = (ins KERN_Shaped:$x, Variadic<KERN_Shaped>:$extras, KERN_Shaped:$out, UnitAttr:$logarithm,
                   AffineMapArrayAttr:$extra_maps);
  let assemblyFormat = "`ins` `(` operands `)` (`epilogue` $epilogue^)? attr-dict `:` functional-type(operands, results)";
}

#endif
