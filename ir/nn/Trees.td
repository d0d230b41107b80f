// Ensembles of decision trees.
#ifndef AOTC_IR_NN_TREES
#define AOTC_IR_NN_TREES

include "ir/nn/Reduction.td"

def NN_TreesOp : NN_InferredOp<"trees"> {
  let summary = "what the leaves add up to that each row of x falls into, [rows, targets]";
  let description = [{
    Node i tests x[row, features[i]] <= thresholds[i] and leads to passed[i] or failed[i]: a node, or leaf l as -1 - l. A NaN
    passes where missing_passes[i] is set. Nodes may be reached on several ways, never on a way from themselves. Leaf l
    stands for the entries leaf_begins[l] … leaf_begins[l + 1] of (leaf_targets, leaf_weights). `kind` says how the
    entries of one target become its value; a mean is over the number of trees. `base` [targets] is added to that.

    All but x are constants. Thresholds are f32 or f64, leaf_weights and base have the result's element type, indices are i32.
  }];
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$features, NN_Tensor:$thresholds, NN_Tensor:$passed, NN_Tensor:$failed,
                   NN_Tensor:$missing_passes, NN_Tensor:$roots, NN_Tensor:$leaf_begins, NN_Tensor:$leaf_targets,
                   NN_Tensor:$leaf_weights, NN_Tensor:$base, NN_ReduceKind:$kind);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "$kind operands attr-dict `:` functional-type(operands, results)";
}

#endif
