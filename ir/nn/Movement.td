// Data movement: the same elements in another shape, order or selection. All attributes are normalised by the importer:
// axes not negative, one entry per dimension where a list is per dimension.
#ifndef AOTC_IR_NN_MOVEMENT
#define AOTC_IR_NN_MOVEMENT

include "ir/nn/Base.td"

class NN_Movement<string mnemonic, list<Trait> traits = []>
    : NN_InferredOp<mnemonic, "", !listconcat([NN_MovesElements], traits)> {
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def NN_ReshapeOp : NN_Movement<"reshape"> {
  let summary = "the same elements in row-major order, in another shape";
  let description = "Unknown entries of `shape` (kDynamic) are those of `extents`, which is there for their sake.";
  let arguments = (ins NN_Tensor:$x, DenseI64ArrayAttr:$shape, OptionalAttr<AffineMapAttr>:$extents);
  let hasFolder = 1;
}
def NN_TransposeOp : NN_Movement<"transpose"> {
  let summary = "dimension i of the result is dimension permutation[i] of x";
  let arguments = (ins NN_Tensor:$x, DenseI64ArrayAttr:$permutation);
  let hasFolder = 1;
}
def NN_ExpandOp : NN_Movement<"expand"> {
  let summary = "broadcast to `shape`";
  let description = "Unknown entries of `shape` (kDynamic) are those of `extents`, which is there for their sake.";
  let arguments = (ins NN_Tensor:$x, DenseI64ArrayAttr:$shape, OptionalAttr<AffineMapAttr>:$extents);
  let hasFolder = 1;
}
def NN_ConcatOp : NN_Movement<"concat", [DeclareOpInterfaceMethods<NN_PermutableInterface>]> {
  let arguments = (ins Variadic<NN_Tensor>:$inputs, I64Attr:$axis);
  let hasFolder = 1;
}
def NN_SliceOp : NN_Movement<"slice", [DeclareOpInterfaceMethods<NN_PermutableInterface>]> {
  let summary = "element i of dimension d is element starts[d] + i * steps[d] of x; steps may be negative";
  let description = [{
    Unknown starts and sizes (kDynamic) are those of `extents`, which is there for their sake: all starts, then all sizes.
    Steps are positive in such dimensions.
  }];
  let arguments = (ins NN_Tensor:$x, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$sizes, DenseI64ArrayAttr:$steps,
                   OptionalAttr<AffineMapAttr>:$extents);
  let extraClassDeclaration = [{
    static constexpr ::llvm::StringLiteral onnxName{""};
    /// All starts, then all sizes.
    ::llvm::SmallVector<::mlir::AffineExpr> getStartsAndSizes();
  }];
  let hasFolder = 1;
}
def NN_PadMode : I32EnumAttr<"PadMode", "what lies outside the tensor",
    [I32EnumAttrCase<"Constant", 0, "constant">, I32EnumAttrCase<"Reflect", 1, "reflect">,
     I32EnumAttrCase<"Edge", 2, "edge">, I32EnumAttrCase<"Wrap", 3, "wrap">]> {
  let cppNamespace = "::aotc::nn";
}
def NN_PadOp : NN_Movement<"pad", [DeclareOpInterfaceMethods<NN_PermutableInterface>]> {
  let summary = "low[d] elements before and high[d] after dimension d; both may be negative (a cut)";
  let arguments = (ins NN_Tensor:$x, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high, NN_PadMode:$mode,
                   TypedAttrInterface:$value);
}
def NN_GatherOp : NN_Movement<"gather"> {
  let summary = "slices of x along `axis` at `indices` (negative ones count from the end)";
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$indices, I64Attr:$axis);
}
def NN_ExtentsOp : NN_Movement<"extents"> {
  let summary = "the values of expressions of the run's dims, i64 [n]: what is left of shape arithmetic";
  let arguments = (ins AffineMapAttr:$values);
}

def NN_ResizeOp : NN_InferredOp<"resize", "", [DeclareOpInterfaceMethods<NN_PermutableInterface>]> {
  let summary = "resampling of the dimensions whose extent or scale changes";
  let description = [{
    `sizes` is the result's shape, `scales` its ONNX scale per dimension; the other attributes are ONNX's of the newest
    opset, defaults made explicit; `roi` (begins, then ends) is empty unless the mode is tf_crop_and_resize.
  }];
  let arguments = (ins NN_Tensor:$x, DenseI64ArrayAttr:$sizes, DenseF32ArrayAttr:$scales, StrAttr:$mode,
                   StrAttr:$coordinate_transformation_mode, StrAttr:$nearest_mode, F32Attr:$cubic_coeff_a,
                   BoolAttr:$exclude_outside, F32Attr:$extrapolation_value, BoolAttr:$antialias, DenseF32ArrayAttr:$roi);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif
