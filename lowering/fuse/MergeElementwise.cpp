// Makes one step with several results of element-wise steps that read one another, or the same tensors.
//
//   %c = linalg.generic ins(%gates, %state)           %c, %h = linalg.generic ins(%gates, %state) {
//   %h = linalg.generic ins(%gates, %c)          ==>    ^bb0(…): … yield %new, tanh(%new) * o
//   use(%c), use(%h)                                  }
//
// So a recurrent cell computes its states in one pass over its gates, and a rotary embedding both halves of a head in
// one pass over it. Runs when all that can end a kernel does: a step with several results cannot.
#include "ir/kern/Vectors.h"
#include "lowering/Passes.h"
#include "lowering/convert/Extents.h"
#include "lowering/fuse/Elementwise.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace aotc {

#define GEN_PASS_DEF_MERGEELEMENTWISE
#include "lowering/Passes.h.inc"

using namespace mlir;

namespace {

constexpr unsigned mostResults = 4;
constexpr unsigned mostReaders = 16; // of a value that are looked at, so that the sweep stays linear

Type elementOf(linalg::GenericOp op) { return getElementTypeOrSelf(op.getResult(0).getType()); }

// Several results are stored by a kernel that takes them in one type, as vectors.
bool canMerge(linalg::GenericOp op) {
  Type element = elementOf(op);
  auto hasElement = [&](Type type) { return getElementTypeOrSelf(type) == element; };
  return fuse::isElementwise(op) && (element.isF32() || element.isF64()) &&
         llvm::all_of(op.getResultTypes(), hasElement) && kern::isVectorBody(*op.getBody(), element);
}

bool readsAtPlace(linalg::GenericOp op, OpOperand *operand) { return op.getMatchingIndexingMap(operand).isIdentity(); }

// The tensors of which each element is read once, at its place.
llvm::SmallSetVector<Value, 8> wholeInputs(linalg::GenericOp op) {
  llvm::SmallSetVector<Value, 8> inputs;
  for (OpOperand *operand : op.getDpsInputOperands())
    if (readsAtPlace(op, operand))
      inputs.insert(operand->get());
  return inputs;
}

bool isFrom(Value value, linalg::GenericOp op) { return value.getDefiningOp() == op; }

// Whether `second` saves reads by being one with `first`: it reads what that computes, or nothing but what that reads.
bool pays(linalg::GenericOp first, linalg::GenericOp second) {
  auto earlier = wholeInputs(first), later = wholeInputs(second);
  if (llvm::any_of(later, [&](Value input) { return isFrom(input, first); }))
    return true;
  auto contains = [](auto &all, auto &some) {
    return !some.empty() && llvm::all_of(some, [&](Value input) { return all.contains(input); });
  };
  return contains(earlier, later) || contains(later, earlier);
}

// Whether `first` may be computed where `second` is: nobody before that needs it, and `second` needs it at its place.
bool canMoveTo(linalg::GenericOp first, linalg::GenericOp second) {
  for (OpOperand &use : first->getUses()) {
    Operation *user = first->getBlock()->findAncestorOpInBlock(*use.getOwner());
    if (user == second ? !second.isDpsInput(&use) || !readsAtPlace(second, &use) : user->isBeforeInBlock(second))
      return false;
  }
  return true;
}

bool isWorthMerging(linalg::GenericOp first, linalg::GenericOp second) {
  return first != second && first->getBlock() == second->getBlock() && first->isBeforeInBlock(second) &&
         canMerge(first) && elementOf(first) == elementOf(second) &&
         convert::extentsOf(first.getResult(0)) == convert::extentsOf(second.getResult(0)) &&
         first.getNumResults() + second.getNumResults() <= mostResults &&
         fuse::regionSize(*first.getBody()) + fuse::regionSize(*second.getBody()) <= fuse::largestRegion &&
         pays(first, second) && canMoveTo(first, second);
}

// The element-wise steps that a merge with `op` could save reads with.
SmallVector<linalg::GenericOp> candidates(linalg::GenericOp op) {
  llvm::SmallSetVector<Operation *, 8> found;
  for (Value input : wholeInputs(op)) {
    if (input.getDefiningOp<linalg::GenericOp>())
      found.insert(input.getDefiningOp());
    unsigned looked = 0;
    for (Operation *reader : input.getUsers()) {
      if (++looked > mostReaders)
        break;
      if (isa<linalg::GenericOp>(reader))
        found.insert(reader);
    }
  }
  return llvm::map_to_vector(found, [](Operation *reader) { return cast<linalg::GenericOp>(reader); });
}

// The operands of `second` that are not results of `first`.
SmallVector<OpOperand *> otherInputs(linalg::GenericOp second, linalg::GenericOp first) {
  SmallVector<OpOperand *> inputs = second.getDpsInputOperands();
  llvm::erase_if(inputs, [&](OpOperand *operand) { return isFrom(operand->get(), first); });
  return inputs;
}

// Copies the body of `op` and appends what it yields.
void appendBody(OpBuilder &builder, linalg::GenericOp op, IRMapping &values, SmallVectorImpl<Value> &results) {
  for (Operation &inner : op.getBody()->without_terminator())
    builder.clone(inner, values);
  for (Value result : op.getBody()->getTerminator()->getOperands())
    results.push_back(values.lookupOrDefault(result));
}

// The bodies one after the other, on the inputs of `first` and those that `second` has besides.
void buildBody(OpBuilder &builder, Location loc, linalg::GenericOp first, linalg::GenericOp second, ValueRange inputs) {
  IRMapping values;
  SmallVector<Value> results;
  for (OpOperand *operand : first.getDpsInputOperands()) {
    values.map(first.getMatchingBlockArgument(operand), inputs.front());
    inputs = inputs.drop_front();
  }
  appendBody(builder, first, values, results);
  for (OpOperand *operand : second.getDpsInputOperands()) {
    auto result = dyn_cast<OpResult>(operand->get());
    bool isResult = isFrom(operand->get(), first);
    values.map(second.getMatchingBlockArgument(operand), isResult ? results[result.getResultNumber()] : inputs.front());
    inputs = inputs.drop_front(isResult ? 0 : 1);
  }
  appendBody(builder, second, values, results);
  builder.create<linalg::YieldOp>(loc, results);
}

// One op at the place of `second`: the results of `first`, then its own.
linalg::GenericOp merge(RewriterBase &rewriter, linalg::GenericOp first, linalg::GenericOp second) {
  SmallVector<Value> inputs(first.getInputs()), outputs(first.getOutputs());
  SmallVector<AffineMap> maps(ArrayRef<AffineMap>(first.getIndexingMapsArray()).take_front(inputs.size()));
  for (OpOperand *operand : otherInputs(second, first)) {
    inputs.push_back(operand->get());
    maps.push_back(second.getMatchingIndexingMap(operand));
  }
  llvm::append_range(outputs, second.getOutputs());
  maps.append(outputs.size(), rewriter.getMultiDimIdentityMap(first.getNumLoops()));
  rewriter.setInsertionPoint(second);
  auto merged = rewriter.create<linalg::GenericOp>(
      rewriter.getFusedLoc({first.getLoc(), second.getLoc()}), ValueRange(outputs).getTypes(), inputs, outputs, maps,
      first.getIteratorTypesArray(), [&](OpBuilder &builder, Location loc, ValueRange arguments) {
        buildBody(builder, loc, first, second, arguments.take_front(inputs.size()));
      });
  rewriter.replaceOp(second, merged->getResults().take_back(second.getNumResults()));
  rewriter.replaceOp(first, merged->getResults().take_front(first.getNumResults()));
  fuse::mergeEqualInputs(merged);
  return merged;
}

struct MergeElementwise : impl::MergeElementwiseBase<MergeElementwise> {
  void runOnOperation() final {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](Block *block) {
      for (linalg::GenericOp op : llvm::to_vector(block->getOps<linalg::GenericOp>()))
        mergeInto(rewriter, op);
    });
  }

private:
  // Every merge erases ops before `op`, and replaces it.
  static void mergeInto(RewriterBase &rewriter, linalg::GenericOp op) {
    for (bool found = canMerge(op); found;) {
      found = false;
      for (linalg::GenericOp first : candidates(op))
        if (isWorthMerging(first, op)) {
          op = merge(rewriter, first, op);
          found = true;
          break;
        }
    }
  }
};

} // namespace

} // namespace aotc
