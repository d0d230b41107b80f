// An ensemble of decision trees as models write it down, and its way to nn.trees, where every test is x <= threshold.
#pragma once

#include "frontend/onnx/NodeBuilder.h"

namespace aotc::frontend {

enum class Test { Leq, Lt, Gte, Gt, Eq, Neq, Member };

/// A child is an index into the nodes, or leaf l as -1 - l.
struct EnsembleNode {
  Test test = Test::Leq;
  int64_t feature = 0;
  double threshold = 0;
  std::vector<double> members; ///< of Test::Member
  int64_t ifTrue = 0, ifFalse = 0;
  bool missingIsTrue = false;
};

/// What a leaf adds to one target.
struct LeafEntry {
  int64_t target;
  double weight;
};

struct Ensemble {
  std::vector<EnsembleNode> nodes;
  std::vector<llvm::SmallVector<LeafEntry, 1>> leaves;
  std::vector<int64_t> roots;
  nn::ReduceKind kind = nn::ReduceKind::Sum;
  std::vector<double> base; ///< one value for each target
};

/// Scores [rows, targets] of `element` type, f32 or f64, of a matrix of f32 or f64. Null after an error, which names
/// what is wrong with the ensemble.
mlir::Value buildTrees(NodeBuilder &node, mlir::Value x, const Ensemble &ensemble, mlir::Type element);

} // namespace aotc::frontend
