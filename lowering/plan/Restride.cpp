#include "lowering/plan/Restride.h"

#include "lowering/plan/Buffers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace aotc::plan {

bool isBefore(Operation *user, Operation *op) {
  return op->getBlock()->findAncestorOpInBlock(*user)->isBeforeInBlock(op);
}

bool writes(Operation *user, Value memref) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(user);
  if (!effects)
    return true;
  SmallVector<MemoryEffects::EffectInstance> found;
  effects.getEffectsOnValue(memref, found);
  return llvm::any_of(found, [](auto &effect) { return isa<MemoryEffects::Write>(effect.getEffect()); });
}

bool isWrittenAfter(Value base, Operation *op) {
  for (Value alias : viewsOf(base))
    for (Operation *user : alias.getUsers())
      if (!isView(user) && user != op && !isBefore(user, op) && writes(user, alias))
        return true;
  return false;
}

std::optional<SmallVector<Operation *>> reshapesFrom(Value alloc, Value source) {
  SmallVector<Operation *> reshapes;
  while (source != alloc) {
    Operation *op = source.getDefiningOp();
    if (!isa_and_nonnull<memref::ExpandShapeOp, memref::CollapseShapeOp>(op))
      return std::nullopt;
    reshapes.push_back(op);
    source = op->getOperand(0);
  }
  return reshapes;
}

Value undoReshapes(OpBuilder &builder, Location loc, Value view, ArrayRef<Operation *> reshapes) {
  for (Operation *op : reshapes) {
    auto type = cast<MemRefType>(view.getType());
    if (auto expand = dyn_cast<memref::ExpandShapeOp>(op)) {
      auto groups = expand.getReassociationIndices();
      if (!memref::CollapseShapeOp::isGuaranteedCollapsible(type, groups))
        return {};
      view = builder.create<memref::CollapseShapeOp>(loc, view, groups);
      continue;
    }
    auto collapse = cast<memref::CollapseShapeOp>(op);
    auto original = cast<MemRefType>(collapse.getSrc().getType());
    auto expanded =
        memref::ExpandShapeOp::computeExpandedType(type, original.getShape(), collapse.getReassociationIndices());
    if (failed(expanded))
      return {};
    view = builder.create<memref::ExpandShapeOp>(loc, *expanded, view, collapse.getReassociationIndices());
  }
  return view;
}

// The type that a view has on a source of another layout, or null where there is none.
static MemRefType viewTypeOn(Operation *view, MemRefType source) {
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

using Accepts = llvm::function_ref<bool(OpOperand &, MemRefType)>;

static bool collectChanges(Value value, MemRefType type, Accepts accepts,
                           SmallVectorImpl<std::pair<Value, MemRefType>> &changes) {
  for (OpOperand &use : value.getUses()) {
    Operation *user = use.getOwner();
    if (!isView(user)) {
      if (!accepts(use, type))
        return false;
      continue;
    }
    MemRefType viewType = viewTypeOn(user, type);
    if (!viewType)
      return false;
    changes.push_back({user->getResult(0), viewType});
    if (!collectChanges(user->getResult(0), viewType, accepts, changes))
      return false;
  }
  return true;
}

bool moveTo(Value place, memref::AllocOp alloc, Operation *before, Operation *end, Accepts accepts) {
  SmallVector<std::pair<Value, MemRefType>> changes;
  if (!place || !collectChanges(alloc, cast<MemRefType>(place.getType()), accepts, changes)) {
    while (end->getPrevNode() != before)
      end->getPrevNode()->erase();
    return false;
  }
  for (auto [view, viewType] : changes)
    view.setType(viewType);
  alloc.replaceAllUsesWith(place);
  alloc.erase();
  return true;
}

} // namespace aotc::plan
