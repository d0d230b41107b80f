// Extents that are only known at run time. Every one is a bounded dim of an input, or the product of one with
// constants; the function receives the bounded dims as index arguments.
#ifndef AOTC_LOWERING_CONVERT_EXTENTS_H
#define AOTC_LOWERING_CONVERT_EXTENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace aotc::convert {

// The product of extents; kDynamic where one of them is.
int64_t countElements(llvm::ArrayRef<int64_t> extents);

// The extent of a dimension of a converted tensor, as an index value: found by walking up to the function's arguments.
mlir::Value extentOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor, int64_t dim);

// Gives the function an index argument for each bounded dim of its inputs:
//
//   @main(%x: tensor<?x3xf32> {aotc.dims = ["batch", ""], aotc.bounds = [4, 3]})
//   ==> @main(%x: …, %batch: index {aotc.dim = "batch", aotc.minimum = 1, aotc.maximum = 4})
void addDimArguments(mlir::func::FuncOp function);

// Names the bounded dims of the results (aotc.dims), once the function is converted. Fails where an extent is not
// simply one.
mlir::LogicalResult nameResultDims(mlir::func::FuncOp function);

} // namespace aotc::convert

#endif
