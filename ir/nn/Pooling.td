// Pooling with a window. Pooling over a whole map is nn.reduce.
#ifndef AOTC_IR_NN_POOLING
#define AOTC_IR_NN_POOLING

include "ir/nn/Base.td"

class NN_Pool<string mnemonic, dag more = (ins)> : NN_InferredOp<mnemonic> {
  // x and result [N, C, spatial…], or [N, spatial…, C] with `channels_last`. `pads` holds all begins, then all ends; with
  // `ceil_mode` windows may reach past the padded edge, and cells there never count.
  let arguments = !con((ins NN_Tensor:$x, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                        DenseI64ArrayAttr:$dilations, UnitAttr:$ceil_mode), more, (ins UnitAttr:$channels_last));
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def NN_MaxPoolOp : NN_Pool<"max_pool">;
def NN_AveragePoolOp : NN_Pool<"average_pool", (ins UnitAttr:$count_include_pad)>;


// Planar, with up to three spatial dimensions.
def NN_MaxPoolIndicesOp : NN_InferredOp<"max_pool_indices"> {
  let summary = "max_pool of a planar x, and where each maximum lies in the flattened x (i64)";
  let description = [{
    Of equal elements the first one is taken. With `column_major` an index counts the spatial dimensions of its image as
    if the first one were the innermost.
  }];
  let arguments = (ins NN_Tensor:$x, DenseI64ArrayAttr:$kernel, DenseI64ArrayAttr:$strides, DenseI64ArrayAttr:$pads,
                   DenseI64ArrayAttr:$dilations, UnitAttr:$ceil_mode, UnitAttr:$column_major);
  let results = (outs NN_Tensor:$values, NN_Tensor:$indices);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}
def NN_MaxUnpoolOp : NN_InferredOp<"max_unpool"> {
  let summary = "zeros of shape `shape` with the elements of x at `indices` of the flattened result";
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$indices, DenseI64ArrayAttr:$shape);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif
