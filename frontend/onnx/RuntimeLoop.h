// Loops whose iterations only the run counts: one nn.loop, whose body is built with its carried values as arguments.
// Which of their extents differ from one iteration to the next is found out by building it: what does not fit becomes a
// dim of the run, and the body is built again.
#pragma once

#include "frontend/onnx/NodeBuilder.h"

#include <functional>

namespace aotc::frontend {

struct RuntimeLoop {
  struct Outputs {
    mlir::Value condition; ///< one bool: whether there is a next iteration
    llvm::SmallVector<mlir::Value> next, collected;
  };

  mlir::Value tripCount; ///< i64, no dimensions: there are no more iterations
  mlir::Value condition; ///< bool, no dimensions: of the first iteration
  llvm::SmallVector<mlir::Value> initial;
  /// The most iterations that there may be, where it is known.
  std::optional<int64_t> mostIterations;
  /// Their number, where it is an expression; null where only the loop finds it out.
  mlir::AffineExpr iterations;
  /// Builds one iteration where the builder stands, which has the number of it and the carried values. Fails by the
  /// node.
  std::function<Outputs(mlir::Value number, mlir::ValueRange carried)> buildBody;
};

/// The carried values behind the loop, then the collected ones along a new first dimension: the results of the node in
/// this order, by which `--output-bound` names them; null for collected ones that the node has no output for. Nothing
/// after an error.
llvm::SmallVector<mlir::Value> createRuntimeLoop(NodeBuilder &node, const RuntimeLoop &loop);

} // namespace aotc::frontend
