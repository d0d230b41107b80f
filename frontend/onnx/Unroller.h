// Loops whose number of iterations is known when compiling: the nodes of the body are built once for each.
#pragma once

#include "frontend/onnx/NodeBuilder.h"

namespace aotc::frontend {

class Unroller {
public:
  Unroller(NodeBuilder &node, const Graph &body);

  /// Whether one more iteration would make too many nodes in all.
  bool isFull() const;
  /// The nodes of the body, its inputs being `arguments`, and its outputs; after errors, outputs are null.
  llvm::SmallVector<mlir::Value> build(mlir::ValueRange arguments);

private:
  NodeBuilder &node;
  const Graph &body;
  size_t nodesBefore;
};

} // namespace aotc::frontend
