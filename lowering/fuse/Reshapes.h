// Looking through reshapes for the op that computed a tensor.
#ifndef AOTC_LOWERING_FUSE_RESHAPES_H
#define AOTC_LOWERING_FUSE_RESHAPES_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace aotc::fuse {

inline bool isReshape(mlir::Operation *op) {
  return llvm::isa_and_nonnull<mlir::tensor::CollapseShapeOp, mlir::tensor::ExpandShapeOp>(op);
}

// The op of this kind whose only result, perhaps reshaped, `value` is, if nobody else reads it; else null.
template <class Op> Op soleProducer(mlir::Value value) {
  while (isReshape(value.getDefiningOp()) && value.hasOneUse())
    value = value.getDefiningOp()->getOperand(0);
  auto op = value.getDefiningOp<Op>();
  return op && value.hasOneUse() ? op : Op();
}

} // namespace aotc::fuse

#endif
