// Calls of kernels that need nothing from the dialect but a call: no epilogue, no packed weights, no choice of variants. What
// the fusing, selecting and layout passes must know by name has a record of its own in its family.
#ifndef AOTC_IR_KERN_CALL
#define AOTC_IR_KERN_CALL

include "ir/kern/Base.td"

def KERN_CallOp : Op<KERN_Dialect, "call",
    [AttrSizedOperandSegments, DestinationStyleOpInterface, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
     DeclareOpInterfaceMethods<KERN_KernelInterface, ["getKernelArguments", "getInputRole", "getMacs", "getScratchBytesPerThread", "getKernelFailure", "acceptsHalves"]>]> {
  let summary = "function(Layout{}, inputs..., outs..., part, arguments...) of templates/kernels/<header>.hpp";
  let description = [{
    Layout has the members `members` with the values `values`: a number (i64), a list of them (array<i64>), or unit, which stands for
    the next of `extents`, known at run time only; an array of numbers and units is a list of both. `call_arguments` follow
    `part`: numbers, or the C++ text of a functor or enumerator. All buffers are dense. `in_place`: the input whose buffer the
    only destination may be. `failure`: the status that a call which returns false ends the run with. `found`: the dim of the
    run that the call's result is. `half_inputs`, array<i64>: the inputs that may be halves where they are constant. `mac_count`: its multiply-accumulates at the bound of every bounded dim. `roles`, beside these: what the
    inputs are called. Built by lowering/convert/KernelCall.h.
  }];
  let arguments = (ins StrAttr:$header, StrAttr:$function, Variadic<KERN_Shaped>:$inputs, Variadic<Index>:$extents,
                   Variadic<KERN_Shaped>:$outs, StrArrayAttr:$members, ArrayAttr:$values, ArrayAttr:$call_arguments,
                   OptionalAttr<I64Attr>:$in_place, OptionalAttr<StrAttr>:$failure,
                   DefaultValuedAttr<I64Attr, "0">:$scratch_bytes, OptionalAttr<StrAttr>:$found,
                   DefaultValuedAttr<I64Attr, "0">:$mac_count);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $function `ins` `(` $inputs `)` (`extents` `(` $extents^ `)`)? `outs` `(` $outs `)` attr-dict `:`
    functional-type(operands, results)
  }];
  let extraClassDeclaration = "::mlir::MutableOperandRange getDpsInitsMutable() { return getOutsMutable(); }";
}

#endif
