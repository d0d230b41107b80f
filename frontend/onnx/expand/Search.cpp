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

} // namespace

void aotc::frontend::addSearchRules(OpTable &table) {
  table.add("TopK", 1, 2, buildTopK, numbers);
  table.addUpgrade("TopK", 10, upgradeTopK);
}
