// Linear classifiers and regressors: a product with constant weights, and what is made of the scores.
#include "frontend/onnx/ml/Scores.h"

#include "frontend/onnx/OpTable.h"

using namespace aotc::frontend;
using namespace mlir;
using llvm::Twine;
namespace nn = aotc::nn;

namespace {

/// x * coefficients' + intercepts: [rows, scores]. `coefficients` are [scores, features].
Value linearScores(NodeBuilder &node, Value x, size_t scoreCount) {
  std::vector<double> coefficients = asDoubles(node.getFloats("coefficients").value_or(llvm::SmallVector<float, 4>()));
  std::vector<double> intercepts = asDoubles(node.getFloats("intercepts").value_or(llvm::SmallVector<float, 4>()));
  if (node.failed())
    return {};
  int64_t features = node.typeOf(x).getDimSize(1);
  Type element = node.typeOf(x).getElementType();
  if (coefficients.size() != scoreCount * static_cast<size_t>(features) || coefficients.empty()) {
    node.fail("'coefficients' must have " + Twine(features) + " values for each of " + Twine(scoreCount) +
              " scores, found " + Twine(coefficients.size()));
    return {};
  }
  Value weights = node.createTranspose(createNumbers(node, coefficients, element, features), {1, 0});
  Value product = node.create<nn::MatMulOp>(x, weights);
  if (intercepts.empty())
    return product;
  if (intercepts.size() != scoreCount) {
    node.fail("'intercepts' must have " + Twine(scoreCount) + " values, found " + Twine(intercepts.size()));
    return {};
  }
  return node.create<nn::AddOp>(product, createNumbers(node, intercepts, element));
}

/// A single score is that of the second of two classes. ONNX Runtime takes it for the second class's share where
/// nothing is transformed, though it wins from 0 on.
void buildClassifier(NodeBuilder &node) {
  node.ignoreAttribute("multi_class"); // how the weights were found
  Value x = getMatrix(node);
  Transform transform = readTransform(node);
  ClassLabels classes = readLabels(node, "classlabels_ints", "classlabels_strings");
  size_t coefficients = node.getFloats("coefficients").value_or(llvm::SmallVector<float, 4>()).size();
  if (node.failed())
    return;
  bool isSingle = classes.size() == 2 && coefficients == static_cast<size_t>(node.typeOf(x).getDimSize(1));
  Value scores = linearScores(node, x, isSingle ? 1 : classes.size());
  if (isSingle)
    setBinaryResults(node, scores, classes, transform, SingleScore::share);
  else
    setClassResults(node, scores, classes, transform);
}

void buildRegressor(NodeBuilder &node) {
  Value x = getMatrix(node);
  Transform transform = readTransform(node);
  int64_t targets = node.getInt("targets", 1);
  if (targets < 1)
    return node.fail("'targets' must be 1 or more, found " + Twine(targets));
  if (!node.failed())
    node.setResult(0, applyTransform(node, linearScores(node, x, static_cast<size_t>(targets)), transform));
}

} // namespace

void aotc::frontend::addLinearModelsRules(OpTable &table) {
  table.add("ai.onnx.ml.LinearClassifier", 1, 1, buildClassifier, floats | signedInts);
  table.add("ai.onnx.ml.LinearRegressor", 1, 1, buildRegressor, floats | signedInts);
}
