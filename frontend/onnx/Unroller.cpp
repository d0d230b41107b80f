#include "frontend/onnx/Unroller.h"

using namespace aotc::frontend;
using namespace mlir;

// What a loop may become. Those of real models that are known to end stay far below.
static constexpr size_t mostNodes = 10'000;

Unroller::Unroller(NodeBuilder &node, const Graph &body)
    : node(node), body(body), nodesBefore(node.getSubgraphs().countNodes()) {}

llvm::SmallVector<Value> Unroller::build(ValueRange arguments) {
  if (!node.failed() && node.getSubgraphs().countNodes() - nodesBefore + body.nodes.size() > mostNodes)
    node.fail("the iterations must have fewer than " + llvm::Twine(mostNodes) + " nodes in all");
  llvm::SmallVector<Value> outputs(body.outputs.size());
  if (node.failed())
    return outputs;
  outputs = node.getSubgraphs().importSubgraph(body, arguments);
  if (llvm::is_contained(outputs, Value()))
    node.giveUp();
  return outputs;
}
