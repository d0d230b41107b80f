// Data movement.
#ifndef AOTC_IR_KERN_MOVEMENT
#define AOTC_IR_KERN_MOVEMENT

include "ir/kern/Base.td"

def KERN_Resize2DOp : KERN_EpilogueOp<"resize2d", "resize2d", "\"n\", \"h\", \"w\", \"c\""> {
  let summary = "separable resampling of an image [n, h, w, c]";
  let description = [{
    out[h, w] = sum over taps i, j of row_weights[h, i] * column_weights[w, j] * x[rows[h, i], columns[w, j]]: ONNX's modes and
    coordinate rules are in the tables (i32 and f32), made when compiling.
  }];
  let moreClassDeclaration = [{
    bool acceptsStrides() { return true; }
    bool acceptsBytes() { return true; }
  }];
  let arguments = (ins KERN_Shaped:$x, KERN_Shaped:$rows, KERN_Shaped:$row_weights, KERN_Shaped:$columns,
                   KERN_Shaped:$column_weights, Variadic<KERN_Shaped>:$extras, KERN_Shaped:$out,
                   AffineMapArrayAttr:$extra_maps);
  let assemblyFormat = "`ins` `(` operands `)` (`epilogue` $epilogue^)? attr-dict `:` functional-type(operands, results)";
}

def KERN_GatherOp : KERN_Op<"gather", "gather"> {
  let summary = "out[o, j, i] = x[o, indices[j], i]; constant indices are known to be in range";
  let description = "x has out's element type, or is a constant of f16 or bf16 where that is f32.";
  let moreClassDeclaration = [{
    ::llvm::StringRef getKernelFailure();
    bool acceptsHalves(unsigned operand);
  }];
  let arguments = (ins KERN_Shaped:$x, KERN_Shaped:$indices, KERN_Shaped:$out);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = "`ins` `(` operands `)` attr-dict `:` functional-type(operands, results)";
}

def KERN_YieldOp : Op<KERN_Dialect, "yield", [Pure, Terminator, ReturnLike]> {
  let summary = "ends an epilogue: the value to store";
  let arguments = (ins AnyType:$value);
  let assemblyFormat = "attr-dict $value `:` type($value)";
}

#endif
