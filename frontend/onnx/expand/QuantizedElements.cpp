// Quantized element-wise functions, sums, pools and softmax of com.microsoft: the steps that ONNX Runtime takes, in its
// order, since they decide which way a tie is rounded.
#include "frontend/onnx/Quantized.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

/// A tensor with its scale and zero point, both scalars.
struct QuantizedTensor {
  Value x, scale, zeroPoint;
};

bool isQuantizedElement(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  return integer && (integer.getWidth() == 8 || integer.getWidth() == 16);
}

/// Inputs `index` … `index` + 2.
QuantizedTensor readTensor(NodeBuilder &node, size_t index) {
  if (!node.failed() && !node.getInput(index))
    node.fail("input " + llvm::Twine(index) + " is missing");
  if (node.failed())
    return {};
  Type element = node.typeOf(index).getElementType();
  if (!isQuantizedElement(element)) {
    node.fail(node.describeInput(index) + " must be of integers of 8 or 16 bits, found " +
              nn::describe(node.typeOf(index)));
    return {};
  }
  return {node.getInput(index), scalarInput(node, index + 1), scalarZeroPoint(node, index + 2, element)};
}

/// The result's scale at input `index`, and its zero point behind it, which gives the type: `byDefault` where it is
/// left out.
QuantizedTensor readResult(NodeBuilder &node, size_t index, Type byDefault) {
  if (node.failed())
    return {};
  Type element = node.getInput(index + 1) ? node.typeOf(index + 1).getElementType() : byDefault;
  if (!isQuantizedElement(element))
    node.fail(node.describeInput(index + 1) + " must be of integers of 8 or 16 bits, found " +
              nn::describe(node.typeOf(index + 1)));
  return {{}, scalarInput(node, index), scalarZeroPoint(node, index + 1, element)};
}

Type elementOf(NodeBuilder &node, Value value) { return node.typeOf(value).getElementType(); }

Value dequantized(NodeBuilder &node, const QuantizedTensor &tensor) {
  return node.failed() ? Value() : aotc::frontend::dequantized(node, tensor.x, tensor.scale, tensor.zeroPoint);
}

Value quantized(NodeBuilder &node, Value real, const QuantizedTensor &like) {
  return aotc::frontend::quantized(node, real, like.scale, like.zeroPoint);
}

/// As a float.
Value real(NodeBuilder &node, Value integers) {
  return node.create<nn::CastOp>(integers, node.getBuilder().getF32Type());
}

/// saturate(round_half_even(value)) of the result's type; the value holds the zero point already.
Value roundedTo(NodeBuilder &node, Value value, const QuantizedTensor &result) {
  return node.failed() ? Value() : rounded(node, value, {}, elementOf(node, result.zeroPoint));
}

/// a * (scale of a / scale of y) + b * (…) + what the zero points make of it.
void buildAdd(NodeBuilder &node) {
  QuantizedTensor a = readTensor(node, 0), b = readTensor(node, 3);
  QuantizedTensor y = readResult(node, 6, node.typeOf(0).getElementType());
  if (node.failed())
    return;
  Value ratioA = node.create<nn::DivOp>(a.scale, y.scale), ratioB = node.create<nn::DivOp>(b.scale, y.scale);
  Value zeros = node.create<nn::AddOp>(node.create<nn::MulOp>(ratioA, real(node, a.zeroPoint)),
                                       node.create<nn::MulOp>(ratioB, real(node, b.zeroPoint)));
  Value fixed = node.create<nn::SubOp>(real(node, y.zeroPoint), zeros);
  Value first = node.create<nn::AddOp>(fixed, node.create<nn::MulOp>(real(node, a.x), ratioA));
  Value sum = node.create<nn::AddOp>(first, node.create<nn::MulOp>(real(node, b.x), ratioB));
  node.setResult(0, roundedTo(node, sum, y));
}

/// x - zero point, as a float.
Value centered(NodeBuilder &node, const QuantizedTensor &tensor) {
  return node.create<nn::SubOp>(real(node, tensor.x), real(node, tensor.zeroPoint));
}

void buildMul(NodeBuilder &node) {
  QuantizedTensor a = readTensor(node, 0), b = readTensor(node, 3);
  QuantizedTensor y = readResult(node, 6, node.typeOf(0).getElementType());
  if (node.failed())
    return;
  Value product = node.create<nn::MulOp>(centered(node, a), centered(node, b));
  Value ratio = node.create<nn::DivOp>(node.create<nn::MulOp>(a.scale, b.scale), y.scale);
  Value shifted = node.create<nn::AddOp>(node.create<nn::MulOp>(product, ratio), real(node, y.zeroPoint));
  node.setResult(0, roundedTo(node, shifted, y));
}

/// x in the result's scale; as it is where that is its own.
Value moved(NodeBuilder &node, const QuantizedTensor &x, const QuantizedTensor &y) {
  if (node.failed())
    return {};
  auto isSame = [](Value a, Value b) {
    return a == b || (NodeBuilder::getConstant(a) && NodeBuilder::getConstant(a) == NodeBuilder::getConstant(b));
  };
  return isSame(x.scale, y.scale) && isSame(x.zeroPoint, y.zeroPoint) ? x.x : quantized(node, dequantized(node, x), y);
}

/// (scale of y, zero point of y, then three inputs for each tensor)
void buildConcat(NodeBuilder &node) {
  QuantizedTensor y = readResult(node, 0, {});
  if (node.getInputCount() < 5 || (node.getInputCount() - 2) % 3 != 0)
    node.fail("there must be three inputs for each tensor, found " + llvm::Twine(node.getInputCount() - 2));
  llvm::SmallVector<Value> parts;
  for (size_t index = 2; index < node.getInputCount() && !node.failed(); index += 3)
    parts.push_back(moved(node, readTensor(node, index), y));
  if (node.failed())
    return;
  int64_t axis = node.normalizeAxis(node.getInt("axis"), node.typeOf(parts.front()).getRank());
  node.setResult(0, node.create<nn::ConcatOp>(parts, static_cast<uint64_t>(axis)));
}

/// (condition, three inputs for each of two tensors, scale and zero point of the result)
void buildWhere(NodeBuilder &node) {
  QuantizedTensor z = readResult(node, 7, node.typeOf(1).getElementType());
  Value x = moved(node, readTensor(node, 1), z), y = moved(node, readTensor(node, 4), z);
  node.setResult(0, node.create<nn::WhereOp>(node.getInput(0), x, y));
}

// ----------------------------------------------------------------------------------------------------- functions
void buildSigmoid(NodeBuilder &node) {
  QuantizedTensor x = readTensor(node, 0), y = readResult(node, 3, node.typeOf(0).getElementType());
  node.setResult(0, quantized(node, node.create<nn::SigmoidOp>(dequantized(node, x)), y));
}

void buildLeakyRelu(NodeBuilder &node) {
  QuantizedTensor x = readTensor(node, 0), y = readResult(node, 3, node.typeOf(0).getElementType());
  llvm::APFloat alpha(node.getFloat("alpha", 0.01f));
  node.setResult(0, quantized(node, node.create<nn::LeakyReluOp>(dequantized(node, x), alpha), y));
}

/// What a probability of 1 is in units of the result: a whole number, in ONNX Runtime.
Value largestQuotient(NodeBuilder &node, Value scale) {
  Type f32 = node.getBuilder().getF32Type();
  return node.create<nn::FloorOp>(node.create<nn::DivOp>(node.createScalar(1, f32), scale));
}

/// Along 'axis', or before opset 13 over all dimensions from it on.
Value softmax(NodeBuilder &node, Value x) {
  int64_t opset = node.getInt("opset");
  auto type = node.typeOf(x);
  int64_t rank = type.getRank(), axis = node.normalizeAxis(node.getInt("axis", opset < 13 ? 1 : -1), rank);
  if (node.failed() || opset >= 13)
    return node.create<nn::SoftmaxOp>(x, static_cast<uint64_t>(axis), /*logarithm=*/false);
  ArrayRef<int64_t> shape = type.getShape();
  auto count = [](ArrayRef<int64_t> extents) {
    return llvm::any_of(extents, ShapedType::isDynamic) ? ShapedType::kDynamic : ShapedType::getNumElements(extents);
  };
  auto front = static_cast<size_t>(axis);
  Value flat = node.createReshape(x, {count(shape.take_front(front)), count(shape.drop_front(front))});
  Value result = node.create<nn::SoftmaxOp>(flat, uint64_t{1}, /*logarithm=*/false);
  return node.failed() ? Value() : node.createReshape(result, shape);
}

void buildSoftmax(NodeBuilder &node) {
  QuantizedTensor x = readTensor(node, 0), y = readResult(node, 3, node.typeOf(0).getElementType());
  if (node.failed())
    return;
  Value scaled = node.create<nn::MulOp>(softmax(node, dequantized(node, x)), largestQuotient(node, y.scale));
  if (!node.failed())
    node.setResult(0, rounded(node, scaled, y.zeroPoint, elementOf(node, y.zeroPoint)));
}

// --------------------------------------------------------------------------------------------------------- pools
/// x with its channels second, or the other way round.
Value moveChannels(NodeBuilder &node, Value x, bool toLast) {
  if (node.failed())
    return {};
  int64_t rank = node.typeOf(x).getRank();
  if (rank < 3) {
    node.fail("input must have a rank of at least 3, found " + nn::describe(x.getType()));
    return {};
  }
  IntList order{0};
  if (!toLast)
    order.push_back(rank - 1);
  for (int64_t axis = toLast ? 2 : 1; axis < (toLast ? rank : rank - 1); ++axis)
    order.push_back(axis);
  if (toLast)
    order.push_back(1);
  return node.createTranspose(x, order);
}

void buildAveragePool(NodeBuilder &node) {
  QuantizedTensor x = readTensor(node, 0), y = readResult(node, 3, node.typeOf(0).getElementType());
  bool channelsLast = node.getBool("channels_last", false);
  Value image = dequantized(node, x);
  if (channelsLast)
    image = moveChannels(node, image, false);
  if (node.failed())
    return;
  node.setInput(0, image);
  Value mean = averagePooled(node);
  Value shifted = node.create<nn::AddOp>(node.create<nn::DivOp>(mean, y.scale), real(node, y.zeroPoint));
  Value result = roundedTo(node, shifted, y);
  node.setResult(0, channelsLast ? moveChannels(node, result, true) : result);
}

/// Sums of integers, times one factor.
void buildGlobalAveragePool(NodeBuilder &node) {
  QuantizedTensor x = readTensor(node, 0), y = readResult(node, 3, node.typeOf(0).getElementType());
  bool channelsLast = node.getBool("channels_last", false);
  if (node.failed())
    return;
  auto type = node.typeOf(x.x);
  int64_t rank = type.getRank(), first = channelsLast ? 1 : 2, last = channelsLast ? rank - 1 : rank;
  if (rank < 3 || llvm::any_of(type.getShape().drop_front(), ShapedType::isDynamic))
    return node.fail("input must have a rank of at least 3 and known extents after the batch, found " +
                     nn::describe(type));
  IntList axes;
  double count = 1;
  for (int64_t axis = first; axis < last; ++axis) {
    axes.push_back(axis);
    count *= static_cast<double>(type.getDimSize(axis));
  }
  Type i32 = node.getBuilder().getI32Type(), f32 = node.getBuilder().getF32Type();
  Value difference =
      node.create<nn::SubOp>(node.create<nn::CastOp>(x.x, i32), node.create<nn::CastOp>(x.zeroPoint, i32));
  Value sums = node.create<nn::ReduceOp>(difference, nn::ReduceKind::Sum, axes, /*keepdims=*/true);
  Value divisor = node.create<nn::MulOp>(y.scale, node.createScalar(count, f32));
  Value factor = node.create<nn::DivOp>(x.scale, divisor);
  if (!node.failed())
    node.setResult(0, requantized(node, sums, factor, y.zeroPoint, elementOf(node, y.zeroPoint)));
}

} // namespace

void aotc::frontend::addQuantizedElementsRules(OpTable &table) {
  // Only the first input must be there: what reads the others knows which of them may be left out, in between too.
  table.add("com.microsoft.QLinearAdd", 1, 8, buildAdd, ints);
  table.add("com.microsoft.QLinearMul", 1, 8, buildMul, ints);
  table.add("com.microsoft.QLinearConcat", 5, anyNumber, buildConcat);
  table.add("com.microsoft.QLinearWhere", 9, 9, buildWhere);
  table.add("com.microsoft.QLinearSigmoid", 1, 5, buildSigmoid, ints);
  table.add("com.microsoft.QLinearLeakyRelu", 1, 5, buildLeakyRelu, ints);
  table.add("com.microsoft.QLinearSoftmax", 1, 5, buildSoftmax, ints);
  table.add("com.microsoft.QLinearAveragePool", 1, 5, buildAveragePool, ints);
  table.add("com.microsoft.QLinearGlobalAveragePool", 1, 5, buildGlobalAveragePool, ints);
}
