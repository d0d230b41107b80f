#include "lowering/plan/ShareInPlace.h"

#include "ir/kern/Dialect.h"
#include "lowering/plan/Buffers.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace aotc::plan {

SmallVector<Value> sameElementOperands(Operation *step) {
  SmallVector<Value> operands;
  if (auto generic = dyn_cast<linalg::GenericOp>(step)) {
    if (generic.getNumParallelLoops() != generic.getNumLoops() || generic.getNumDpsInits() != 1)
      return {};
    for (OpOperand *operand : generic.getDpsInputOperands())
      if (generic.getMatchingIndexingMap(operand).isIdentity())
        operands.push_back(operand->get());
  } else if (auto kernel = dyn_cast<kern::EpilogueOp>(step)) {
    for (auto [extra, map] : llvm::zip(kernel.getExtras(), kernel.getExtraMaps().getAsValueRange<AffineMapAttr>()))
      if (map.isIdentity())
        operands.push_back(extra);
  } else if (auto softmax = dyn_cast<kern::SoftmaxOp>(step)) {
    operands.push_back(softmax.getX());
  }
  return operands;
}

// Whether `step` also reads the buffer in some other way, as a kernel's main input.
static bool readsOtherwise(Operation *step, Value base, Value sameElement) {
  auto destination = cast<DestinationStyleOpInterface>(step);
  for (OpOperand *input : destination.getDpsInputOperands())
    if (input->get() != sameElement && baseOf(input->get()) == base)
      return true;
  return false;
}

// An element of the two views lies at the same distance from its buffer's start.
static bool haveSamePlaces(Value x, Value y) { return x.getType() == y.getType(); }

static bool isLastUser(Operation *step, Value base) {
  return llvm::all_of(usersOf(base), [&](Operation *user) { return user == step || user->isBeforeInBlock(step); });
}
static bool isFirstUser(Operation *step, Value base) {
  return llvm::all_of(usersOf(base), [&](Operation *user) { return user == step || step->isBeforeInBlock(user); });
}

static void tryShare(Operation *step) {
  auto destination = dyn_cast<DestinationStyleOpInterface>(step);
  if (!destination || destination.getNumDpsInits() != 1)
    return;
  Value out = destination.getDpsInitOperand(0)->get(), outBase = baseOf(out);
  for (Value operand : sameElementOperands(step)) {
    Value base = baseOf(operand);
    if (!base.getDefiningOp<memref::AllocOp>() || !outBase.getDefiningOp<memref::AllocOp>() || base == outBase ||
        base.getType() != outBase.getType() || !haveSamePlaces(operand, out) ||
        base.getParentBlock() != outBase.getParentBlock())
      continue;
    if (!isLastUser(step, base) || !isFirstUser(step, outBase) || readsOtherwise(step, base, operand))
      continue;
    outBase.replaceAllUsesWith(base);
    outBase.getDefiningOp()->erase();
    return;
  }
}

// Copies whose source took over their target's place have nothing left to do.
static void eraseSelfCopies(func::FuncOp function) {
  function.walk([](linalg::CopyOp copy) {
    if (copy.getDpsInputs().front() == copy.getDpsInits().front())
      copy.erase();
  });
}

void shareInPlace(func::FuncOp function) {
  SmallVector<Operation *> steps;
  for (Operation &op : function.front())
    if (isStep(&op))
      steps.push_back(&op);
  for (Operation *step : steps)
    tryShare(step);
  eraseSelfCopies(function);
}

} // namespace aotc::plan
