// Constants and control flow.
#ifndef AOTC_IR_NN_STRUCTURE
#define AOTC_IR_NN_STRUCTURE

include "ir/nn/Base.td"

def NN_ConstantOp : NN_Op<"constant", "", [ConstantLike, NN_MovesElements, AllTypesMatch<["value", "result"]>]> {
  let summary = "weights and other values known when compiling";
  let arguments = (ins ElementsAttr:$value);
  let results = (outs NN_Tensor:$result);
  let hasFolder = 1;
  let assemblyFormat = "attr-dict $value";
}

def NN_YieldOp : NN_Op<"yield", "", [Terminator, NN_MovesElements, ReturnLike, ParentOneOf<["IfOp", "LoopOp"]>]> {
  let arguments = (ins Variadic<NN_Tensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def NN_IfOp : NN_Op<"if", "", [SingleBlock, NN_MovesElements, RecursiveMemoryEffects]> {
  let summary = "one of two regions, both of which may use outer values";
  let arguments = (ins NN_Tensor:$condition);
  let results = (outs Variadic<NN_Tensor>:$results);
  let regions = (region SizedRegion<1>:$then_region, SizedRegion<1>:$else_region);
  let assemblyFormat = "$condition attr-dict `:` functional-type($condition, results) $then_region `else` $else_region";
  let hasVerifier = 1;
}

#endif
