// Losses of classifiers: NegativeLogLikelihoodLoss, and SoftmaxCrossEntropyLoss, which takes the softmax first.
#include "frontend/onnx/AlongAxes.h"
#include "frontend/onnx/OpTable.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

/// Scores [N, C, …], the class [N, …] of each, and the weight [C] of each class, which may be null.
struct Examples {
  Value scores, classes, weights;
  Value isClass;   ///< [N, C, …]
  Value isIgnored; ///< [N, …]; null where no class is
};

Examples readExamples(NodeBuilder &node) {
  Examples examples{node.getInput(0), node.getInput(1), node.getInput(2), {}, {}};
  auto scores = node.typeOf(0), classes = node.typeOf(1);
  int64_t rank = scores.getRank();
  if (rank < 2 || classes.getRank() != rank - 1 || scores.isDynamicDim(1)) {
    node.fail("scores [N, C, …] and classes [N, …] must be given, found " + nn::describe(scores) + " and " +
              nn::describe(classes));
    return examples;
  }
  examples.classes = node.create<nn::CastOp>(examples.classes, node.getBuilder().getI64Type());
  if (node.hasAttribute("ignore_index") && !node.failed())
    examples.isIgnored =
        node.create<nn::EqualOp>(examples.classes, node.createScalar(static_cast<double>(node.getInt("ignore_index")),
                                                                     node.getBuilder().getI64Type()));
  IntList shape(classes.getShape());
  shape.insert(shape.begin() + 1, 1);
  Value places = createPlaces(node, scores.getDimSize(1), 1, rank);
  examples.isClass = node.create<nn::EqualOp>(node.createReshape(examples.classes, shape), places);
  return examples;
}

/// The value [N, …] of each example's class, out of [N, C, …] or what broadcasts to that; 0 for examples that are
/// ignored.
Value pick(NodeBuilder &node, const Examples &examples, Value values) {
  if (node.failed())
    return {};
  Value zero = node.createScalar(0, node.typeOf(values).getElementType());
  Value picked = node.create<nn::ReduceOp>(node.create<nn::WhereOp>(examples.isClass, values, zero),
                                           nn::ReduceKind::Sum, IntList{1}, false);
  return examples.isIgnored ? node.create<nn::WhereOp>(examples.isIgnored, zero, picked) : picked;
}

/// The weight [N, …] of each example; null where all have the weight 1.
Value weightsOf(NodeBuilder &node, const Examples &examples) {
  auto scores = node.typeOf(examples.scores);
  if (!examples.weights && !examples.isIgnored)
    return {};
  if (!examples.weights)
    return pick(node, examples, node.createScalar(1, scores.getElementType()));
  if (node.typeOf(examples.weights).getShape() != ArrayRef<int64_t>{scores.getDimSize(1)}) {
    node.fail(node.describeInput(2) + " must have the shape [" + std::to_string(scores.getDimSize(1)) + "], found " +
              nn::describe(examples.weights.getType()));
    return {};
  }
  IntList shape(static_cast<size_t>(scores.getRank()), 1);
  shape[1] = scores.getDimSize(1);
  return pick(node, examples, node.createReshape(examples.weights, shape));
}

IntList allAxes(NodeBuilder &node, Value x) {
  return llvm::to_vector<4>(llvm::seq<int64_t>(0, node.failed() ? 0 : node.typeOf(x).getRank()));
}

Value sumOf(NodeBuilder &node, Value x) {
  return node.create<nn::ReduceOp>(x, nn::ReduceKind::Sum, allAxes(node, x), false);
}

/// What is left of the losses [N, …]: their mean by weight, their sum, or all of them.
Value reduced(NodeBuilder &node, Value losses, Value weights) {
  std::string reduction = node.getString("reduction", "mean");
  if (reduction == "none")
    return losses;
  if (reduction == "sum")
    return sumOf(node, losses);
  if (reduction == "mean")
    return weights ? node.create<nn::DivOp>(sumOf(node, losses), sumOf(node, weights))
                   : createMean(node, losses, allAxes(node, losses), false);
  node.fail("'reduction' must be \"mean\", \"sum\" or \"none\", found \"" + reduction + "\"");
  return {};
}

Value lossOf(NodeBuilder &node, const Examples &examples, Value logarithms) {
  if (node.failed())
    return {};
  Value weights = weightsOf(node, examples);
  Value losses = node.create<nn::NegOp>(pick(node, examples, logarithms));
  return reduced(node, weights ? node.create<nn::MulOp>(losses, weights) : losses, weights);
}

void buildLogLikelihoodLoss(NodeBuilder &node) {
  Examples examples = readExamples(node);
  node.setResult(0, lossOf(node, examples, examples.scores));
}

void buildCrossEntropyLoss(NodeBuilder &node) {
  Examples examples = readExamples(node);
  Value logarithms = createSoftmax(node, examples.scores, 1, /*logarithm=*/true);
  node.setResult(0, lossOf(node, examples, logarithms));
  if (node.wantsResult(1))
    node.setResult(1, logarithms);
}

} // namespace

void aotc::frontend::addLossesRules(OpTable &table) {
  table.add("NegativeLogLikelihoodLoss", 2, 3, buildLogLikelihoodLoss, floats);
  table.add("SoftmaxCrossEntropyLoss", 2, 3, buildCrossEntropyLoss, floats);
}
