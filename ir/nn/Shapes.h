// Shape rules shared by the op families: what their inferReturnTypes have in common.
#ifndef AOTC_IR_NN_SHAPES_H
#define AOTC_IR_NN_SHAPES_H

#include "ir/nn/Extents.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

namespace aotc::nn {

// The broadcast of the operands' shapes (ONNX's multidirectional rule) with element type `element`. With
// `sameElements`, operands of different element types are an error that names both.
mlir::LogicalResult inferBroadcast(std::optional<mlir::Location> loc, mlir::ValueRange operands, mlir::Type element,
                                   bool sameElements, llvm::SmallVectorImpl<mlir::Type> &types);

// "f32 [1,3,224,224]", for messages; an unknown extent is '?', or where a value is given, the expression of it.
std::string describe(mlir::Type tensor);
std::string describe(mlir::Value tensor);

// The extent of two broadcast together; null where they contradict each other.
mlir::AffineExpr broadcastExtent(mlir::AffineExpr x, mlir::AffineExpr y);

// `op` again on other operands, its result types inferred anew.
mlir::Operation *rebuildOn(mlir::OpBuilder &builder, mlir::Operation *op, mlir::ValueRange operands);

// `value` in another shape of as many elements.
mlir::Value reshaped(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                     llvm::ArrayRef<mlir::AffineExpr> extents);

// Elements start, start + step and so on of `value` along an axis, `size` of them.
mlir::Value slicedAlong(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value, size_t axis, int64_t start,
                        int64_t size, int64_t step = 1);

// values[permutation[i]] for each i.
template <class T> llvm::SmallVector<T> permuted(llvm::ArrayRef<T> values, llvm::ArrayRef<int64_t> permutation) {
  llvm::SmallVector<T> result;
  for (int64_t from : permutation)
    result.push_back(values[from]);
  return result;
}

// Where the dimension `axis` stands after reordering by `permutation`.
int64_t permutedAxis(int64_t axis, llvm::ArrayRef<int64_t> permutation);

} // namespace aotc::nn

#endif
