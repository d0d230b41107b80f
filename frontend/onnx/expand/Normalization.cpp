// Batch normalization, and normalisation along axes: softmax and its like, norms, moments.
#include "frontend/onnx/AlongAxes.h"
#include "frontend/onnx/OpTable.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

/// x * s + t with s = scale / sqrt(variance + epsilon), t = bias - mean * s; s and t are folded where they are known.
void buildBatchNormalization(NodeBuilder &node) {
  Value x = node.getInput(0);
  auto type = node.typeOf(x);
  float epsilon = node.getFloat("epsilon", 1e-5f);
  node.ignoreAttribute("momentum");
  if (node.getBool("training_mode", false))
    return node.fail("training is not supported, 'training_mode' must be 0");
  if (type.getRank() < 2)
    return node.fail("input must have a rank of at least 2, found " + nn::describe(type));
  std::optional<int64_t> channels = channelsOf(node, x);
  if (!channels)
    return;
  for (size_t index = 1; index < 5; ++index)
    if (node.typeOf(index).getShape() != ArrayRef<int64_t>{*channels})
      return node.fail(node.describeInput(index) + " must have the shape [" + llvm::Twine(*channels) + "], found " +
                       nn::describe(node.typeOf(index)));
  IntList shape(static_cast<size_t>(type.getRank()) - 1, 1);
  shape[0] = *channels;
  Value variance = node.getInput(4), eps = node.createScalar(epsilon, node.typeOf(variance).getElementType());
  Value deviation = node.create<nn::SqrtOp>(node.create<nn::AddOp>(variance, eps));
  Value factor = node.create<nn::DivOp>(node.getInput(1), deviation);
  Value offset = node.create<nn::SubOp>(node.getInput(2), node.create<nn::MulOp>(node.getInput(3), factor));
  Value product = node.create<nn::MulOp>(x, node.createReshape(factor, shape));
  node.setResult(0, node.create<nn::AddOp>(product, node.createReshape(offset, shape)));
}

/// Opsets 7 and 8 knew a normalization per activation.
void upgradeBatchNormalization(NodeBuilder &node) {
  if (!node.getBool("spatial", true))
    node.fail("'spatial' must be 1, found 0");
}

// ----------------------------------------------------------------------------------------------------- along an axis
Value plainSoftmax(NodeBuilder &node, Value x, int64_t axis) { return createSoftmax(node, x, axis, false); }
Value logSoftmax(NodeBuilder &node, Value x, int64_t axis) { return createSoftmax(node, x, axis, true); }

/// 1 where the first of the largest elements is, 0 elsewhere.
Value hardmax(NodeBuilder &node, Value x, int64_t axis) {
  if (node.failed())
    return {};
  auto type = node.typeOf(x);
  if (type.isDynamicDim(static_cast<unsigned>(axis))) {
    node.fail("the dimension 'axis' must be known when compiling");
    return {};
  }
  Value place = node.create<nn::ArgReduceOp>(x, axis, /*largest=*/true, /*last=*/false);
  Value places = createPlaces(node, type.getDimSize(static_cast<unsigned>(axis)), axis, type.getRank());
  return node.create<nn::CastOp>(node.create<nn::EqualOp>(place, places), type.getElementType());
}

using AlongAxis = Value (*)(NodeBuilder &node, Value x, int64_t axis);

/// Before opset 13 the input is seen as a matrix, split at `axis`: the axes from there on are normalised together.
Value alongSplit(NodeBuilder &node, Value x, int64_t axis, AlongAxis compute) {
  nn::Extents extents = nn::extentsOf(x);
  if (axis == node.typeOf(x).getRank() - 1)
    return compute(node, x, axis);
  // Over the trailing axes: leave the outer ones alone, so that a bounded extent stays as it is.
  nn::Extents shape(ArrayRef<AffineExpr>(extents).take_front(static_cast<size_t>(axis)));
  shape.push_back(nn::product(ArrayRef<AffineExpr>(extents).drop_front(static_cast<size_t>(axis)), node.getContext()));
  Value result = compute(node, node.createReshapeTo(x, shape), axis);
  return node.failed() ? Value() : node.createReshapeTo(result, extents);
}

template <AlongAxis compute> void buildAlongAxis(NodeBuilder &node) {
  Value x = node.getInput(0);
  bool splits = node.getOpset() < 13;
  int64_t axis = node.normalizeAxis(node.getInt("axis", splits ? 1 : -1), node.typeOf(x).getRank());
  if (!node.failed())
    node.setResult(0, splits ? alongSplit(node, x, axis, compute) : compute(node, x, axis));
}

// ------------------------------------------------------------------------------------------------- norms and moments
/// x divided by its norm along one axis, by 1 where that is 0.
void buildLpNormalization(NodeBuilder &node) {
  Value x = node.getInput(0);
  int64_t p = node.getInt("p", 2);
  IntList axes{node.normalizeAxis(node.getInt("axis", -1), node.typeOf(x).getRank())};
  if (p != 1 && p != 2)
    return node.fail("'p' must be 1 or 2, found " + llvm::Twine(p));
  auto number = [&](double value) { return node.createScalar(value, node.typeOf(x).getElementType()); };
  Value part = p == 1 ? node.create<nn::AbsOp>(x) : node.create<nn::MulOp>(x, x);
  Value norm = node.create<nn::ReduceOp>(part, nn::ReduceKind::Sum, axes, true);
  if (p == 2)
    norm = node.create<nn::SqrtOp>(norm);
  Value divisor = node.create<nn::WhereOp>(node.create<nn::EqualOp>(norm, number(0)), number(1), norm);
  node.setResult(0, node.create<nn::DivOp>(x, divisor));
}

/// (x - mean) / (standard deviation + 1e-9)
void buildMeanVarianceNormalization(NodeBuilder &node) {
  Value x = node.getInput(0);
  IntList axes = node.normalizeAxes(node.getInts("axes").value_or(IntList{0, 2, 3}), node.typeOf(x).getRank());
  auto mean = [&](Value value) { return createMean(node, value, axes, true); };
  Value centered = node.create<nn::SubOp>(x, mean(x));
  Value deviation = node.create<nn::SqrtOp>(mean(node.create<nn::MulOp>(centered, centered)));
  if (node.failed())
    return;
  Value epsilon = node.createScalar(1e-9, node.typeOf(x).getElementType());
  node.setResult(0, node.create<nn::DivOp>(centered, node.create<nn::AddOp>(deviation, epsilon)));
}

} // namespace

void aotc::frontend::addNormalizationRules(OpTable &table) {
  table.add("BatchNormalization", 5, 5, buildBatchNormalization, floats);
  table.addUpgrade("BatchNormalization", 9, upgradeBatchNormalization);
  table.add("Softmax", 1, 1, buildAlongAxis<plainSoftmax>, floats);
  table.add("LogSoftmax", 1, 1, buildAlongAxis<logSoftmax>, floats);
  table.add("Hardmax", 1, 1, buildAlongAxis<hardmax>, floats);
  table.add("LpNormalization", 1, 1, buildLpNormalization, floats);
  table.add("MeanVarianceNormalization", 1, 1, buildMeanVarianceNormalization, floats);
}
