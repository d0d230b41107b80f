#include "frontend/onnx/Unroller.h"

using namespace aotc::frontend;
using namespace mlir;

// What a loop may become. Those of real models that are known to end stay far below.
static constexpr size_t mostNodes = 10'000;

Unroller::Unroller(NodeBuilder &node, const Graph &body)
    : node(node), body(body), nodesBefore(node.getSubgraphs().countNodes()) {}

bool Unroller::isFull() const { return node.getSubgraphs().countNodes() - nodesBefore + body.nodes.size() > mostNodes; }

llvm::SmallVector<Value> Unroller::build(ValueRange arguments) {
  llvm::SmallVector<Value> outputs(body.outputs.size());
  if (node.failed())
    return outputs;
  outputs = node.getSubgraphs().importSubgraph(body, arguments);
  if (llvm::is_contained(outputs, Value()))
    node.giveUp();
  return outputs;
}
