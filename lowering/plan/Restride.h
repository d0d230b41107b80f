// Giving a buffer other strides, and its views with it: what eliding copies and transposes comes down to.
#ifndef AOTC_LOWERING_PLAN_RESTRIDE_H
#define AOTC_LOWERING_PLAN_RESTRIDE_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"

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

// Gives every view of `value` the type that it has if value's is `type`, unless one cannot have any or a use by
// anything else refuses its type: then nothing is changed, and the result is false. The value itself keeps its type.
bool restride(mlir::Value value, mlir::MemRefType type,
              llvm::function_ref<bool(mlir::OpOperand &use, mlir::MemRefType type)> accepts);

} // namespace aotc::plan

#endif
