// Moving transposes through the ops that follow them.
#ifndef AOTC_LOWERING_LAYOUT_MOVE_TRANSPOSES_H
#define AOTC_LOWERING_LAYOUT_MOVE_TRANSPOSES_H

#include "mlir/IR/PatternMatch.h"

namespace aotc::layout {

// `value` reordered by `permutation`: composed with a transpose that made it, folded where it is constant, nothing but
// a reshape where only unit dimensions move.
mlir::Value transposed(mlir::OpBuilder &builder, mlir::Location loc, mlir::Value value,
                       llvm::ArrayRef<int64_t> permutation);

// op(transpose(x)) ==> transpose(op'(x)), where the op allows it and no more data is transposed than before. The op is
// replaced.
void moveThrough(mlir::RewriterBase &rewriter, mlir::Operation *op);

} // namespace aotc::layout

#endif
