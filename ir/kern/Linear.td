// Matrix products, and attention, which is two of them.
#ifndef AOTC_IR_KERN_LINEAR
#define AOTC_IR_KERN_LINEAR

include "ir/kern/Base.td"

def KERN_MatMulOp : KERN_EpilogueOp<"matmul", "matmul", "\"b\", \"m\", \"n\""> {
  let summary = "out[b, m, n] = sum over k of a[b, m, k] * w[b, k, n]";
  let description = [{
    a [batch, m, k], out [batch, m, n], w [batch, k, n]; a and w may have a batch of 1, which all batches share. Where w is a constant of batch 1, lowering/select packs
    it in panels of 16 columns, [ceil(n / 16), k, 16], and sets `packed`; such a constant is f32, f16 or bf16.
  }];
  let moreClassDeclaration = [{
    int64_t getMacs(::aotc::kern::ExtentOf extentOf);
    bool acceptsStrides() { return true; }
    bool acceptsColumns(unsigned operand) { return operand == 1 && !getPacked(); }
    bool acceptsHalves(unsigned operand);
  }];
  let arguments = (ins KERN_Shaped:$a, KERN_Shaped:$weights, Variadic<KERN_Shaped>:$extras, KERN_Shaped:$out,
                   UnitAttr:$packed, AffineMapArrayAttr:$extra_maps);
  let assemblyFormat = [{
    `ins` `(` operands `)` (`epilogue` $epilogue^)? attr-dict `:` functional-type(operands, results)
  }];
}

// Its epilogue is that of the scores, with their indices.
def KERN_AttentionOp : KERN_EpilogueOp<"attention", "attention", "\"b\", \"m\", \"n\""> {
  let summary = "out[b, m, w] = sum over n of softmax over n of epilogue(sum over k of q[b, m, k] * keys[b, k, n]) * values[b, n, w]";
  let description = [{
    q [batch, m, k], keys [batch, k, n], values [batch, n, w], out [batch, m, w]; all but out may have a batch of 1, which
    all batches share. Of the scores no more than `block_rows` by `block_keys` are in memory at a time.
  }];
  let moreClassDeclaration = [{
    int64_t getMacs(::aotc::kern::ExtentOf extentOf);
    int64_t getScratchBytesPerThread();
    bool acceptsStrides() { return true; }
    bool acceptsColumns(unsigned operand) { return operand == 1 || operand == 2; }
    bool storesEpilogue() { return false; }
  }];
  let arguments = (ins KERN_Shaped:$q, KERN_Shaped:$keys, KERN_Shaped:$values, Variadic<KERN_Shaped>:$extras,
                   KERN_Shaped:$out, I64Attr:$block_rows, I64Attr:$block_keys, AffineMapArrayAttr:$extra_maps);
  let assemblyFormat = [{
    `ins` `(` operands `)` (`epilogue` $epilogue^)? attr-dict `:` functional-type(operands, results)
  }];
}

#endif
