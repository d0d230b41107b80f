// Control flow: nodes that carry graphs.
#include "frontend/onnx/OpTable.h"
#include "frontend/onnx/SequenceValues.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
using llvm::Twine;
namespace nn = aotc::nn;

namespace {

/// Builds the graph in a block of its own, ending in a yield of its first `count` outputs. False after an error.
bool buildBranch(NodeBuilder &node, const Graph &graph, Region &region, size_t count) {
  OpBuilder &builder = node.getBuilder();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToStart(&region.emplaceBlock());
  llvm::SmallVector<Value> outputs = node.getSubgraphs().importSubgraph(graph, {});
  outputs.truncate(count);
  if (llvm::is_contained(outputs, Value()))
    node.giveUp();
  else if (!llvm::all_of(outputs, isTensor))
    node.fail("branches must give tensors where the condition is not known when compiling");
  if (node.failed())
    return false;
  builder.create<nn::YieldOp>(node.getLocation(), outputs);
  return true;
}

void buildBranches(NodeBuilder &node, const Graph &thenGraph, const Graph &elseGraph) {
  OperationState state(node.getLocation(), nn::IfOp::getOperationName());
  state.addOperands(node.getInput(0));
  Region &thenRegion = *state.addRegion(), &elseRegion = *state.addRegion();
  size_t count = node.getNode().outputs.size();
  bool isBuilt = buildBranch(node, thenGraph, thenRegion, count);
  if (!buildBranch(node, elseGraph, elseRegion, count) || !isBuilt)
    return;
  TypeRange thenTypes = thenRegion.front().getTerminator()->getOperandTypes();
  TypeRange elseTypes = elseRegion.front().getTerminator()->getOperandTypes();
  for (auto [index, types] : llvm::enumerate(llvm::zip(thenTypes, elseTypes)))
    if (auto [thenType, elseType] = types; thenType != elseType)
      return node.fail("both branches must give one type for output " + Twine(index) + ", found " +
                       nn::describe(thenType) + " and " + nn::describe(elseType));
  state.addTypes(thenTypes);
  node.setResults(node.getBuilder().create(state)->getResults());
}

/// Where the condition is known, only the branch that is taken is built, in place.
void buildIf(NodeBuilder &node) {
  const Graph *thenGraph = node.getGraph("then_branch"), *elseGraph = node.getGraph("else_branch");
  if (node.failed())
    return;
  for (const Graph *branch : {thenGraph, elseGraph})
    if (!branch->inputs.empty() || branch->outputs.size() < node.getNode().outputs.size())
      return node.fail("branches must have no inputs and " + Twine(node.getNode().outputs.size()) + " outputs");
  auto type = node.typeOf(0);
  if (!type.hasStaticShape() || type.getNumElements() != 1)
    return node.fail("the condition must be one bool, found " + nn::describe(type));
  auto known = NodeBuilder::viewConstant(node.getInput(0));
  if (!known)
    return buildBranches(node, *thenGraph, *elseGraph);
  const Graph &taken = *(known->toInteger(0) ? thenGraph : elseGraph);
  llvm::SmallVector<Value> outputs = node.getSubgraphs().importSubgraph(taken, {});
  outputs.truncate(node.getNode().outputs.size());
  if (llvm::is_contained(outputs, Value()))
    return node.giveUp();
  node.setResults(outputs);
}

} // namespace

void aotc::frontend::addControlRules(OpTable &table) {
  table.add("If", 1, 1, buildIf, bools);
  table.takeNarrowFloats({"If"}); // its graphs' nodes see to themselves
}
