// Lets a producer write straight into the slice that its result would be copied to, as the parts of a concat do, and
// kernels read and write transposed tensors in place (ElideTransposes.h).
//
//   %a = memref.alloc                                 %d = memref.alloc
//   kern.conv2d ins(…, %a)                     ==>    %s = memref.subview %d[0, 0, 0, 16]…
//   %d = memref.alloc                                 kern.conv2d ins(…, %s)
//   %s = memref.subview %d[0, 0, 0, 16]…
//   memref.copy %a, %s
//
// The slice must not be touched otherwise before the copy, and everything that uses the small buffer must accept the
// slice's strides.
#include "ir/kern/Dialect.h"
#include "lowering/Passes.h"
#include "lowering/plan/Buffers.h"
#include "lowering/plan/ElideTransposes.h"
#include "lowering/plan/Restride.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace aotc {

#define GEN_PASS_DEF_ELIDECOPIES
#include "lowering/Passes.h.inc"

using namespace mlir;

namespace {

bool acceptsStrides(OpOperand &use, MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(getStridesAndOffset(type, strides, offset)))
    return false;
  if (isa<linalg::LinalgOp, memref::CopyOp>(use.getOwner()))
    return true;
  auto kernel = dyn_cast<kern::KernelOp>(use.getOwner());
  return kernel && kernel.acceptsStrides() && (strides.empty() || strides.back() == 1);
}

// Whether two slices of one buffer, offsets and sizes static and steps 1, share an element.
bool overlap(memref::SubViewOp x, memref::SubViewOp y) {
  if (x.getSource() != y.getSource() || x.getStaticSizes().size() != y.getStaticSizes().size())
    return true;
  for (auto [a, aSize, b, bSize] :
       llvm::zip(x.getStaticOffsets(), x.getStaticSizes(), y.getStaticOffsets(), y.getStaticSizes()))
    if (a + aSize <= b || b + bSize <= a)
      return false;
  return true;
}

bool isPlainSlice(memref::SubViewOp op) {
  auto isStatic = [](ArrayRef<int64_t> values) { return llvm::none_of(values, ShapedType::isDynamic); };
  return isStatic(op.getStaticOffsets()) && isStatic(op.getStaticSizes()) &&
         llvm::all_of(op.getStaticStrides(), [](int64_t step) { return step == 1; });
}

// Before the copy, the destination may only have been written through other slices that do not touch this one.
bool isUntouchedBefore(memref::SubViewOp slice, memref::CopyOp copy) {
  auto isLater = [&](Operation *use) { return !plan::isBefore(use, copy); };
  for (Operation *user : slice.getSource().getUsers()) {
    auto other = dyn_cast<memref::SubViewOp>(user);
    if (other == slice || (other && isPlainSlice(other) && !overlap(slice, other)))
      continue;
    if (plan::isView(user) ? !llvm::all_of(plan::usersOf(user->getResult(0)), isLater) : !isLater(user))
      return false;
  }
  return llvm::all_of(plan::usersOf(slice.getResult()), isLater);
}

// After the copy, the slice must not be written while the small buffer is still read, and the other way round: concats
// are written once, so it is enough that nobody but the copy writes either of them from here on.
bool isFinal(memref::SubViewOp slice, Value alloc, memref::CopyOp copy) {
  if (plan::isWrittenAfter(slice, copy) || plan::isWrittenAfter(alloc, copy))
    return false;
  return llvm::all_of(slice.getSource().getUsers(), [&](Operation *user) {
    auto other = dyn_cast<memref::SubViewOp>(user);
    if (other == slice || (other && isPlainSlice(other) && !overlap(slice, other)))
      return true;
    if (plan::isView(user))
      return !plan::isWrittenAfter(user->getResult(0), copy);
    return plan::isBefore(user, copy) || !plan::writes(user, slice.getSource());
  });
}

// A slice of a slice as one slice of the outer buffer: nested concats leave them behind.
memref::SubViewOp composed(memref::SubViewOp slice) {
  while (slice) {
    auto outer = slice.getSource().getDefiningOp<memref::SubViewOp>();
    if (!outer || !isPlainSlice(outer) || !isPlainSlice(slice) ||
        outer.getType().getRank() != slice.getType().getRank() ||
        outer.getSourceType().getRank() != outer.getType().getRank())
      break;
    SmallVector<int64_t> offsets(slice.getStaticOffsets());
    for (auto [offset, more] : llvm::zip(offsets, outer.getStaticOffsets()))
      offset += more;
    OpBuilder builder(slice);
    auto one = builder.create<memref::SubViewOp>(slice.getLoc(), outer.getSource(), offsets, slice.getStaticSizes(),
                                                 slice.getStaticStrides());
    slice.getResult().replaceAllUsesWith(one.getResult());
    slice.erase();
    slice = one;
  }
  return slice;
}

// Views are built before `anchor`, which all allocations precede.
bool elide(memref::CopyOp copy, Operation *anchor) {
  auto slice = composed(copy.getTarget().getDefiningOp<memref::SubViewOp>());
  Value source = copy.getSource();
  auto alloc = plan::baseOf(source).getDefiningOp<memref::AllocOp>();
  if (!slice || !isPlainSlice(slice) || !alloc || alloc->getBlock() != copy->getBlock())
    return false;
  auto whole = slice.getSource().getDefiningOp<memref::AllocOp>();
  if (!whole || whole == alloc || whole->getBlock() != copy->getBlock())
    return false;
  if (!isUntouchedBefore(slice, copy) || !isFinal(slice, alloc, copy))
    return false;
  std::optional<SmallVector<Operation *>> reshapes = plan::reshapesFrom(alloc, source);
  if (!reshapes)
    return false;

  OpBuilder builder(anchor);
  Operation *before = anchor->getPrevNode();
  Value sliceCopy = builder.clone(*slice)->getResult(0);
  Value place = plan::undoReshapes(builder, copy.getLoc(), sliceCopy, *reshapes);
  if (!plan::moveTo(place, alloc, before, anchor, acceptsStrides))
    return false;
  copy.erase();
  // The parts of a nested concat are parts of the outer one now; seen otherwise they would seem to overlap.
  for (Operation *user : llvm::make_early_inc_range(place.getUsers()))
    if (auto part = dyn_cast<memref::SubViewOp>(user))
      composed(part);
  return true;
}

// Moves `op` before `anchor`, behind the index arithmetic that it needs; the anchor stays the op after them.
void hoist(Operation *op, Operation *&anchor) {
  for (Value operand : op->getOperands())
    if (Operation *extent = operand.getDefiningOp(); extent && !extent->isBeforeInBlock(anchor))
      hoist(extent, anchor);
  if (op == anchor)
    anchor = anchor->getNextNode();
  else
    op->moveBefore(anchor);
}

// Moves the allocations to the front; returns an op after them that nobody else knows, and so nobody erases.
Operation *hoistAllocations(Block &block) {
  Operation *next = &block.front();
  for (auto alloc : llvm::to_vector(block.getOps<memref::AllocOp>()))
    hoist(alloc, next);
  OpBuilder builder(next);
  return builder.create<arith::ConstantIndexOp>(next->getLoc(), 0);
}

struct ElideCopies : impl::ElideCopiesBase<ElideCopies> {
  void runOnOperation() final {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      Operation *anchor = hoistAllocations(function.front());
      // Backwards: the outer concat of two nested ones takes the inner one in before that takes in its parts.
      SmallVector<memref::CopyOp> copies(function.front().getOps<memref::CopyOp>());
      for (memref::CopyOp copy : llvm::reverse(copies))
        elide(copy, anchor);
      plan::elideTransposes(function.front(), anchor);
      anchor->erase();
    }
  }
};

} // namespace

} // namespace aotc
