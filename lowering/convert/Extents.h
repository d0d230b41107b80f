// Extents that are only known at run time, once nn is converted. The function receives them as index arguments: the
// dims that the caller sets, then those that follow from them by a rounded quotient and those that outputs need a name
// for. Everything else is a sum of products of them (ir/nn/Extents.h has the expressions).
//
//   @main(%x: tensor<?x3xf32, affine_map<()[s0] -> (s0, 3)>> {nn.symbols = ["n", ""], …})
//   ==> @main(%x: tensor<?x3xf32> {aotc.dims = ["n", ""], …},
//             %n: index {aotc.dim = "n", aotc.minimum = 1, aotc.maximum = 4})
#ifndef AOTC_LOWERING_CONVERT_EXTENTS_H
#define AOTC_LOWERING_CONVERT_EXTENTS_H

#include "ir/nn/Extents.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace aotc::convert {

using nn::Extents;

// Says so where an op has a result whose extents are no expressions of the function's dims.
mlir::LogicalResult checkExtents(mlir::func::FuncOp function);

// Gives the function, still in nn, its index arguments, and names the bounded dims of its results (aotc.dims).
void addDimArguments(mlir::func::FuncOp function);

// The extents of a converted tensor: found by walking up to the function's arguments.
Extents extentsOf(mlir::Value tensor);

// An extent as an index value.
mlir::Value buildExtent(mlir::OpBuilder &builder, mlir::Location loc, mlir::AffineExpr extent);
mlir::Value extentOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor, int64_t dim);
// The name of a dim of the function that the builder is in, a symbol.
mlir::StringAttr nameOf(mlir::OpBuilder &builder, mlir::AffineExpr dim);
// The dims of the function around an op, with their bounds.
llvm::SmallVector<nn::Dim> boundsOfDims(mlir::Operation *op);
// The values of those extents that are no numbers: what a tensor.empty takes.
llvm::SmallVector<mlir::Value> buildUnknown(mlir::OpBuilder &builder, mlir::Location loc,
                                            llvm::ArrayRef<mlir::AffineExpr> extents);
// Numbers where they are known.
llvm::SmallVector<mlir::OpFoldResult> buildMixed(mlir::OpBuilder &builder, mlir::Location loc,
                                                 llvm::ArrayRef<mlir::AffineExpr> extents);

// The product of extents; kDynamic where one of them is.
int64_t countElements(llvm::ArrayRef<int64_t> extents);

} // namespace aotc::convert

#endif
