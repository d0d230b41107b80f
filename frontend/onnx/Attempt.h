// Ops that may turn out not to be wanted: they are built aside, and put in place or thrown away.
#pragma once

#include "frontend/onnx/NodeBuilder.h"

namespace aotc::frontend {

class Attempt {
public:
  /// From here on, the node's builder adds to a block of its own.
  explicit Attempt(NodeBuilder &node);
  /// The builder goes on where it was. What was built is gone unless it was kept, and so are the dims that it found.
  ~Attempt();
  Attempt(const Attempt &) = delete;
  Attempt &operator=(const Attempt &) = delete;

  /// Where the builder was.
  mlir::OpBuilder::InsertPoint getPlace() const { return before; }
  mlir::Block &getBlock() { return region.front(); }
  /// Moves the ops to where the builder was.
  void keepOps();
  /// Moves the block, with its arguments, into an empty region.
  void keepBlock(mlir::Region &place);

private:
  NodeBuilder &node;
  mlir::OpBuilder::InsertPoint before;
  mlir::Attribute dimsBefore;
  mlir::Region region;
  bool isKept = false;
};

} // namespace aotc::frontend
