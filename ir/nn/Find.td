// Ops that find out how much they give. `found` is the dim of the run that this number is: affine_map<()[s0] -> (s0)>. The
// importer declares it on the function (nn.found, see Extents.h).
#ifndef AOTC_IR_NN_FIND
#define AOTC_IR_NN_FIND

include "ir/nn/Base.td"

// They are not dead where nobody reads their results: extents may follow from the dim.
class NN_Find<string mnemonic, dag operands, dag attributes, dag outputs>
    : Op<NN_Dialect, mnemonic, [InferTypeOpAdaptor, NN_MovesElements, DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let extraClassDeclaration = "static constexpr ::llvm::StringLiteral onnxName{\"\"};";
  let extraClassDefinition = [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::SideEffects::EffectInstance<::mlir::MemoryEffects::Effect>> &effects) {
      effects.emplace_back(::mlir::MemoryEffects::Write::get());
    }
  }];
  let arguments = !con(operands, attributes, (ins AffineMapAttr:$found));
  let results = outputs;
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def NN_NonzeroOp : NN_Find<"nonzero", (ins NN_Tensor:$x), (ins), (outs NN_Tensor:$indices)> {
  let summary = "the indices of all elements that are not zero, i64 [rank, found]";
}
def NN_CompressOp : NN_Find<"compress", (ins NN_Tensor:$x, NN_Tensor:$condition), (ins I64Attr:$axis),
                            (outs NN_Tensor:$result)> {
  let summary = "slices of x along `axis` whose condition [flags] is true; those behind the flags' end are left out";
}
def NN_UniqueOp : NN_Find<"unique", (ins NN_Tensor:$x), (ins I64Attr:$axis, BoolAttr:$sorted),
                          (outs NN_Tensor:$y, NN_Tensor:$indices, NN_Tensor:$inverse, NN_Tensor:$counts)> {
  let summary = "the different slices along `axis`; of each its first index and how often it is there, and the place of all";
}
def NN_NonMaxSuppressionOp
    : NN_Find<"non_max_suppression",
              (ins NN_Tensor:$boxes, NN_Tensor:$scores, NN_Tensor:$most, NN_Tensor:$overlap, NN_Tensor:$least),
              (ins BoolAttr:$centered), (outs NN_Tensor:$selected)> {
  let summary = "batch, class and box of the boxes that are left, i64 [found, 3]; most, overlap and least have one element";
}
def NN_ReadExtentOp : NN_Find<"read_extent", (ins NN_Tensor:$value), (ins AffineMapAttr:$limit), (outs)> {
  let summary = "the number in `value`, one i64, as a dim; the run fails where it lies outside 0 … limit, an expression of dims";
}
def NN_CountStepsOp : NN_Find<"count_steps", (ins NN_Tensor:$start, NN_Tensor:$limit, NN_Tensor:$delta), (ins), (outs)> {
  let summary = "how many of start, start + delta, … come before `limit`, as a dim; the run fails beyond the dim's bound";
}

#endif
