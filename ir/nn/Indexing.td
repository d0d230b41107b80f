// Elements read and written where other tensors say, and windows laid over each other. Negative indices count from the end
// of their dimension. What an index that only the run knows does outside its range is the kernels' business: they stay
// inside the tensor and report it.
#ifndef AOTC_IR_NN_INDEXING
#define AOTC_IR_NN_INDEXING

include "ir/nn/Movement.td"

def NN_ScatterReduction : I32EnumAttr<"ScatterReduction", "what becomes of an element that is written to",
    [I32EnumAttrCase<"None", 0, "none">, I32EnumAttrCase<"Add", 1, "add">, I32EnumAttrCase<"Mul", 2, "mul">,
     I32EnumAttrCase<"Max", 3, "max">, I32EnumAttrCase<"Min", 4, "min">]> {
  let cppNamespace = "::aotc::nn";
}

def NN_GatherElementsOp : NN_Movement<"gather_elements"> {
  let summary = "result[o, j, i] = x[o, indices[o, j, i], i] along `axis`; all other extents are equal";
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$indices, I64Attr:$axis);
}
def NN_GatherNDOp : NN_Movement<"gather_nd"> {
  let summary = "the slices of x at the places that the rows of `indices` name, behind `batch_dims` shared dimensions";
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$indices, I64Attr:$batch_dims);
}
def NN_ScatterElementsOp : NN_Movement<"scatter_elements"> {
  let summary = "x, with updates[o, j, i] written to [o, indices[o, j, i], i] along `axis`, in the order of j";
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$indices, NN_Tensor:$updates, I64Attr:$axis,
                   NN_ScatterReduction:$reduction);
}
def NN_ScatterNDOp : NN_Movement<"scatter_nd"> {
  let summary = "x, with slices of `updates` written where the rows of `indices` say, in their order";
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$indices, NN_Tensor:$updates, NN_ScatterReduction:$reduction);
}
def NN_ReverseSequenceOp : NN_Movement<"reverse_sequence"> {
  let summary = "the first lengths[b] slices along `time_axis` in reverse order, for each b of `batch_axis`";
  let description = "The two axes are 0 and 1, in either order.";
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$lengths, I64Attr:$batch_axis, I64Attr:$time_axis);
}
def NN_TensorScatterOp : NN_Movement<"tensor_scatter"> {
  let summary = "x, with `updates` in the place of the slices from begins[b] on along `axis`, for each b of dimension 0";
  let description = "Slices behind the last one go to the front with `circular`, and are errors otherwise.";
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$updates, NN_Tensor:$begins, I64Attr:$axis, BoolAttr:$circular);
}

def NN_Col2ImOp : NN_InferredOp<"col2im"> {
  let summary = "blocks laid out as an image, the sum where they overlap: x [N, C * block, L] to [N, C, image]";
  let arguments = (ins NN_Tensor:$x, DenseI64ArrayAttr:$image, DenseI64ArrayAttr:$block, DenseI64ArrayAttr:$strides,
                   DenseI64ArrayAttr:$dilations, DenseI64ArrayAttr:$pads);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif
