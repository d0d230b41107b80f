// Reductions over axes.
#include "frontend/onnx/OpTable.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

/// The axes, none where the operator is to do nothing.
IntList readAxes(NodeBuilder &node, int64_t rank) {
  IntList axes = node.normalizeAxes(node.getConstantInts(1).value_or(IntList()), rank);
  bool emptyMeansNone = node.getBool("noop_with_empty_axes", false);
  if (axes.empty() && !emptyMeansNone)
    for (int64_t axis = 0; axis < rank; ++axis)
      axes.push_back(axis);
  return axes;
}

Value reduce(NodeBuilder &node, Value x, nn::ReduceKind kind) {
  IntList axes = readAxes(node, node.typeOf(x).getRank());
  bool keepDims = node.getBool("keepdims", true);
  if (axes.empty() || node.failed())
    return x;
  return node.create<nn::ReduceOp>(x, kind, axes, keepDims);
}

template <nn::ReduceKind kind> void buildReduce(NodeBuilder &node) {
  node.setResult(0, reduce(node, node.getInput(0), kind));
}

void buildReduceSumSquare(NodeBuilder &node) {
  Value square = node.create<nn::MulOp>(node.getInput(0), node.getInput(0));
  if (square)
    node.setResult(0, reduce(node, square, nn::ReduceKind::Sum));
}

void buildReduceL1(NodeBuilder &node) {
  Value absolute = node.create<nn::AbsOp>(node.getInput(0));
  if (absolute)
    node.setResult(0, reduce(node, absolute, nn::ReduceKind::Sum));
}

void buildReduceL2(NodeBuilder &node) {
  buildReduceSumSquare(node);
  if (!node.failed())
    node.setResult(0, node.create<nn::SqrtOp>(node.getResults()[0]));
}

/// Before opset 13 (ReduceSum) or 18 (the others) the axes were an attribute.
void upgradeAxes(NodeBuilder &node) {
  if (std::optional<IntList> axes = node.getInts("axes"))
    node.setInput(1, node.createInts(*axes));
}

} // namespace

void aotc::frontend::addReductionRules(OpTable &table) {
  table.add("ReduceSum", 1, 2, buildReduce<nn::ReduceKind::Sum>, numbers);
  table.add("ReduceMean", 1, 2, buildReduce<nn::ReduceKind::Mean>, floats);
  table.add("ReduceMax", 1, 2, buildReduce<nn::ReduceKind::Max>, numbers);
  table.add("ReduceMin", 1, 2, buildReduce<nn::ReduceKind::Min>, numbers);
  table.add("ReduceProd", 1, 2, buildReduce<nn::ReduceKind::Product>, numbers);
  table.add("ReduceSumSquare", 1, 2, buildReduceSumSquare, numbers);
  table.add("ReduceL1", 1, 2, buildReduceL1, floats);
  table.add("ReduceL2", 1, 2, buildReduceL2, floats);
  table.addUpgrade("ReduceSum", 13, upgradeAxes);
  for (llvm::StringRef op :
       {"ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceSumSquare", "ReduceL1", "ReduceL2"})
    table.addUpgrade(op, 18, upgradeAxes);
}
