#include "lowering/plan/ShareInPlace.h"

#include "ir/kern/Dialect.h"
#include "lowering/plan/Buffers.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace aotc::plan {

// The operands indexed like the result. Softmax and calls that say so may work in place by their kernel's contract.
static SmallVector<OpOperand *> identityOperands(Operation *step) {
  SmallVector<OpOperand *> operands;
  if (auto generic = dyn_cast<linalg::GenericOp>(step)) {
    if (generic.getNumParallelLoops() != generic.getNumLoops())
      return {};
    for (OpOperand *operand : generic.getDpsInputOperands())
      if (generic.getMatchingIndexingMap(operand).isIdentity())
        operands.push_back(operand);
  } else if (auto kernel = dyn_cast<kern::EpilogueOp>(step); kernel && kernel.storesEpilogue()) {
    MutableOperandRange extras = kernel.getExtrasMutable();
    for (auto [i, map] : llvm::enumerate(kernel.getExtraMaps().getAsValueRange<AffineMapAttr>()))
      if (map.isIdentity())
        operands.push_back(&extras[i]);
    if (auto softmax = dyn_cast<kern::SoftmaxOp>(step))
      operands.push_back(&softmax.getXMutable());
  } else if (auto call = dyn_cast<kern::CallOp>(step); call && call.getInPlace() && call.getNumDpsInits() == 1) {
    operands.push_back(&call.getInputsMutable()[static_cast<unsigned>(*call.getInPlace())]);
  }
  return operands;
}

SmallVector<Value> sameElementOperands(Operation *step) {
  SmallVector<Value> values;
  SmallVector<OpOperand *> operands = identityOperands(step);
  for (OpOperand *operand : operands) {
    // Another operand may read the same buffer elsewhere: a convolution adds its own input.
    auto isHarmless = [&](OpOperand *other) {
      return baseOf(other->get()) != baseOf(operand->get()) ||
             (other->get().getType() == operand->get().getType() && llvm::is_contained(operands, other));
    };
    if (llvm::all_of(cast<DestinationStyleOpInterface>(step).getDpsInputOperands(), isHarmless))
      values.push_back(operand->get());
  }
  return values;
}

namespace {

// The first and the last op of the entry block that uses each buffer.
class Lifetimes {
public:
  explicit Lifetimes(Block &block) {
    for (auto [i, op] : llvm::enumerate(block))
      numbers[&op] = static_cast<int>(i);
  }
  bool isLast(Operation *step, Value base) { return of(base).second == numbers[step]; }
  bool isFirst(Operation *step, Value base) { return of(base).first == numbers[step]; }
  bool isBefore(Operation *x, Operation *y) { return numbers[x] < numbers[y]; }
  // `base` takes over the uses of `other`.
  void merge(Value base, Value other) {
    of(base) = {std::min(of(base).first, of(other).first), std::max(of(base).second, of(other).second)};
    ranges.erase(other);
  }

private:
  using Range = std::pair<int, int>;
  Range &of(Value base) {
    auto [found, isNew] = ranges.try_emplace(base, std::numeric_limits<int>::max(), -1);
    if (isNew)
      for (Operation *user : usersOf(base))
        found->second = {std::min(found->second.first, numbers[user]), std::max(found->second.second, numbers[user])};
    return found->second;
  }
  llvm::DenseMap<Operation *, int> numbers;
  llvm::DenseMap<Value, Range> ranges;
};

} // namespace

// Allocations of one type, their bounded extents from the same values.
static bool haveSameExtents(Value x, Value y) {
  return x.getType() == y.getType() && llvm::equal(x.getDefiningOp()->getOperands(), y.getDefiningOp()->getOperands());
}

// The next value of a state may be computed in the state's place from the last step on that reads the state.
static void tryShareState(memref::CopyOp copy, Lifetimes &lifetimes) {
  auto state = copy.getTarget().getDefiningOp<memref::AllocOp>(),
       next = copy.getSource().getDefiningOp<memref::AllocOp>();
  if (!state || !state->hasAttr("aotc.state") || !next || next->hasAttr("aotc.state") ||
      next.getType() != state.getType() || next->getBlock() != state->getBlock())
    return;
  Operation *first = nullptr;
  for (Operation *user : usersOf(next))
    if (!first || lifetimes.isBefore(user, first))
      first = user;
  for (Operation *user : usersOf(state)) {
    if (user == copy || lifetimes.isBefore(user, first))
      continue;
    auto step = dyn_cast<DestinationStyleOpInterface>(user);
    if (user != first || !step || !llvm::is_contained(step.getDpsInits(), next.getResult()) ||
        !llvm::is_contained(sameElementOperands(user), state.getResult()))
      return;
  }
  copy.erase();
  next->replaceAllUsesWith(state);
  next.erase();
}

void shareStates(func::FuncOp function) {
  Lifetimes lifetimes(function.front());
  for (auto copy : llvm::to_vector(function.front().getOps<memref::CopyOp>()))
    tryShareState(copy, lifetimes);
}

// What is kept between runs, and so in use before its first step and after its last one.
static bool isState(memref::AllocOp alloc) { return alloc->hasAttr("aotc.state"); }

// Lets `out`, which the step writes, be in the place of an operand that nobody reads later.
static void tryShare(DestinationStyleOpInterface step, Value out, Lifetimes &lifetimes) {
  Value outBase = baseOf(out);
  auto isWritten = [&](Value base) { // several results in one place would be one
    return llvm::any_of(step.getDpsInits(), [&](Value init) { return baseOf(init) == base; });
  };
  for (Value operand : sameElementOperands(step)) {
    Value base = baseOf(operand);
    auto alloc = base.getDefiningOp<memref::AllocOp>(), outAlloc = outBase.getDefiningOp<memref::AllocOp>();
    // Equal types of buffers and of views: an element lies at the same distance from its buffer's start.
    if (!alloc || !outAlloc || isState(alloc) || isState(outAlloc) || isWritten(base) ||
        !haveSameExtents(base, outBase) || operand.getType() != out.getType() ||
        alloc->getBlock() != outAlloc->getBlock())
      continue;
    if (!lifetimes.isLast(step, base) || !lifetimes.isFirst(step, outBase))
      continue;
    lifetimes.merge(base, outBase);
    if (lifetimes.isBefore(outAlloc, alloc)) // views of the result's buffer may stand before the operand's buffer
      alloc->moveBefore(outAlloc);
    outBase.replaceAllUsesWith(base);
    outAlloc.erase();
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
  Lifetimes lifetimes(function.front());
  for (Operation *step : steps)
    if (auto destination = dyn_cast<DestinationStyleOpInterface>(step))
      for (int64_t result = 0; result < destination.getNumDpsInits(); ++result)
        tryShare(destination, destination.getDpsInitOperand(result)->get(), lifetimes);
  eraseSelfCopies(function);
}

} // namespace aotc::plan
