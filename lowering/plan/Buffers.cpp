#include "lowering/plan/Buffers.h"

#include "ir/kern/Dialect.h"
#include "ir/nn/HostTensor.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace aotc::plan {

bool isView(Operation *op) {
  return isa<memref::SubViewOp, memref::ExpandShapeOp, memref::CollapseShapeOp, memref::CastOp,
             memref::ReinterpretCastOp, memref::TransposeOp>(op);
}

Value baseOf(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    if (!isView(op))
      break;
    memref = op->getOperand(0);
  }
  return memref;
}

bool isStep(Operation *op) { return isa<kern::KernelOp, linalg::LinalgOp, memref::CopyOp, scf::IfOp>(op); }

SmallVector<Value> viewsOf(Value base) {
  SmallVector<Value> views{base};
  for (size_t i = 0; i < views.size(); ++i)
    for (Operation *user : views[i].getUsers())
      if (isView(user))
        views.push_back(user->getResult(0));
  return views;
}

SmallVector<Operation *> usersOf(Value base) {
  SmallVector<Operation *> users;
  Block *entry = base.getParentBlock();
  for (Value view : viewsOf(base))
    for (Operation *user : view.getUsers())
      if (!isView(user))
        if (Operation *ancestor = entry->findAncestorOpInBlock(*user))
          users.push_back(ancestor);
  return users;
}

int64_t denseBytes(MemRefType type) { return type.getNumElements() * nn::elementBytes(type.getElementType()); }

} // namespace aotc::plan
