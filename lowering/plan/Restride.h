// Giving a buffer other strides, and its views with it: what eliding copies and transposes comes down to.
#ifndef AOTC_LOWERING_PLAN_RESTRIDE_H
#define AOTC_LOWERING_PLAN_RESTRIDE_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Builders.h"

namespace aotc::plan {

// Whether `user`, or what it is nested in, stands before `op` in op's block.
bool isBefore(mlir::Operation *user, mlir::Operation *op);

// Whether the op may write to the memref.
bool writes(mlir::Operation *user, mlir::Value memref);

// Whether anything but `op`, from it on, writes to `base` through any view.
bool isWrittenAfter(mlir::Value base, mlir::Operation *op);

// The reshapes through which `source` is seen from `alloc`, outermost first; nothing where other views lie between.
std::optional<llvm::SmallVector<mlir::Operation *>> reshapesFrom(mlir::Value alloc, mlir::Value source);

// Builds the view of `view` that looks as if none of `reshapes` had been applied. Null where its strides forbid it;
// what was built by then stays.
mlir::Value undoReshapes(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value view,
                         llvm::ArrayRef<mlir::Operation *> reshapes);

// Puts `place`, a memref of the same shape, where the allocation was, and gives every view of it the type that it then
// has. Where there is no place (null), a view cannot have any such type, or a use by anything else refuses its own,
// nothing is changed but that the views built between `before` (null: the start of the block) and `end` are erased, and
// the result is false.
bool moveTo(mlir::Value place, mlir::memref::AllocOp alloc, mlir::Operation *before, mlir::Operation *end,
            llvm::function_ref<bool(mlir::OpOperand &use, mlir::MemRefType type)> accepts);

} // namespace aotc::plan

#endif
