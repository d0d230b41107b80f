#include "lowering/plan/Buffers.h"

#include "ir/kern/Dialect.h"
#include "ir/nn/HostTensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
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

int64_t scratchBytes(Operation *step) {
  constexpr int64_t cacheLineBytes = 64;
  auto kernel = dyn_cast<kern::KernelOp>(step);
  return kernel ? llvm::alignTo(kernel.getScratchBytesPerThread(), cacheLineBytes) : 0;
}

// The largest value of an extent: bounded dims, constants and what the lowering computes from them.
static int64_t largest(Value extent) {
  if (auto argument = dyn_cast<BlockArgument>(extent)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    return function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), "aotc.maximum").getInt();
  }
  Operation *op = extent.getDefiningOp();
  if (auto constant = dyn_cast<arith::ConstantIndexOp>(op))
    return constant.value();
  int64_t x = largest(op->getOperand(0)), y = largest(op->getOperand(1));
  assert((isa<arith::MulIOp, arith::DivUIOp>(op)) && "extents are products and quotients");
  return isa<arith::MulIOp>(op) ? x * y : x / y;
}

int64_t boundBytes(Value base) {
  auto type = cast<MemRefType>(base.getType());
  int64_t count = nn::elementBytes(type.getElementType());
  for (int64_t extent : type.getShape())
    count *= ShapedType::isDynamic(extent) ? 1 : extent;
  if (auto alloc = base.getDefiningOp<memref::AllocOp>()) {
    for (Value extent : alloc.getDynamicSizes())
      count *= largest(extent);
    return count;
  }
  auto argument = cast<BlockArgument>(base);
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto bounds = function.getArgAttrOfType<DenseI64ArrayAttr>(argument.getArgNumber(), "aotc.bounds");
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    count *= type.isDynamicDim(dim) ? bounds[dim] : 1;
  return count;
}

} // namespace aotc::plan
