// Batch normalization and softmax.
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
  int64_t channels = type.getDimSize(1);
  for (size_t index = 1; index < 5; ++index)
    if (node.typeOf(index).getShape() != ArrayRef<int64_t>{channels})
      return node.fail(node.describeInput(index) + " must have the shape [" + llvm::Twine(channels) + "], found " +
                       nn::describe(node.typeOf(index)));
  IntList shape(static_cast<size_t>(type.getRank()) - 1, 1);
  shape[0] = channels;
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

/// Before opset 13 the input is seen as a matrix, split at `axis`: the axes from there on are normalised together.
Value alongSplit(NodeBuilder &node, Value x, int64_t axis, bool logarithm) {
  auto type = node.typeOf(x);
  if (axis == type.getRank() - 1)
    return node.create<nn::SoftmaxOp>(x, static_cast<uint64_t>(axis), logarithm);
  ArrayRef<int64_t> outer = type.getShape().take_front(axis), inner = type.getShape().drop_front(axis);
  if (llvm::any_of(inner, ShapedType::isDynamic)) {
    node.fail("the dimensions from 'axis' on must be known when compiling");
    return {};
  }
  // Softmax over the trailing axes: leave the outer ones alone, so that a bounded extent stays as it is.
  IntList shape(outer.begin(), outer.end());
  shape.push_back(ShapedType::getNumElements(inner));
  Value flat = node.createReshape(x, shape);
  Value result = node.create<nn::SoftmaxOp>(flat, static_cast<uint64_t>(axis), logarithm);
  return node.failed() ? Value() : node.createReshape(result, type.getShape());
}

void buildSoftmax(NodeBuilder &node, bool logarithm) {
  Value x = node.getInput(0);
  int64_t rank = node.typeOf(x).getRank();
  bool splits = node.getOpset() < 13;
  int64_t axis = node.getInt("axis", splits ? 1 : -1);
  axis = node.normalizeAxis(axis, rank);
  if (node.failed())
    return;
  if (splits)
    return node.setResult(0, alongSplit(node, x, axis, logarithm));
  node.setResult(0, node.create<nn::SoftmaxOp>(x, static_cast<uint64_t>(axis), logarithm));
}

void buildPlainSoftmax(NodeBuilder &node) { buildSoftmax(node, false); }
void buildLogSoftmax(NodeBuilder &node) { buildSoftmax(node, true); }

} // namespace

void aotc::frontend::addNormalizationRules(OpTable &table) {
  table.add("BatchNormalization", 5, 5, buildBatchNormalization, floats);
  table.addUpgrade("BatchNormalization", 9, upgradeBatchNormalization);
  table.add("Softmax", 1, 1, buildPlainSoftmax, floats);
  table.add("LogSoftmax", 1, 1, buildLogSoftmax, floats);
}
