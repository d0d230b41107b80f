// Extents that are only known at run time. Every one is a bounded dim of an input, or the product of one with
// constants; the function receives the bounded dims as index arguments. Types do not tell one unknown extent from
// another: that is decided here.
#ifndef AOTC_LOWERING_CONVERT_EXTENTS_H
#define AOTC_LOWERING_CONVERT_EXTENTS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace aotc::convert {

// The product of extents; kDynamic where one of them is.
int64_t countElements(llvm::ArrayRef<int64_t> extents);

// factor / divisor times all of `dims`, without a remainder. Equal products are equal extents.
struct ExtentProduct {
  llvm::SmallVector<mlir::Value, 1> dims; // index arguments first, in their order
  int64_t factor = 1, divisor = 1;        // without common divisors

  bool operator==(const ExtentProduct &other) const;
  ExtentProduct dividedBy(int64_t number) const;
  // Whether it is made of bounded dims alone.
  bool isKnown() const;
  // For messages: "n", "2 * n".
  std::string text() const;
};

// The extent of a dimension of a converted tensor: found by walking up to the function's arguments.
ExtentProduct productOf(mlir::Value tensor, int64_t dim);

// An extent as an index value.
mlir::Value buildExtent(mlir::OpBuilder &builder, mlir::Location loc, const ExtentProduct &product);
mlir::Value extentOf(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value tensor, int64_t dim);

// Gives the function an index argument for each bounded dim of its inputs:
//
//   @main(%x: tensor<?x3xf32> {aotc.dims = ["batch", ""], aotc.bounds = [4, 3]})
//   ==> @main(%x: …, %batch: index {aotc.dim = "batch", aotc.minimum = 1, aotc.maximum = 4})
void addDimArguments(mlir::func::FuncOp function);

// The destination of a branch's result, which both sides end by writing (see Structure.cpp).
mlir::Value branchDestination(mlir::scf::IfOp branch, unsigned result);

// Says so where operands meet whose extents are unknown and not the same, once the function is converted; gives the
// results of branches (scf.if) their extents.
mlir::LogicalResult checkExtents(mlir::func::FuncOp function);

// The extents that checkExtents() replaces: what the results of a branch have until then, one for each unknown extent.
llvm::SmallVector<mlir::Value> openExtents(mlir::OpBuilder &builder, mlir::Location loc, mlir::RankedTensorType type);

// Names the bounded dims of the results (aotc.dims), once the function is converted. Fails where an extent is not
// simply one.
mlir::LogicalResult nameResultDims(mlir::func::FuncOp function);

} // namespace aotc::convert

#endif
