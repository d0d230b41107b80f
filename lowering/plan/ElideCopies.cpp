// Lets a producer write straight into the slice that its result would be copied to, as the parts of a concat do.
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
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace aotc {

#define GEN_PASS_DEF_ELIDECOPIES
#include "lowering/Passes.h.inc"

using namespace mlir;

namespace {

// ------------------------------------------------------------------------------------------------------- other strides
// The type that a view has on a source of another layout, or null where there is none.
MemRefType viewTypeOn(Operation *view, MemRefType source) {
  if (auto expand = dyn_cast<memref::ExpandShapeOp>(view)) {
    auto type = memref::ExpandShapeOp::computeExpandedType(source, expand.getResultType().getShape(),
                                                           expand.getReassociationIndices());
    return succeeded(type) ? *type : MemRefType();
  }
  if (auto collapse = dyn_cast<memref::CollapseShapeOp>(view)) {
    auto groups = collapse.getReassociationIndices();
    if (!memref::CollapseShapeOp::isGuaranteedCollapsible(source, groups))
      return {};
    return memref::CollapseShapeOp::computeCollapsedType(source, groups);
  }
  if (auto subview = dyn_cast<memref::SubViewOp>(view))
    return cast<MemRefType>(
        memref::SubViewOp::inferRankReducedResultType(subview.getType().getShape(), source, subview.getMixedOffsets(),
                                                      subview.getMixedSizes(), subview.getMixedStrides()));
  return {};
}

bool acceptsStrides(Operation *user, MemRefType type) {
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(getStridesAndOffset(type, strides, offset)))
    return false;
  if (isa<linalg::LinalgOp, memref::CopyOp>(user))
    return true;
  auto kernel = dyn_cast<kern::KernelOp>(user);
  return kernel && kernel.acceptsStrides() && (strides.empty() || strides.back() == 1);
}

// Whether every user of `value`, directly or through views, can work on `type` instead. Collects the views' new types.
bool canBecome(Value value, MemRefType type, SmallVectorImpl<std::pair<Value, MemRefType>> &changes) {
  changes.push_back({value, type});
  for (Operation *user : value.getUsers()) {
    if (plan::isView(user)) {
      MemRefType viewType = viewTypeOn(user, type);
      if (!viewType || !canBecome(user->getResult(0), viewType, changes))
        return false;
    } else if (!acceptsStrides(user, type)) {
      return false;
    }
  }
  return true;
}

// ---------------------------------------------------------------------------------------------------------- the copies
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

// The op of the copy's block that `user` is, or is nested in.
Operation *inBlockOf(memref::CopyOp copy, Operation *user) { return copy->getBlock()->findAncestorOpInBlock(*user); }

// Before the copy, the destination may only have been written through other slices that do not touch this one.
bool isUntouchedBefore(memref::SubViewOp slice, memref::CopyOp copy) {
  auto isLater = [&](Operation *use) { return !inBlockOf(copy, use)->isBeforeInBlock(copy); };
  for (Operation *user : slice.getSource().getUsers()) {
    auto other = dyn_cast<memref::SubViewOp>(user);
    if (other == slice || (other && isPlainSlice(other) && !overlap(slice, other)))
      continue;
    if (plan::isView(user) ? !llvm::all_of(plan::usersOf(user->getResult(0)), isLater) : !isLater(user))
      return false;
  }
  return llvm::all_of(plan::usersOf(slice.getResult()), isLater);
}

bool writes(Operation *user, Value memref) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(user);
  if (!effects)
    return true;
  SmallVector<MemoryEffects::EffectInstance> found;
  effects.getEffectsOnValue(memref, found);
  return llvm::any_of(found, [](auto &effect) { return isa<MemoryEffects::Write>(effect.getEffect()); });
}

bool isWrittenAfter(Value base, memref::CopyOp copy) {
  for (Value alias : plan::viewsOf(base))
    for (Operation *user : alias.getUsers()) {
      Operation *outer = inBlockOf(copy, user);
      if (!plan::isView(user) && outer != copy && !outer->isBeforeInBlock(copy) && writes(user, alias))
        return true;
    }
  return false;
}

// After the copy, the slice must not be written while the small buffer is still read, and the other way round: concats
// are written once, so it is enough that nobody but the copy writes either of them from here on.
bool isFinal(memref::SubViewOp slice, Value alloc, memref::CopyOp copy) {
  if (isWrittenAfter(slice, copy) || isWrittenAfter(alloc, copy))
    return false;
  return llvm::all_of(slice.getSource().getUsers(), [&](Operation *user) {
    auto other = dyn_cast<memref::SubViewOp>(user);
    if (other == slice || (other && isPlainSlice(other) && !overlap(slice, other)))
      return true;
    if (plan::isView(user))
      return !isWrittenAfter(user->getResult(0), copy);
    return inBlockOf(copy, user)->isBeforeInBlock(copy) || !writes(user, slice.getSource());
  });
}

// The source of the copy seen from its allocation: the reshapes between them, outermost last.
SmallVector<Operation *> reshapesFrom(Value alloc, Value source) {
  SmallVector<Operation *> reshapes;
  while (source != alloc) {
    Operation *op = source.getDefiningOp();
    if (!isa<memref::ExpandShapeOp, memref::CollapseShapeOp>(op))
      return {nullptr};
    reshapes.push_back(op);
    source = op->getOperand(0);
  }
  return reshapes;
}

// Builds the view of `slice` that looks like the allocation: each reshape undone. Null where the strides forbid it.
Value undo(OpBuilder &builder, Location loc, Value slice, ArrayRef<Operation *> reshapes) {
  for (Operation *op : reshapes) {
    auto type = cast<MemRefType>(slice.getType());
    if (auto expand = dyn_cast<memref::ExpandShapeOp>(op)) {
      auto groups = expand.getReassociationIndices();
      if (!memref::CollapseShapeOp::isGuaranteedCollapsible(type, groups))
        return {};
      slice = builder.create<memref::CollapseShapeOp>(loc, slice, groups);
      continue;
    }
    auto collapse = cast<memref::CollapseShapeOp>(op);
    auto original = cast<MemRefType>(collapse.getSrc().getType());
    auto expanded =
        memref::ExpandShapeOp::computeExpandedType(type, original.getShape(), collapse.getReassociationIndices());
    if (failed(expanded))
      return {};
    slice = builder.create<memref::ExpandShapeOp>(loc, *expanded, slice, collapse.getReassociationIndices());
  }
  return slice;
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
  SmallVector<Operation *> reshapes = reshapesFrom(alloc, source);
  if (llvm::is_contained(reshapes, nullptr))
    return false;

  OpBuilder builder(anchor);
  Operation *before = anchor->getPrevNode();
  Value sliceCopy = builder.clone(*slice)->getResult(0);
  Value place = undo(builder, copy.getLoc(), sliceCopy, reshapes);
  SmallVector<std::pair<Value, MemRefType>> changes;
  bool fits = place && canBecome(alloc, cast<MemRefType>(place.getType()), changes);
  if (!fits) { // take back what was built
    while (anchor->getPrevNode() != before)
      anchor->getPrevNode()->erase();
    return false;
  }
  for (auto [value, type] : llvm::drop_begin(changes))
    value.setType(type);
  copy.erase();
  alloc.getResult().replaceAllUsesWith(place);
  alloc.erase();
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

// Moves the allocations to the front; returns the op after them.
Operation *hoistAllocations(Block &block) {
  Operation *anchor = &block.front();
  for (auto alloc : llvm::to_vector(block.getOps<memref::AllocOp>()))
    hoist(alloc, anchor);
  return anchor;
}

struct ElideCopies : impl::ElideCopiesBase<ElideCopies> {
  void runOnOperation() final {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      Operation *anchor = hoistAllocations(function.front());
      // Backwards: the outer concat of two nested ones takes the inner one in before that takes in its parts.
      SmallVector<memref::CopyOp> copies(function.front().getOps<memref::CopyOp>());
      for (memref::CopyOp copy : llvm::reverse(copies))
        elide(copy, anchor);
    }
  }
};

} // namespace

} // namespace aotc
