// A matrix product as one of two stacks of matrices, [left batch, m, k] x [batch, k, n], whatever ONNX broadcasts:
// vectors are matrices of one row or one column, a matrix that all share stays one, and one for all rows on the right
// takes the batch of the left as rows.
#ifndef AOTC_LOWERING_CONVERT_MATRIXSTACKS_H
#define AOTC_LOWERING_CONVERT_MATRIXSTACKS_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace aotc::convert {

struct MatrixStacks {
  mlir::Value left, right;           // [leftBatch, m, k], [rightBatch, k, n]
  mlir::AffineExpr leftBatch, batch; // leftBatch is 1 or the batch, rightBatch is 1 only where batch is
  mlir::AffineExpr m, k, n;
};

// onnxType: of the product a x b in nn.
MatrixStacks stackMatrices(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value a, mlir::Value b,
                           mlir::RankedTensorType onnxType);

} // namespace aotc::convert

#endif
