#include "lowering/plan/ScheduleSteps.h"

#include "ir/kern/Dialect.h"
#include "lowering/plan/Buffers.h"
#include "lowering/plan/OrderSteps.h"
#include "lowering/plan/OverlappingWrites.h"
#include "lowering/plan/ShareInPlace.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace aotc::plan {

namespace {

// The values of the step graph: one for each allocation and argument.
class ValueNumbers {
public:
  explicit ValueNumbers(func::FuncOp function) {
    for (BlockArgument argument : function.getArguments())
      if (isa<MemRefType>(argument.getType()))
        add(argument).isInput = true;
      else
        addDim(function, argument);
    for (auto alloc : function.front().getOps<memref::AllocOp>())
      add(alloc);
    for (Value result : function.front().getTerminator()->getOperands())
      if (int number = of(result); number >= 0)
        values[number].isOutput = true;
  }

  // The number of the buffer that a memref lies in; -1 for globals, which take no room.
  int of(Value memref) const {
    auto found = numbers.find(baseOf(memref));
    return found == numbers.end() ? -1 : found->second;
  }

  // Those of the dims that a step finds and `op` reads, which are values of no size: the step comes before all its
  // readers.
  void addFoundDims(Operation *op, std::vector<int> &list) const;
  // The number of the dim that `step` finds; -1 for most.
  int foundBy(Operation *step) const {
    auto call = dyn_cast<kern::CallOp>(step);
    auto dim = call && call.getFound() ? foundDims.find(*call.getFound()) : foundDims.end();
    return dim == foundDims.end() ? -1 : dim->second;
  }

  std::vector<StepValue> values;

private:
  void addDim(func::FuncOp function, BlockArgument argument);

  StepValue &add(Value base) {
    numbers[base] = static_cast<int>(values.size());
    values.push_back({boundBytes(base), false, false});
    return values.back();
  }
  llvm::DenseMap<Value, int> numbers;
  llvm::StringMap<int> foundDims;
  SmallVector<int> symbols;                           // of each symbol: the number of the found dim that it is, or -1
  llvm::DenseMap<Value, SmallVector<int>> dimsBehind; // of index arguments: the found ones that they are or follow from
};

void ValueNumbers::addDim(func::FuncOp function, BlockArgument argument) {
  if (function.getArgAttr(argument.getArgNumber(), "aotc.found")) {
    auto name = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "aotc.dim");
    foundDims[name] = static_cast<int>(values.size());
    dimsBehind[argument] = {static_cast<int>(values.size())};
    symbols.push_back(static_cast<int>(values.size()));
    values.push_back({0, false, false});
    return;
  }
  auto map = function.getArgAttrOfType<AffineMapAttr>(argument.getArgNumber(), "aotc.expression");
  if (!map) {
    symbols.push_back(-1);
    return;
  }
  map.getValue().getResult(0).walk([&](AffineExpr part) {
    if (auto symbol = dyn_cast<AffineSymbolExpr>(part); symbol && symbols[symbol.getPosition()] >= 0)
      dimsBehind[argument].push_back(symbols[symbol.getPosition()]);
  });
}

void ValueNumbers::addFoundDims(Operation *op, std::vector<int> &list) const {
  if (foundDims.empty())
    return;
  llvm::SetVector<Value> behind(op->operand_begin(), op->operand_end());
  for (size_t i = 0; i < behind.size(); ++i) {
    if (auto dims = dimsBehind.find(behind[i]); dims != dimsBehind.end())
      for (int number : dims->second)
        if (!llvm::is_contained(list, number))
          list.push_back(number);
    if (Operation *maker = behind[i].getDefiningOp()) // views, allocations and index arithmetic
      behind.insert(maker->operand_begin(), maker->operand_end());
  }
}

void addOnce(std::vector<int> &list, int number) {
  if (number >= 0 && !llvm::is_contained(list, number))
    list.push_back(number);
}

StepNode describe(Operation *step, const ValueNumbers &numbers) {
  StepNode node;
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(step)) {
    for (OpOperand *input : destination.getDpsInputOperands())
      addOnce(node.reads, numbers.of(input->get()));
    for (Value init : destination.getDpsInits())
      addOnce(node.writes, numbers.of(init));
    for (Value operand : sameElementOperands(step))
      node.inPlaceOf = std::max(node.inPlaceOf, numbers.of(operand));
    node.scratchBytes = scratchBytes(step);
  } else if (auto copy = dyn_cast<memref::CopyOp>(step)) {
    addOnce(node.reads, numbers.of(copy.getSource()));
    addOnce(node.writes, numbers.of(copy.getTarget()));
  } else { // a branch: it may read and write whatever is used in it, and its condition
    auto addOperands = [&](Operation *op) {
      node.scratchBytes = std::max(node.scratchBytes, scratchBytes(op));
      for (Value operand : op->getOperands())
        if (isa<MemRefType>(operand.getType())) {
          addOnce(node.reads, numbers.of(operand));
          if (!isa<memref::LoadOp>(op))
            addOnce(node.writes, numbers.of(operand));
        } else if (auto load = operand.getDefiningOp<memref::LoadOp>()) {
          addOnce(node.reads, numbers.of(load.getMemRef()));
        }
    };
    step->walk(addOperands);
  }
  step->walk([&](Operation *op) {
    numbers.addFoundDims(op, node.reads);
    addOnce(node.writes, numbers.foundBy(op));
  });
  return node;
}

// What a step writes; nothing for a branch, which may write anything that it uses.
SmallVector<Value> writtenBy(Operation *step) {
  if (auto destination = dyn_cast<DestinationStyleOpInterface>(step))
    return llvm::to_vector(destination.getDpsInits());
  if (auto copy = dyn_cast<memref::CopyOp>(step))
    return {copy.getTarget()};
  return {};
}

// Writes to one buffer may change places in the graph's order unless a node says that it comes after another.
void keepOverlappingWrites(ArrayRef<Operation *> steps, const ValueNumbers &numbers, StepGraph &graph) {
  std::vector<std::vector<int>> writers(graph.values.size());
  for (auto [index, node] : llvm::enumerate(graph.nodes))
    for (int value : node.writes)
      writers[static_cast<size_t>(value)].push_back(static_cast<int>(index));
  for (auto [value, nodes] : llvm::enumerate(writers)) {
    SmallVector<Value> written;
    for (int node : nodes)
      for (Value memref : writtenBy(steps[static_cast<size_t>(node)]))
        if (numbers.of(memref) == static_cast<int>(value))
          written.push_back(memref);
    if (nodes.size() < 2 || (written.size() == nodes.size() && areDisjoint(written)))
      continue;
    for (size_t i = 1; i < nodes.size(); ++i)
      graph.nodes[static_cast<size_t>(nodes[i])].after.push_back(nodes[i - 1]);
  }
}

// Everything that is no step depends on allocations and constants only, but for the loads that branches make.
void separate(Block &block, SmallVectorImpl<Operation *> &steps) {
  SmallVector<Operation *> others;
  for (Operation &op : block.without_terminator()) {
    if (isStep(&op))
      steps.push_back(&op);
    else if (!isa<memref::LoadOp>(op))
      others.push_back(&op);
  }
  Operation *last = nullptr;
  for (Operation *op : others) {
    last ? op->moveAfter(last) : op->moveBefore(&block, block.begin());
    last = op;
  }
}

// Puts the step, and the loads it needs, at the end of the block.
void moveToEnd(Operation *step, Operation *terminator) {
  for (Value operand : step->getOperands())
    if (auto load = operand.getDefiningOp<memref::LoadOp>())
      load->moveBefore(terminator);
  step->moveBefore(terminator);
}

} // namespace

bool scheduleSteps(func::FuncOp function) {
  Block &block = function.front();
  SmallVector<Operation *> steps;
  separate(block, steps);
  ValueNumbers numbers(function);
  StepGraph graph;
  graph.values = numbers.values;
  for (Operation *step : steps)
    graph.nodes.push_back(describe(step, numbers));
  keepOverlappingWrites(steps, numbers, graph);
  StepOrder order = orderSteps(graph);
  for (int index : order.nodes)
    moveToEnd(steps[index], block.getTerminator());
  return order.provenOptimal;
}

} // namespace aotc::plan
