// Which steps compute their result in an operand's place.
#ifndef AOTC_LOWERING_PLAN_SHARE_IN_PLACE_H
#define AOTC_LOWERING_PLAN_SHARE_IN_PLACE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace aotc::plan {

// Where an element-wise step (or a kernel's epilogue) reads an operand at the very place that it writes, and that
// operand's buffer is not used afterwards, the result takes over the buffer:
//
//   %b = memref.alloc                                         ==>   linalg.generic ins(%a) outs(%a)
//   linalg.generic ins(%a) outs(%b)   // last use of %a
//
// One sweep in step order; linear in the uses of all buffers. Arguments and globals are left alone.
void shareInPlace(mlir::func::FuncOp function);

// The next value of a state (aotc.state, which a run leaves for the next one) is computed in the state's place, and not
// copied there, where no step reads the state later than that begins, or only the first one that writes it does,
// element by element. Steps are in their final order.
void shareStates(mlir::func::FuncOp function);

// The operands that a step reads element by element, each at the place of the result's element: values that it reads in
// no other way as well (as a convolution reads its image, even where it adds that image in the end).
llvm::SmallVector<mlir::Value> sameElementOperands(mlir::Operation *step);

} // namespace aotc::plan

#endif
