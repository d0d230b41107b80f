// What the models of ai.onnx.ml have in common: matrices as input, class labels, and the transforms of scores.
#pragma once

#include "frontend/onnx/NodeBuilder.h"

namespace aotc::frontend {

/// The attribute `name` as one of `names`, and its number among them; an error for any other. `byDefault` where it is
/// missing.
size_t readChoice(NodeBuilder &node, llvm::StringRef name, llvm::ArrayRef<llvm::StringRef> names,
                  llvm::StringRef byDefault);

/// Numbers given as floats by `name`, or as a tensor of doubles by `name`_as_tensor. Nothing where both are missing.
std::optional<std::vector<double>> readNumbers(NodeBuilder &node, llvm::StringRef name);

/// A vector of `element` type, rounded; a matrix where `columns` is given.
mlir::Value createNumbers(NodeBuilder &node, llvm::ArrayRef<double> values, mlir::Type element,
                          std::optional<int64_t> columns = std::nullopt);
template <class T> std::vector<double> asDoubles(const T &values) { return {values.begin(), values.end()}; }

/// Input 0 as a matrix: a vector is one row. Integers and, unless `keepsDouble`, doubles become f32. Null after an
/// error.
mlir::Value getMatrix(NodeBuilder &node, bool keepsDouble = false);

mlir::Value castTo(NodeBuilder &node, mlir::Value x, mlir::Type element);

// ------------------------------------------------------------------------------------------------------------- scores

enum class Transform { None, Softmax, Logistic, SoftmaxZero, Probit };

/// From a string attribute 'post_transform'.
Transform readTransform(NodeBuilder &node);

/// Along the rows of [rows, classes].
mlir::Value applyTransform(NodeBuilder &node, mlir::Value scores, Transform transform);

// ------------------------------------------------------------------------------------------------------------- classes

/// The labels of a classifier: integers, or strings, whose labels are their places in the list.
struct ClassLabels {
  IntList labels;
  llvm::SmallVector<std::string, 4> names;

  size_t size() const { return labels.size(); }
  /// The labels or the strings, for NodeBuilder::setClassList().
  mlir::ArrayAttr toAttr(mlir::Builder builder) const;
};

/// `ints` and `strings` name the two attributes, one of which must be there.
ClassLabels readLabels(NodeBuilder &node, llvm::StringRef ints, llvm::StringRef strings);

/// Sets output 0, the label of each row.
void setLabels(NodeBuilder &node, mlir::Value labels, const ClassLabels &classes);

/// Both outputs of a classifier with a score for each class, [rows, classes]: the label of the largest one, and the
/// scores transformed.
void setClassResults(NodeBuilder &node, mlir::Value scores, const ClassLabels &classes, Transform transform);

/// What a single score of two classes, [rows, 1], stands for where nothing is transformed.
enum class SingleScore {
  probability, ///< of the second class: it wins above 1/2, and the first one has the rest
  share,       ///< the same, but the second class wins above 0
  margin       ///< of the second class over the first, which has the opposite
};

/// The scores of both classes, [rows, 2], transformed. A probit is of a probability, all other transforms of a margin.
mlir::Value expandScore(NodeBuilder &node, mlir::Value score, Transform transform, SingleScore meaning);

/// Both outputs of a classifier with a single score.
void setBinaryResults(NodeBuilder &node, mlir::Value score, const ClassLabels &classes, Transform transform,
                      SingleScore meaning);

} // namespace aotc::frontend
