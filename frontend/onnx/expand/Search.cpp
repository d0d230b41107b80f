// Searches: what is largest, and where.
#include "frontend/onnx/OpTable.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

/// Before opset 10, k was an attribute.
void upgradeTopK(NodeBuilder &node) { node.setInput(1, node.createInts({node.getInt("k")})); }

void buildTopK(NodeBuilder &node) {
  std::optional<IntList> k = node.getConstantInts(1);
  int64_t axis = node.normalizeAxis(node.getInt("axis", -1), node.typeOf(0).getRank());
  bool isLargest = node.getBool("largest", true);
  node.ignoreAttribute("sorted"); // any order is allowed where it is 0: theirs is as good as any
  if (k && k->size() != 1)
    return node.fail(node.describeInput(1) + " must be one integer");
  if (k && !node.failed())
    node.setResults(node.createAll<nn::TopKOp>(2, node.getInput(0), k->front(), axis, isLargest));
}

template <bool isLargest> void buildArgReduce(NodeBuilder &node) {
  auto x = node.typeOf(0);
  int64_t axis = node.normalizeAxis(node.getInt("axis", 0), x.getRank());
  bool keepDims = node.getBool("keepdims", true), isLast = node.getBool("select_last_index", false);
  Value places = node.create<nn::ArgReduceOp>(node.getInput(0), axis, isLargest, isLast);
  IntList shape(x.getShape());
  if (!keepDims && !node.failed()) {
    shape.erase(shape.begin() + axis);
    places = node.createReshape(places, shape);
  }
  node.setResult(0, places);
}

} // namespace

void aotc::frontend::addSearchRules(OpTable &table) {
  table.add("ArgMax", 1, 1, buildArgReduce<true>, numbers);
  table.add("ArgMin", 1, 1, buildArgReduce<false>, numbers);
  table.add("TopK", 1, 2, buildTopK, numbers);
  table.addUpgrade("TopK", 10, upgradeTopK);
}
