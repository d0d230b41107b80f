// Attributes, labels and transforms for the rules of ai.onnx.ml; see the header.
#include "frontend/onnx/ml/Scores.h"

#include "ir/nn/Shapes.h"

#include "llvm/ADT/StringExtras.h"

using namespace aotc::frontend;
using namespace mlir;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;
namespace nn = aotc::nn;

// ---------------------------------------------------------------------------------------------------------- attributes
size_t aotc::frontend::readChoice(NodeBuilder &node, StringRef name, ArrayRef<StringRef> names, StringRef byDefault) {
  std::string text = node.getString(name, byDefault);
  for (auto [index, known] : llvm::enumerate(names))
    if (text == known)
      return index;
  node.fail(quoted(name) + " must be one of " + llvm::join(names, ", ") + ", found " + quoted(text));
  return 0;
}

std::optional<std::vector<double>> aotc::frontend::readNumbers(NodeBuilder &node, StringRef name) {
  std::string asTensor = (name + "_as_tensor").str();
  if (ElementsAttr tensor = node.getTensor(asTensor)) {
    nn::HostTensor view = nn::HostTensor::view(tensor);
    if (!isa<FloatType>(view.type().getElementType())) {
      node.fail(quoted(asTensor) + " must be floats, found " + nn::describe(view.type()));
      return std::nullopt;
    }
    std::vector<double> values;
    for (int64_t i = 0; i < view.size(); ++i)
      values.push_back(view.toDouble(i));
    return values;
  }
  if (auto values = node.getFloats(name))
    return asDoubles(*values);
  return std::nullopt;
}

Value aotc::frontend::createNumbers(NodeBuilder &node, ArrayRef<double> values, Type element,
                                    std::optional<int64_t> columns) {
  llvm::SmallVector<int64_t, 2> shape = {static_cast<int64_t>(values.size())};
  if (columns)
    shape = {static_cast<int64_t>(values.size()) / std::max<int64_t>(*columns, 1), *columns};
  nn::HostTensor tensor(RankedTensorType::get(shape, element));
  for (auto [i, value] : llvm::enumerate(values))
    tensor.set(static_cast<int64_t>(i), value);
  return node.createConstant(tensor.toAttr());
}

Value aotc::frontend::castTo(NodeBuilder &node, Value x, Type element) {
  if (node.failed() || node.typeOf(x).getElementType() == element)
    return x;
  return node.create<nn::CastOp>(x, element);
}

Value aotc::frontend::getMatrix(NodeBuilder &node, bool keepsDouble) {
  Value x = node.getInput(0);
  RankedTensorType type = node.typeOf(x);
  if (type.getRank() == 1)
    x = node.createReshape(x, {1, type.getDimSize(0)});
  else if (type.getRank() != 2)
    node.fail(node.describeInput(0) + " must be a matrix, found " + nn::describe(type));
  if (!node.failed() && node.typeOf(x).isDynamicDim(1))
    node.fail("the number of features must be known, found " + nn::describe(type));
  if (keepsDouble && type.getElementType().isF64())
    return node.failed() ? Value() : x;
  return node.failed() ? Value() : castTo(node, x, node.getBuilder().getF32Type());
}

// -------------------------------------------------------------------------------------------------------------- scores
Transform aotc::frontend::readTransform(NodeBuilder &node) {
  return static_cast<Transform>(
      readChoice(node, "post_transform", {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"}, "NONE"));
}

namespace {

/// Arithmetic with numbers on one type of element.
class Arithmetic {
public:
  Arithmetic(NodeBuilder &node, Value like) : node(node), element(node.typeOf(like).getElementType()) {}

  Value number(double value) { return node.createScalar(value, element); }
  Value add(Value a, Value b) { return node.create<nn::AddOp>(a, b); }
  Value sub(Value a, Value b) { return node.create<nn::SubOp>(a, b); }
  Value mul(Value a, Value b) { return node.create<nn::MulOp>(a, b); }
  Value div(Value a, Value b) { return node.create<nn::DivOp>(a, b); }
  Value greater(Value a, Value b) { return node.create<nn::GreaterOp>(a, b); }
  Value where(Value condition, Value a, Value b) { return node.create<nn::WhereOp>(condition, a, b); }
  Value reduceRows(Value x, nn::ReduceKind kind) {
    return node.create<nn::ReduceOp>(x, kind, ArrayRef<int64_t>{1}, /*keepdims=*/true);
  }

private:
  NodeBuilder &node;
  Type element;
};

/// sqrt(2) * erfinv(2 x - 1), by Winitzki's formula, as ONNX's reference computes it; infinite at 0 and 1.
Value probit(NodeBuilder &node, Value x) {
  constexpr double pi = 3.14159265358979323846, a = 0.147;
  Arithmetic math(node, x);
  Value y = math.sub(math.mul(x, math.number(2)), math.number(1));
  Value product = math.mul(math.sub(math.number(1), y), math.add(math.number(1), y));
  Value log = node.create<nn::LogOp>(product);
  Value half = math.add(math.number(2 / (pi * a)), math.mul(math.number(0.5), log));
  Value square = math.sub(math.mul(half, half), math.mul(math.number(1 / a), log));
  Value size = node.create<nn::SqrtOp>(math.sub(node.create<nn::SqrtOp>(square), half));
  Value scaled = math.mul(size, math.number(1.41421356));
  return math.where(math.greater(math.number(0), y), node.create<nn::NegOp>(scaled), scaled);
}

/// A softmax in which a 0 stays next to 0: it counts as 0 * exp(-max). Rows of zeros alone become 1/2 each.
Value softmaxZero(NodeBuilder &node, Value x) {
  Arithmetic math(node, x);
  Value most = math.reduceRows(x, nn::ReduceKind::Max);
  Value power = node.create<nn::ExpOp>(math.sub(x, most));
  Value tiny = math.mul(x, node.create<nn::ExpOp>(node.create<nn::NegOp>(most)));
  Value counts = math.greater(node.create<nn::AbsOp>(x), math.number(0.0000001));
  Value terms = math.where(counts, power, tiny);
  Value sum = math.reduceRows(terms, nn::ReduceKind::Sum);
  Value isEmpty = node.create<nn::EqualOp>(sum, math.number(0));
  return math.where(isEmpty, math.number(0.5), math.div(terms, sum));
}

} // namespace

Value aotc::frontend::applyTransform(NodeBuilder &node, Value scores, Transform transform) {
  if (node.failed())
    return {};
  switch (transform) {
  case Transform::None:
    return scores;
  case Transform::Softmax:
    return node.create<nn::SoftmaxOp>(scores, /*axis=*/1, /*logarithm=*/false);
  case Transform::Logistic:
    return node.create<nn::SigmoidOp>(scores);
  case Transform::SoftmaxZero:
    return softmaxZero(node, scores);
  case Transform::Probit:
    return probit(node, scores);
  }
  llvm_unreachable("a transform without a rule");
}

// ------------------------------------------------------------------------------------------------------------- classes
ClassLabels aotc::frontend::readLabels(NodeBuilder &node, StringRef ints, StringRef strings) {
  ClassLabels classes;
  if (auto labels = node.getInts(ints))
    classes.labels = *labels;
  if (auto names = node.getStrings(strings); names && !names->empty()) {
    if (!classes.labels.empty())
      node.fail("only one of " + quoted(ints) + " and " + quoted(strings) + " may be given");
    classes.names = *names;
    classes.labels.clear();
    for (size_t i = 0; i < names->size(); ++i)
      classes.labels.push_back(static_cast<int64_t>(i));
  }
  if (classes.labels.empty())
    node.fail("expected class labels in " + quoted(ints) + " or " + quoted(strings) + ", found none");
  return classes;
}

ArrayAttr ClassLabels::toAttr(Builder builder) const {
  if (names.empty())
    return builder.getI64ArrayAttr(labels);
  return builder.getStrArrayAttr(llvm::to_vector_of<StringRef>(names));
}

void aotc::frontend::setLabels(NodeBuilder &node, Value labels, const ClassLabels &classes) {
  node.setResult(0, labels);
  if (!classes.names.empty())
    node.setClassList(0, classes.toAttr(node.getBuilder()));
}

void aotc::frontend::setClassResults(NodeBuilder &node, Value scores, const ClassLabels &classes, Transform transform) {
  if (node.failed())
    return;
  setLabels(node, node.create<nn::TopClassOp>(scores, classes.labels), classes);
  node.setResult(1, applyTransform(node, castTo(node, scores, node.getBuilder().getF32Type()), transform));
}

Value aotc::frontend::expandScore(NodeBuilder &node, Value score, Transform transform, SingleScore meaning) {
  if (node.failed())
    return {};
  bool isMargin = transform == Transform::None ? meaning == SingleScore::margin : transform != Transform::Probit;
  Arithmetic math(node, score);
  Value other = isMargin ? node.create<nn::NegOp>(score) : math.sub(math.number(1), score);
  if (node.failed())
    return {};
  return applyTransform(node, node.create<nn::ConcatOp>(ValueRange{other, score}, /*axis=*/1), transform);
}

void aotc::frontend::setBinaryResults(NodeBuilder &node, Value score, const ClassLabels &classes, Transform transform,
                                      SingleScore meaning) {
  if (node.failed())
    return;
  bool isProbability =
      transform == Transform::Probit || (transform == Transform::None && meaning == SingleScore::probability);
  Arithmetic math(node, score);
  Value wins = math.greater(score, math.number(isProbability ? 0.5 : 0));
  Type i64 = node.getBuilder().getI64Type();
  auto label = [&](size_t index) {
    return node.createConstant(DenseElementsAttr::get(RankedTensorType::get({}, i64), classes.labels[index]));
  };
  Value labels = math.where(wins, label(1), label(0));
  if (node.failed())
    return;
  setLabels(node, node.createReshape(labels, {node.typeOf(score).getDimSize(0)}), classes);
  score = castTo(node, score, node.getBuilder().getF32Type());
  node.setResult(1, expandScore(node, score, transform, meaning));
}
