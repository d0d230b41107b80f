// Support vector machines, as far as they are no products and element-wise functions.
#ifndef AOTC_IR_NN_SVM
#define AOTC_IR_NN_SVM

include "ir/nn/Base.td"

def NN_SquaredDistancesOp : NN_InferredOp<"squared_distances"> {
  let summary = "sum over k of (x[r, k] - points[k, c])^2, f32 [rows, count]";
  let arguments = (ins NN_Tensor:$x, NN_Tensor:$points);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def NN_SvmVotesOp : NN_InferredOp<"svm_votes"> {
  let summary = "a score for each pair of classes, [rows, pairs], and how many pairs each class wins, [rows, classes]";
  let description = [{
    similarities [rows, vectors]: the kernel's values, the vectors sorted by class. coefficients [classes - 1, vectors]: those of
    class c against class d stand in row d - (d > c). rho [pairs] is added; the first class wins where the score is > 0.
  }];
  let arguments = (ins NN_Tensor:$similarities, NN_Tensor:$coefficients, NN_Tensor:$rho,
                   DenseI64ArrayAttr:$vectors_per_class);
  let results = (outs NN_Tensor:$scores, NN_Tensor:$votes);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

def NN_SvmProbabilitiesOp : NN_InferredOp<"svm_probabilities"> {
  let summary = "probabilities of the classes, [rows, classes], out of the scores of their pairs";
  let description = "A pair's probability is sigmoid(-(slope * score + offset)); they are coupled as libsvm does.";
  let arguments = (ins NN_Tensor:$scores, NN_Tensor:$slopes, NN_Tensor:$offsets, I64Attr:$classes);
  let results = (outs NN_Tensor:$result);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif
