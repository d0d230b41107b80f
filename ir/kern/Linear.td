// Matrix products.
#ifndef AOTC_IR_KERN_LINEAR
#define AOTC_IR_KERN_LINEAR

include "ir/kern/Base.td"

def KERN_MatMulOp : KERN_EpilogueOp<"matmul", "matmul", "\"b\", \"m\", \"n\""> {
  let summary = "out[b, m, n] = sum over k of a[b, m, k] * w[b, k, n]";
  let description = [{
    a [batch, m, k], out [batch, m, n], w [batch, k, n]; a and w may have a batch of 1, which all batches share. Where w is a constant of batch 1, lowering/select packs
    it in panels of 16 columns, [ceil(n / 16), k, 16], and sets `packed`.
  }];
  let moreClassDeclaration = "int64_t getMacs();\nbool acceptsStrides() { return true; }";
  let arguments = (ins KERN_Shaped:$a, KERN_Shaped:$weights, Variadic<KERN_Shaped>:$extras, KERN_Shaped:$out,
                   UnitAttr:$packed, AffineMapArrayAttr:$extra_maps);
  let assemblyFormat = [{
    `ins` `(` operands `)` (`epilogue` $epilogue^)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif
