// Memrefs as the planning passes see them: which allocation a view lies in, and where.
#ifndef AOTC_LOWERING_PLAN_BUFFERS_H
#define AOTC_LOWERING_PLAN_BUFFERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"
#include "mlir/IR/Value.h"

namespace aotc::plan {

// Whether the op only makes another view of its memref operand.
bool isView(mlir::Operation *op);

// The allocation, function argument or global that a memref is a view of.
mlir::Value baseOf(mlir::Value memref);

// The extents of a memref, as numbers or as index values.
llvm::SmallVector<mlir::OpFoldResult> sizesOf(mlir::OpBuilder &builder, mlir::Value memref);

// Replaces memref.dim by what it stands for.
void resolveDims(mlir::func::FuncOp function);

// An allocation with the contents of `memref`, dense.
mlir::Value createCopy(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value memref);

// Whether the op computes something: a kernel, a linalg op, a copy, a branch.
bool isStep(mlir::Operation *op);

// Every memref that is a view of `base`, itself included.
llvm::SmallVector<mlir::Value> viewsOf(mlir::Value base);

// The steps of the entry block that use `base` through any view; steps nested in a branch count as the branch. In the
// order of use lists.
llvm::SmallVector<mlir::Operation *> usersOf(mlir::Value base);

// Bytes of scratch memory that each thread needs during the step, a multiple of a cache line; 0 for most.
int64_t scratchBytes(mlir::Operation *step);

// Bytes of an allocation or a function's argument, with every bounded dim at its bound.
int64_t boundBytes(mlir::Value base);

} // namespace aotc::plan

#endif
