// Places every buffer in one arena: order, in-place sharing, lifetimes by step, offsets, and an independent check.
//
//   %a = memref.alloc : memref<34x34x16xf32>
//   ==>  %c = arith.constant 73984 : index
//        %a = memref.view %arena[%c][] : memref<152448xi8> to memref<34x34x16xf32>
//
// The function gets the arena as its first argument and these attributes, all in bytes: aotc.arena_bytes,
// aotc.live_bytes (the largest sum of live buffers at any step), aotc.bound_bytes (that sum without scratch memory),
// aotc.scratch_per_thread (what each thread after the first needs behind the arena), aotc.input_offsets (one per input;
// -1 for one with a default, which has no place of its own), aotc.states (of each state what is known of it, its type
// and offset: it keeps its place from run to run). A step with scratch memory gets aotc.scratch_offset, the
// first thread's place.
#include "lowering/Passes.h"
#include "lowering/plan/ArenaChecker.h"
#include "lowering/plan/ArenaPlanner.h"
#include "lowering/plan/Buffers.h"
#include "lowering/plan/ScheduleSteps.h"
#include "lowering/plan/ShareInPlace.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace aotc {

#define GEN_PASS_DEF_PLANARENA
#include "lowering/Passes.h.inc"

using namespace mlir;

namespace {

constexpr int64_t cacheLineBytes = 64;

using StepNumbers = llvm::DenseMap<Operation *, int>;

// Numbers the steps in order, those in branches and loops behind these; `ends` are the last numbers within each.
void numberSteps(Block &block, int &next, StepNumbers &numbers, StepNumbers &ends) {
  for (Operation &op : block) {
    if (!plan::isStep(&op))
      continue;
    numbers[&op] = next++;
    if (isa<scf::IfOp, scf::WhileOp>(op))
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          numberSteps(inner, next, numbers, ends);
    ends[&op] = next - 1;
  }
  numbers[block.getTerminator()] = next;
}

// The loop that an allocation was in before it was moved out: its contents are no longer needed than an iteration.
using HomeLoops = llvm::DenseMap<Operation *, Operation *>;

// Of the loops around an op, the outermost one that is not around `home` too; the op itself where there is none. It
// goes round while whatever is not its own has to keep its contents.
Operation *spanOf(Operation *user, Operation *home) {
  Operation *span = user;
  for (Operation *around = user->getParentOp(); around && !isa<func::FuncOp>(around); around = around->getParentOp()) {
    if (around == home)
      break;
    if (isa<scf::WhileOp>(around))
      span = around;
  }
  return span;
}

// The lifetime of a buffer: from its first to its last user; a result's reaches the function's end.
plan::ArenaBuffer describe(Value base, const StepNumbers &numbers, const StepNumbers &ends, Operation *home,
                           bool isInput, int64_t alignmentBytes) {
  plan::ArenaBuffer buffer;
  int64_t bytes = plan::boundBytes(base);
  buffer.sizeBytes = bytes;
  buffer.alignmentBytes = bytes < cacheLineBytes && alignmentBytes <= cacheLineBytes ? 16 : alignmentBytes;
  buffer.firstStep = isInput ? -1 : std::numeric_limits<int>::max();
  buffer.lastStep = -1;
  auto use = [&](Operation *op) {
    Operation *span = spanOf(op, home);
    buffer.firstStep = std::min(buffer.firstStep, numbers.lookup(span));
    buffer.lastStep = std::max(buffer.lastStep, ends.count(span) ? ends.lookup(span) : numbers.lookup(span));
  };
  for (Value view : plan::viewsOf(base))
    for (Operation *user : view.getUsers())
      if (numbers.count(user))
        use(user);
      else if (isa<memref::LoadOp>(user)) // the condition of a branch or a loop
        for (Operation *reader : user->getUsers())
          use(isa<scf::ConditionOp>(reader) ? reader->getParentOp() : reader);
  if (buffer.firstStep > buffer.lastStep)
    buffer.firstStep = buffer.lastStep;
  return buffer;
}

// The steps with scratch memory of their own, those in branches included.
SmallVector<Operation *> stepsWithScratch(func::FuncOp function) {
  SmallVector<Operation *> steps;
  function.walk([&](Operation *op) {
    if (plan::scratchBytes(op) > 0)
      steps.push_back(op);
  });
  return steps;
}

plan::ArenaBuffer describeScratch(Operation *step, const StepNumbers &numbers, int64_t alignmentBytes) {
  plan::ArenaBuffer buffer;
  buffer.name = "scratch memory of '" + step->getName().getStringRef().str() + "'";
  buffer.sizeBytes = plan::scratchBytes(step);
  buffer.alignmentBytes = alignmentBytes;
  buffer.firstStep = buffer.lastStep = numbers.lookup(step);
  return buffer;
}

struct PlanArena : impl::PlanArenaBase<PlanArena> {
  using PlanArenaBase::PlanArenaBase;
  void runOnOperation() final {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(plan(function)))
        return signalPassFailure();
  }

private:
  LogicalResult plan(func::FuncOp function) {
    HomeLoops homes = hoistAllocations(function);
    bool isOrderOptimal = plan::scheduleSteps(function);
    plan::shareStates(function);  // before a state's next value shares another buffer
    plan::shareInPlace(function); // after ordering, which decides what is used last where
    StepNumbers numbers, ends;
    int next = 0;
    numberSteps(function.front(), next, numbers, ends);

    SmallVector<Value> bases; // inputs, then allocations; bounded dims follow the inputs among the arguments
    for (BlockArgument argument : function.getArguments())
      if (isa<MemRefType>(argument.getType()))
        bases.push_back(argument);
    size_t inputCount = bases.size();
    for (auto alloc : function.front().getOps<memref::AllocOp>())
      bases.push_back(alloc);
    std::vector<plan::ArenaBuffer> buffers;
    for (auto [i, base] : llvm::enumerate(bases)) {
      Operation *home = i < inputCount ? nullptr : homes.lookup(base.getDefiningOp());
      buffers.push_back(describe(base, numbers, ends, home, i < inputCount, alignment));
      if (isState(base)) { // also between runs
        buffers.back().firstStep = -1;
        buffers.back().lastStep = numbers.lookup(function.front().getTerminator());
      }
      if (i < inputCount && hasDefault(function, i))
        buffers.back().sizeBytes = 0; // read from the weights, or from the caller's own buffer
      buffers.back().name = "buffer " + std::to_string(i);
    }
    int64_t boundBytes = plan::liveBytes(buffers);
    SmallVector<Operation *> scratchSteps = stepsWithScratch(function);
    for (Operation *step : scratchSteps)
      buffers.push_back(describeScratch(step, numbers, alignment));
    plan::ArenaPlan arena = plan::planArena(buffers);
    std::string wrong = plan::checkArena(buffers, arena.offsetBytes, arena.totalBytes);
    if (!wrong.empty())
      return function.emitError("internal error: ") << wrong;
    placeScratch(function, scratchSteps, ArrayRef<int64_t>(arena.offsetBytes).take_back(scratchSteps.size()), arena);
    rewrite(function, bases, inputCount, arena);
    Builder builder(&getContext());
    function->setAttr("aotc.bound_bytes", builder.getI64IntegerAttr(boundBytes));
    if (arena.provenOptimal)
      function->setAttr("aotc.arena_optimal", builder.getUnitAttr());
    if (isOrderOptimal)
      function->setAttr("aotc.order_optimal", builder.getUnitAttr());
    return success();
  }

  static bool isState(Value base) { return base.getDefiningOp() && base.getDefiningOp()->hasAttr("aotc.state"); }

  static bool hasDefault(func::FuncOp function, size_t input) {
    return bool(function.getArgAttr(static_cast<unsigned>(input), "aotc.default"));
  }

  // Buffers of branches and loops are placed like all others.
  static HomeLoops hoistAllocations(func::FuncOp function) {
    HomeLoops homes;
    SmallVector<memref::AllocOp> nested;
    function.walk([&](memref::AllocOp alloc) {
      if (alloc->getBlock() != &function.front())
        nested.push_back(alloc);
    });
    for (memref::AllocOp alloc : nested) {
      homes[alloc] = alloc->getParentOfType<scf::WhileOp>();
      moveOut(alloc, function.front().findAncestorOpInBlock(*alloc));
    }
    return homes;
  }

  // Moves an op out of branches and loops, behind the index arithmetic that it needs.
  static void moveOut(Operation *op, Operation *before) {
    for (Value operand : op->getOperands())
      if (Operation *extent = operand.getDefiningOp(); extent && extent->getBlock() != before->getBlock())
        moveOut(extent, before);
    op->moveBefore(before);
  }

  // Threads after the first have their scratch memory behind the arena, each aligned like the arena's buffers.
  static void placeScratch(func::FuncOp function, ArrayRef<Operation *> steps, ArrayRef<int64_t> offsets,
                           plan::ArenaPlan &arena) {
    Builder builder(function.getContext());
    int64_t perThread = 0;
    for (auto [step, offset] : llvm::zip(steps, offsets)) {
      step->setAttr("aotc.scratch_offset", builder.getI64IntegerAttr(offset));
      perThread = std::max(perThread, plan::scratchBytes(step));
    }
    if (perThread == 0)
      return;
    function->setAttr("aotc.scratch_per_thread", builder.getI64IntegerAttr(perThread));
    arena.totalBytes = llvm::alignTo(arena.totalBytes, cacheLineBytes);
  }

  static void rewrite(func::FuncOp function, ArrayRef<Value> bases, size_t inputCount, const plan::ArenaPlan &arena) {
    OpBuilder builder(function.getContext());
    auto bytes = MemRefType::get({arena.totalBytes}, builder.getI8Type());
    function.insertArgument(0, bytes, {}, function.getLoc());
    Value whole = function.getArgument(0);
    SmallVector<Attribute> states;
    for (size_t i = inputCount; i < bases.size(); ++i) {
      auto alloc = bases[i].getDefiningOp<memref::AllocOp>();
      if (auto description = alloc->getAttrOfType<DictionaryAttr>("aotc.state")) {
        NamedAttrList state(description);
        state.set("aotc.offset", builder.getI64IntegerAttr(arena.offsetBytes[i]));
        state.set("aotc.type", TypeAttr::get(alloc.getType()));
        states.push_back(state.getDictionary(builder.getContext()));
      }
      builder.setInsertionPoint(alloc);
      Value offset = builder.create<arith::ConstantIndexOp>(alloc->getLoc(), arena.offsetBytes[i]);
      auto view =
          builder.create<memref::ViewOp>(alloc->getLoc(), alloc.getType(), whole, offset, alloc.getDynamicSizes());
      alloc->replaceAllUsesWith(view);
      alloc->erase();
    }
    if (!states.empty())
      function->setAttr("aotc.states", builder.getArrayAttr(states));
    SmallVector<int64_t> offsets(ArrayRef<int64_t>(arena.offsetBytes).take_front(inputCount));
    for (size_t i = 0; i < inputCount; ++i)
      if (hasDefault(function, i + 1))
        offsets[i] = -1;
    function->setAttr("aotc.input_offsets", builder.getDenseI64ArrayAttr(offsets));
    function->setAttr("aotc.arena_bytes", builder.getI64IntegerAttr(arena.totalBytes));
    function->setAttr("aotc.live_bytes", builder.getI64IntegerAttr(arena.liveBytes));
  }
};

} // namespace

} // namespace aotc
