// Normalisation of each example by its own statistics: over trailing axes, channels, groups of channels, or
// neighbouring channels. Scales and offsets become products and sums.
#include "frontend/onnx/AlongAxes.h"
#include "frontend/onnx/OpTable.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

/// begin … end - 1.
IntList axesFrom(int64_t begin, int64_t end) {
  IntList axes;
  for (int64_t axis = begin; axis < end; ++axis)
    axes.push_back(axis);
  return axes;
}

Value normalize(NodeBuilder &node, Value x, ArrayRef<int64_t> axes, float epsilon, bool rootMeanSquare = false) {
  return node.create<nn::NormalizeOp>(x, axes, llvm::APFloat(epsilon), rootMeanSquare);
}

/// Whether a constant is `number` everywhere: scales that exporters give because the operator wants one.
bool isEverywhere(Value value, double number) {
  std::optional<nn::HostTensor> tensor = NodeBuilder::viewConstant(value);
  for (int64_t i = 0; tensor && i < tensor->size(); ++i)
    if (tensor->toDouble(i) != number)
      return false;
  return tensor.has_value();
}

/// x * scale + bias, either of which may be null; an error where they do not broadcast to x.
Value scaleAndShift(NodeBuilder &node, Value x, Value scale, Value bias) {
  Value result = x;
  if (scale && !node.failed() && !isEverywhere(scale, 1))
    result = node.create<nn::MulOp>(result, scale);
  if (bias && !node.failed() && !isEverywhere(bias, 0))
    result = node.create<nn::AddOp>(result, bias);
  if (!node.failed() && result.getType() != x.getType())
    node.fail("scale and bias must broadcast to " + nn::describe(x.getType()) + ", found " +
              nn::describe((scale ? scale : bias).getType()));
  return result;
}

// ------------------------------------------------------------------------------------------------- trailing axes
/// The outputs beside the normalised one, of layers whose training keeps them: the mean, and 1 / standard deviation.
void setStatistics(NodeBuilder &node, Value x, ArrayRef<int64_t> axes, float epsilon, std::optional<size_t> meanOutput,
                   size_t deviationOutput) {
  Type element = node.typeOf(x).getElementType(), f32 = node.getBuilder().getF32Type();
  auto set = [&](size_t index, Value value) {
    if (!node.failed())
      node.setResult(index, element == f32 ? value : node.create<nn::CastOp>(value, f32));
  };
  Value centered = x;
  if (meanOutput) {
    Value mean = createMean(node, x, axes, true);
    set(*meanOutput, mean);
    centered = node.create<nn::SubOp>(x, mean);
  }
  if (!node.wantsResult(deviationOutput))
    return;
  Value square = node.create<nn::MulOp>(centered, centered);
  Value variance = createMean(node, square, axes, true);
  Value deviation = node.create<nn::SqrtOp>(node.create<nn::AddOp>(variance, node.createScalar(epsilon, element)));
  set(deviationOutput, node.create<nn::DivOp>(node.createScalar(1, element), deviation));
}

/// (x, scale, bias) over the axes from 'axis' on. What they are computed in ('stash_type') is at least their own type.
void buildOverTrailingAxes(NodeBuilder &node, bool rootMeanSquare) {
  Value x = node.getInput(0);
  int64_t rank = node.typeOf(x).getRank(), axis = node.normalizeAxis(node.getInt("axis", -1), rank);
  float epsilon = node.getFloat("epsilon", 1e-5f);
  node.ignoreAttribute("stash_type");
  if (node.failed())
    return;
  IntList axes = axesFrom(axis, rank);
  Value normalized = normalize(node, x, axes, epsilon, rootMeanSquare);
  node.setResult(0, scaleAndShift(node, normalized, node.getInput(1), node.getInput(2)));
  std::optional<size_t> meanOutput = rootMeanSquare ? std::nullopt : std::optional<size_t>(1);
  size_t deviationOutput = rootMeanSquare ? 1 : 2;
  if (node.wantsResult(1) || node.wantsResult(deviationOutput))
    setStatistics(node, x, axes, epsilon, meanOutput, deviationOutput);
}

void buildLayerNormalization(NodeBuilder &node) { buildOverTrailingAxes(node, false); }
void buildRootMeanSquare(NodeBuilder &node) { buildOverTrailingAxes(node, true); }

/// (x, skip, scale, [bias,] added): x + skip + added, normalised over the last axis. Output 3 is the sum.
void buildSkip(NodeBuilder &node, bool rootMeanSquare) {
  Value sum = node.create<nn::AddOp>(node.getInput(0), node.getInput(1));
  if (Value added = node.getInput(rootMeanSquare ? 3 : 4); added && !node.failed())
    sum = node.create<nn::AddOp>(sum, added);
  float epsilon = node.getFloat("epsilon", 1e-12f);
  if (node.failed())
    return;
  if (node.wantsResult(1) || node.wantsResult(2))
    return node.fail("the outputs 1 and 2, for training, are not supported");
  int64_t rank = node.typeOf(sum).getRank();
  Value normalized = normalize(node, sum, axesFrom(rank - 1, rank), epsilon, rootMeanSquare);
  node.setResult(0, scaleAndShift(node, normalized, node.getInput(2), rootMeanSquare ? Value() : node.getInput(3)));
  if (node.wantsResult(3))
    node.setResult(3, sum);
}

void buildSkipLayerNormalization(NodeBuilder &node) { buildSkip(node, false); }
void buildSkipRootMeanSquare(NodeBuilder &node) { buildSkip(node, true); }

// ------------------------------------------------------------------------------------------------------ channels
/// A vector of one value per channel as [C, 1, …], which broadcasts to [N, C, …].
Value perChannel(NodeBuilder &node, size_t input, int64_t channels, int64_t rank) {
  Value value = node.getInput(input);
  if (node.typeOf(value).getShape() != ArrayRef<int64_t>{channels}) {
    node.fail(node.describeInput(input) + " must have the shape [" + llvm::Twine(channels) + "], found " +
              nn::describe(value.getType()));
    return value;
  }
  IntList shape(static_cast<size_t>(rank) - 1, 1);
  shape[0] = channels;
  return node.createReshape(value, shape);
}

void buildInstanceNormalization(NodeBuilder &node) {
  Value x = node.getInput(0);
  int64_t rank = node.typeOf(x).getRank();
  float epsilon = node.getFloat("epsilon", 1e-5f);
  if (rank < 3)
    return node.fail("input must have a rank of at least 3, found " + nn::describe(x.getType()));
  std::optional<int64_t> channels = channelsOf(node, x);
  if (!channels)
    return;
  Value normalized = normalize(node, x, axesFrom(2, rank), epsilon);
  Value scale = perChannel(node, 1, *channels, rank), bias = perChannel(node, 2, *channels, rank);
  if (!node.failed())
    node.setResult(0, scaleAndShift(node, normalized, scale, bias));
}

/// Before opset 21 there was one scale and one bias per group: repeats each for its channels.
void upgradeGroupNormalization(NodeBuilder &node) {
  int64_t groups = node.getInt("num_groups");
  auto x = node.typeOf(0);
  if (node.failed() || groups < 1 || x.getRank() < 2 || x.isDynamicDim(1) || x.getDimSize(1) % groups != 0)
    return; // reported by the rule
  for (size_t input : {1, 2}) {
    if (node.typeOf(input).getShape() != ArrayRef<int64_t>{groups})
      return node.fail(node.describeInput(input) + " must have the shape [" + llvm::Twine(groups) + "], found " +
                       nn::describe(node.typeOf(input)));
    Value column = node.createReshape(node.getInput(input), {groups, 1});
    Value repeated = node.createExpand(column, IntList{groups, x.getDimSize(1) / groups});
    if (!node.failed())
      node.setInput(input, node.createReshape(repeated, {x.getDimSize(1)}));
  }
}

void buildGroupNormalization(NodeBuilder &node) {
  Value x = node.getInput(0);
  auto type = node.typeOf(x);
  int64_t rank = type.getRank(), groups = node.getInt("num_groups");
  float epsilon = node.getFloat("epsilon", 1e-5f);
  node.ignoreAttribute("stash_type");
  if (node.failed())
    return;
  if (rank < 2)
    return node.fail("input must have a rank of at least 2, found " + nn::describe(x));
  std::optional<int64_t> known = channelsOf(node, x);
  if (!known)
    return;
  int64_t channels = *known;
  if (groups < 1 || channels % groups != 0)
    return node.fail("'num_groups' must divide the channels of " + nn::describe(type) + ", found " +
                     llvm::Twine(groups));
  nn::Extents extents = node.extentsOf(0), grouped{extents[0], node.number(groups), node.number(channels / groups)};
  llvm::append_range(grouped, ArrayRef<AffineExpr>(extents).drop_front(2));
  Value normalized = normalize(node, node.createReshapeTo(x, grouped), axesFrom(2, rank + 1), epsilon);
  Value scale = perChannel(node, 1, channels, rank), bias = perChannel(node, 2, channels, rank);
  if (!node.failed())
    node.setResult(0, scaleAndShift(node, node.createReshapeTo(normalized, extents), scale, bias));
}

// ---------------------------------------------------------------------------------------- neighbouring channels
/// base ^ exponent for base >= 0: square roots where those are enough, since they are exact.
Value power(NodeBuilder &node, Value base, float exponent) {
  Value root = exponent == 0.75f || exponent == 0.5f ? node.create<nn::SqrtOp>(base) : Value();
  if (exponent == 0.75f)
    return node.create<nn::MulOp>(root, node.create<nn::SqrtOp>(root));
  if (exponent == 0.5f)
    return root;
  if (exponent == 1)
    return base;
  Value factor = node.createScalar(exponent, node.typeOf(base).getElementType());
  return node.create<nn::ExpOp>(node.create<nn::MulOp>(node.create<nn::LogOp>(base), factor));
}

/// x / (bias + alpha / size * sum of squares of `size` channels) ^ beta: the sum is a pool over the channels.
void buildLocalResponse(NodeBuilder &node) {
  Value x = node.getInput(0);
  auto type = node.typeOf(x);
  float alpha = node.getFloat("alpha", 1e-4f), beta = node.getFloat("beta", 0.75f), bias = node.getFloat("bias", 1);
  int64_t size = node.getInt("size");
  if (node.failed())
    return;
  if (type.getRank() < 2 || llvm::any_of(type.getShape().drop_front(), ShapedType::isDynamic))
    return node.fail("input must have a rank of at least 2 and known extents after the batch, found " +
                     nn::describe(type));
  if (size < 1 || size > INT32_MAX)
    return node.fail("'size' must be at least 1, found " + llvm::Twine(size));
  IntList flat{type.getDimSize(0), type.getDimSize(1), ShapedType::getNumElements(type.getShape().drop_front(2))};
  Value square = node.createReshape(node.create<nn::MulOp>(x, x), flat);
  IntList one{1}, pads{(size - 1) / 2, size / 2};
  Value mean = node.create<nn::AveragePoolOp>(square, IntList{size}, one, pads, one, /*ceil_mode=*/false,
                                              /*count_include_pad=*/true, /*channels_last=*/true);
  Type element = type.getElementType();
  Value scaled = node.create<nn::MulOp>(mean, node.createScalar(alpha, element));
  Value divisor = node.create<nn::AddOp>(scaled, node.createScalar(bias, element));
  if (!node.failed())
    node.setResult(0, node.create<nn::DivOp>(x, node.createReshapeTo(power(node, divisor, beta), nn::extentsOf(type))));
}

} // namespace

void aotc::frontend::addLayerNormalizationRules(OpTable &table) {
  table.add("LayerNormalization", 2, 3, buildLayerNormalization, floats);
  table.add("RMSNormalization", 2, 2, buildRootMeanSquare, floats);
  table.add("SimplifiedLayerNormalization", 2, 2, buildRootMeanSquare, floats);
  table.add("com.microsoft.SkipLayerNormalization", 3, 5, buildSkipLayerNormalization, floats);
  table.add("com.microsoft.SkipSimplifiedLayerNormalization", 3, 4, buildSkipRootMeanSquare, floats);
  table.add("InstanceNormalization", 3, 3, buildInstanceNormalization, floats);
  table.add("GroupNormalization", 3, 3, buildGroupNormalization, floats);
  table.addUpgrade("GroupNormalization", 21, upgradeGroupNormalization);
  table.add("LRN", 1, 1, buildLocalResponse, floats);
}
