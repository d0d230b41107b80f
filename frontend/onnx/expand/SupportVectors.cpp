// Support vector machines: the values of the kernel as products or distances, then sums of them.
#include "frontend/onnx/ml/Scores.h"

#include "frontend/onnx/OpTable.h"

#include <cmath>

using namespace aotc::frontend;
using namespace mlir;
using llvm::ArrayRef;
using llvm::Twine;
namespace nn = aotc::nn;

namespace {

constexpr int64_t mostVectors = 1 << 24;

std::vector<double> readFloats(NodeBuilder &node, llvm::StringRef name) {
  return asDoubles(node.getFloats(name).value_or(llvm::SmallVector<float, 4>()));
}

/// A list of `count` values.
std::vector<double> readFloats(NodeBuilder &node, llvm::StringRef name, int64_t count) {
  std::vector<double> values = readFloats(node, name);
  if (static_cast<int64_t>(values.size()) != count)
    node.fail(quoted(name) + " must have " + Twine(count) + " values, found " + Twine(values.size()));
  return values;
}

// ---------------------------------------------------------------------------------------------------------- the kernel
struct Kernel {
  enum Kind { linear, poly, rbf, sigmoid } kind = linear;
  double gamma = 0, offset = 0, degree = 0;
};

Kernel readKernel(NodeBuilder &node) {
  Kernel kernel;
  kernel.kind =
      static_cast<Kernel::Kind>(readChoice(node, "kernel_type", {"LINEAR", "POLY", "RBF", "SIGMOID"}, "LINEAR"));
  std::vector<double> parameters = readFloats(node, "kernel_params");
  if (parameters.empty() && kernel.kind == Kernel::linear)
    return kernel;
  if (parameters.size() != 3)
    node.fail("'kernel_params' must have 3 values, found " + Twine(parameters.size()));
  parameters.resize(3);
  kernel.gamma = parameters[0];
  kernel.offset = parameters[1];
  kernel.degree = parameters[2];
  if (kernel.kind == Kernel::poly && (kernel.degree != std::floor(kernel.degree) || std::abs(kernel.degree) > 64))
    node.fail("the degree of the kernel must be an integer of at most 64, found " + std::to_string(kernel.degree));
  return kernel;
}

Value number(NodeBuilder &node, Value like, double value) {
  return node.failed() ? Value() : node.createScalar(value, node.typeOf(like).getElementType());
}

/// By squaring.
Value power(NodeBuilder &node, Value x, int64_t exponent) {
  Value result;
  for (int64_t rest = std::abs(exponent); rest != 0; rest /= 2) {
    if (rest % 2 != 0)
      result = result ? node.create<nn::MulOp>(result, x) : x;
    if (rest > 1)
      x = node.create<nn::MulOp>(x, x);
  }
  Value one = number(node, x, 1);
  if (!result) // x * 0 + 1 has x's shape
    return node.create<nn::AddOp>(node.create<nn::MulOp>(x, number(node, x, 0)), one);
  return exponent < 0 ? node.create<nn::DivOp>(one, result) : result;
}

/// [rows, vectors], of points [features, vectors].
Value similarities(NodeBuilder &node, Value x, Value points, const Kernel &kernel) {
  if (kernel.kind == Kernel::rbf) {
    Value distances = node.create<nn::SquaredDistancesOp>(x, points);
    return node.create<nn::ExpOp>(node.create<nn::MulOp>(distances, number(node, x, -kernel.gamma)));
  }
  Value product = node.create<nn::MatMulOp>(x, points);
  if (kernel.kind == Kernel::linear)
    return product;
  Value scaled = node.create<nn::MulOp>(product, number(node, x, kernel.gamma));
  Value line = node.create<nn::AddOp>(scaled, number(node, x, kernel.offset));
  return kernel.kind == Kernel::poly ? power(node, line, static_cast<int64_t>(kernel.degree))
                                     : node.create<nn::TanhOp>(line);
}

/// A constant [columns, rows] of numbers [rows, columns].
Value transposed(NodeBuilder &node, Value like, ArrayRef<double> values, int64_t columns) {
  if (node.failed())
    return {};
  return node.createTranspose(createNumbers(node, values, node.typeOf(like).getElementType(), columns), {1, 0});
}

Value readPoints(NodeBuilder &node, Value x, int64_t vectors) {
  int64_t features = node.failed() ? 0 : node.typeOf(x).getDimSize(1);
  return transposed(node, x, readFloats(node, "support_vectors", vectors * features), features);
}

// ---------------------------------------------------------------------------------------------------------- regression

/// Without support vectors the coefficients are those of a linear function, whatever the kernel.
void buildRegressor(NodeBuilder &node) {
  Value x = getMatrix(node);
  Kernel kernel = readKernel(node);
  Transform transform = readTransform(node);
  bool isOneClass = node.getBool("one_class", false);
  int64_t vectors = node.getInt("n_supports", 0);
  if (vectors < 0 || vectors > mostVectors)
    return node.fail("'n_supports' must be 0 to " + Twine(mostVectors) + ", found " + Twine(vectors));
  std::vector<double> rho = readFloats(node, "rho");
  if (rho.empty())
    node.fail("'rho' must have a value, found none");
  if (node.failed())
    return;
  int64_t features = node.typeOf(x).getDimSize(1);
  std::vector<double> coefficients = readFloats(node, "coefficients", vectors ? vectors : features);
  if (vectors)
    x = similarities(node, x, readPoints(node, x, vectors), kernel);
  else
    node.ignoreAttribute("support_vectors");
  Value column = transposed(node, x, coefficients, static_cast<int64_t>(coefficients.size()));
  Value sum = node.create<nn::AddOp>(node.create<nn::MatMulOp>(x, column), number(node, x, rho.front()));
  if (!isOneClass)
    return node.setResult(0, applyTransform(node, sum, transform));
  Value isInside = node.create<nn::GreaterOp>(sum, number(node, x, 0));
  node.setResult(0, node.create<nn::WhereOp>(isInside, number(node, x, 1), number(node, x, -1)));
}

// ------------------------------------------------------------------------------------------------------ classification

/// Without support vectors: a linear function for each class.
void buildLinear(NodeBuilder &node, Value x, const ClassLabels &classes, Transform transform, double rho) {
  int64_t features = node.typeOf(x).getDimSize(1);
  for (llvm::StringRef unused : {"support_vectors", "prob_a", "prob_b"})
    node.ignoreAttribute(unused);
  std::vector<double> coefficients = readFloats(node, "coefficients", features * static_cast<int64_t>(classes.size()));
  Value product = node.create<nn::MatMulOp>(x, transposed(node, x, coefficients, features));
  setClassResults(node, node.create<nn::AddOp>(product, number(node, x, rho)), classes, transform);
}

/// Scores of the pairs of classes, or probabilities out of them; the label is that of the most votes in any case.
void buildPairs(NodeBuilder &node, Value x, ArrayRef<int64_t> vectorsPerClass, const ClassLabels &classes,
                Transform transform) {
  int64_t count = static_cast<int64_t>(classes.size()), pairs = count * (count - 1) / 2, vectors = 0;
  for (int64_t number : vectorsPerClass)
    vectors += number;
  Kernel kernel = readKernel(node);
  Value values = similarities(node, x, readPoints(node, x, vectors), kernel);
  std::vector<double> coefficients = readFloats(node, "coefficients", (count - 1) * vectors);
  std::vector<double> rho = readFloats(node, "rho", pairs), slopes = readFloats(node, "prob_a");
  std::vector<double> offsets = readFloats(node, "prob_b", static_cast<int64_t>(slopes.size()));
  if (!slopes.empty() && static_cast<int64_t>(slopes.size()) != pairs)
    node.fail("'prob_a' must have " + Twine(pairs) + " values, found " + Twine(slopes.size()));
  if (node.failed())
    return;
  Type element = node.typeOf(x).getElementType();
  auto results = node.createAll<nn::SvmVotesOp>(2, values, createNumbers(node, coefficients, element, vectors),
                                                createNumbers(node, rho, element), vectorsPerClass);
  if (node.failed())
    return;
  Value scores = results[0], labels = node.create<nn::TopClassOp>(results[1], classes.labels);
  setLabels(node, labels, classes);
  if (!slopes.empty())
    scores = node.create<nn::SvmProbabilitiesOp>(scores, createNumbers(node, slopes, element),
                                                 createNumbers(node, offsets, element), count);
  else if (pairs == 1)
    return node.setResult(1, expandScore(node, scores, transform, SingleScore::margin));
  node.setResult(1, applyTransform(node, scores, transform));
}

void buildClassifier(NodeBuilder &node) {
  Value x = getMatrix(node);
  Transform transform = readTransform(node);
  ClassLabels classes = readLabels(node, "classlabels_ints", "classlabels_strings");
  std::vector<double> rho = readFloats(node, "rho");
  IntList vectorsPerClass = node.getInts("vectors_per_class").value_or(IntList());
  if (rho.empty())
    node.fail("'rho' must have a value, found none");
  if (node.failed())
    return;
  if (llvm::all_of(vectorsPerClass, [](int64_t count) { return count == 0; })) {
    readKernel(node);
    return buildLinear(node, x, classes, transform, rho.front());
  }
  for (int64_t count : vectorsPerClass)
    if (count < 0 || count > mostVectors)
      return node.fail("'vectors_per_class' must be 0 to " + Twine(mostVectors) + ", found " + Twine(count));
  if (vectorsPerClass.size() != classes.size() || classes.size() < 2)
    return node.fail("'vectors_per_class' must have a value for each of two or more labels, found " +
                     Twine(vectorsPerClass.size()) + " for " + Twine(classes.size()));
  buildPairs(node, x, vectorsPerClass, classes, transform);
}

} // namespace

void aotc::frontend::addSupportVectorsRules(OpTable &table) {
  table.add("ai.onnx.ml.SVMRegressor", 1, 1, buildRegressor, floats | signedInts);
  table.add("ai.onnx.ml.SVMClassifier", 1, 1, buildClassifier, floats | signedInts);
}
