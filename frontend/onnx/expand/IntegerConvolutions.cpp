// ConvInteger, and QLinearConv: nn.quantized_conv where its results are bytes of an image and all but x is constant, else
// sums of products of integers that are scaled afterwards.
#include "frontend/onnx/Quantized.h"
#include "ir/nn/QuantizationFolding.h"
#include "ir/nn/Shapes.h"
#include "ir/nn/Window.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

/// The operands of a convolution of integers. Zero points are scalars; that of the weights may be one for each filter.
struct IntegerConvolution {
  Value x, weights, xZeroPoint, weightsZeroPoint;
  ConvolutionAttributes attributes;
};

IntegerConvolution readOperands(NodeBuilder &node, size_t x, size_t weights, size_t xZero, size_t weightsZero) {
  IntegerConvolution conv;
  for (size_t index : {x, weights})
    if (!isByte(node.typeOf(index).getElementType()))
      node.fail(node.describeInput(index) + " must be of int8 or uint8, found " + nn::describe(node.typeOf(index)));
  conv.attributes = readConvolution(node, node.typeOf(x), node.typeOf(weights));
  conv.x = node.getInput(x);
  conv.weights = node.getInput(weights);
  if (node.failed())
    return conv;
  conv.xZeroPoint = scalarZeroPoint(node, xZero, node.typeOf(x).getElementType());
  auto type = node.typeOf(weights);
  Value zero = node.getInput(weightsZero);
  bool perFilter = zero && node.typeOf(zero).getShape() == ArrayRef<int64_t>{type.getDimSize(0)};
  conv.weightsZeroPoint = perFilter ? zero : scalarZeroPoint(node, weightsZero, type.getElementType());
  if (perFilter && node.typeOf(zero).getElementType() != type.getElementType())
    node.fail(node.describeInput(weightsZero) + " must be of the weights' type, found " + nn::describe(zero.getType()));
  return conv;
}

/// Constant weights less their zero points.
std::optional<nn::HostTensor> constantWeights(NodeBuilder &node, const IntegerConvolution &conv, Type element) {
  std::optional<nn::HostTensor> values = NodeBuilder::viewConstant(conv.weights),
                                zero = NodeBuilder::viewConstant(conv.weightsZeroPoint);
  auto type = node.typeOf(conv.weights);
  if (!values || !zero || values->size() != type.getNumElements() || type.getNumElements() == 0)
    return std::nullopt;
  return nn::lessZeroPoints(*values, zero, /*axis=*/0, element);
}

/// The sums as i32.
Value integerSums(NodeBuilder &node, const IntegerConvolution &conv) {
  if (node.failed())
    return {};
  Value xZero = node.createReshape(conv.xZeroPoint, {1}), wZero = conv.weightsZeroPoint;
  if (node.failed())
    return {};
  if (node.typeOf(wZero).getRank() == 0)
    wZero = node.createReshape(wZero, {1});
  const ConvolutionAttributes &attributes = conv.attributes;
  return node.create<nn::IntegerConvOp>(conv.x, conv.weights, xZero, wZero, attributes.strides, attributes.pads,
                                        attributes.dilations, static_cast<uint64_t>(attributes.group));
}

void buildConvInteger(NodeBuilder &node) { node.setResult(0, integerSums(node, readOperands(node, 0, 1, 2, 3))); }

// --------------------------------------------------------------------------------------------------- QLinearConv
/// One value per filter, as it broadcasts to the result [N, O, spatial…]; a scalar stays one.
Value alongChannels(NodeBuilder &node, Value value, int64_t rank) {
  if (node.failed() || node.typeOf(value).getRank() == 0)
    return value;
  IntList shape(static_cast<size_t>(rank) - 1, 1);
  shape[0] = node.typeOf(value).getDimSize(0);
  return node.createReshape(value, shape);
}

/// Scale of x * scales of the weights / scale of the result: a scalar, or one for each filter.
Value outputScale(NodeBuilder &node, int64_t filters) {
  Value weights = node.getInput(4);
  bool perFilter = node.typeOf(weights).getShape() == ArrayRef<int64_t>{filters};
  Value product = node.create<nn::MulOp>(scalarInput(node, 1), perFilter ? weights : scalarInput(node, 4));
  return node.create<nn::DivOp>(product, scalarInput(node, 6));
}

/// A constant of one number, or of `count` of them, as `count` numbers.
std::optional<nn::HostTensor> spread(Value value, int64_t count) {
  std::optional<nn::HostTensor> values = NodeBuilder::viewConstant(value);
  if (!values)
    return std::nullopt;
  nn::HostTensor result(RankedTensorType::get({count}, values->type().getElementType()));
  for (int64_t i = 0; i < count; ++i)
    result.set(i, values->toDouble(values->size() == 1 ? 0 : i));
  return result;
}

/// The whole operator as one op; null where it does not fit.
Value quantizedConvolution(NodeBuilder &node, const IntegerConvolution &conv, Value scale, Value bias,
                           Value zeroPoint) {
  auto type = node.typeOf(conv.weights);
  int64_t filters = type.getDimSize(0);
  if (!nn::isIntegerImage(node.typeOf(conv.x)))
    return {};
  std::optional<nn::HostTensor> weights = constantWeights(node, conv, node.getBuilder().getIntegerType(16));
  std::optional<nn::HostTensor> scales = spread(scale, filters), xZero = NodeBuilder::viewConstant(conv.xZeroPoint),
                                zero = NodeBuilder::viewConstant(zeroPoint);
  std::optional<nn::HostTensor> biases =
      spread(bias ? bias : node.createScalar(0, node.getBuilder().getI32Type()), filters);
  if (!weights || !scales || !xZero || !zero || !biases)
    return {};
  Type to = node.typeOf(zeroPoint).getElementType();
  int64_t low = to.isUnsignedInteger() ? 0 : -128;
  const ConvolutionAttributes &attributes = conv.attributes;
  auto constant = [&](const nn::HostTensor &tensor) { return node.createConstant(tensor.toAttr()); };
  return node.create<nn::QuantizedConvOp>(
      conv.x, constant(*weights), constant(*biases), constant(*scales), /*shift=*/Value(), /*x_zero=*/Value(),
      attributes.strides, attributes.pads, attributes.dilations, static_cast<uint64_t>(attributes.group),
      /*channels_last=*/false, xZero->toInteger(0), zero->toInteger(0), low, low + 255, to);
}

/// (x, scale, zero point, weights, scale, zero point, scale of y, zero point of y, bias of i32)
void buildQLinearConv(NodeBuilder &node) {
  IntegerConvolution conv = readOperands(node, 0, 3, 2, 5);
  Type to = node.typeOf(7).getElementType();
  if (!isByte(to))
    node.fail(node.describeInput(7) + " must be of int8 or uint8, found " + nn::describe(node.typeOf(7)));
  if (node.failed())
    return;
  int64_t filters = node.typeOf(3).getDimSize(0), rank = node.typeOf(0).getRank();
  Value scale = outputScale(node, filters), zeroPoint = scalarZeroPoint(node, 7, to), bias = node.getInput(8);
  if (bias && (node.typeOf(bias).getShape() != ArrayRef<int64_t>{filters} ||
               !node.typeOf(bias).getElementType().isSignlessInteger(32)))
    node.fail("the bias must be int32 [" + llvm::Twine(filters) + "], found " + nn::describe(bias.getType()));
  if (node.failed())
    return;
  if (Value result = quantizedConvolution(node, conv, scale, bias, zeroPoint))
    return node.setResult(0, result);
  Value sums = integerSums(node, conv);
  if (bias)
    sums = node.create<nn::AddOp>(sums, alongChannels(node, bias, rank));
  node.setResult(0, requantized(node, sums, alongChannels(node, scale, rank), zeroPoint, to));
}

} // namespace

void aotc::frontend::addIntegerConvolutionsRules(OpTable &table) {
  table.add("ConvInteger", 2, 4, buildConvInteger, ints);
  table.add("QLinearConv", 8, 9, buildQLinearConv, ints);
}
