// Matrix products of quantized matrices: sums of integers, and what becomes of them.
#include "frontend/onnx/Quantized.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

void checkBytes(NodeBuilder &node, size_t a, size_t b) {
  for (size_t index : {a, b})
    if (!isByte(node.typeOf(index).getElementType()))
      node.fail(node.describeInput(index) + " must be of int8 or uint8, found " + nn::describe(node.typeOf(index)));
}

void buildMatMulInteger(NodeBuilder &node) {
  checkBytes(node, 0, 1);
  node.setResult(0, integerProduct(node, node.getInput(0), node.getInput(1), node.getInput(2), node.getInput(3)));
}

/// Scales of the columns as they broadcast to a product of any rank.
Value perColumn(NodeBuilder &node, Value value) {
  auto type = node.typeOf(value);
  bool isSingle = type.hasStaticShape() && type.getNumElements() == 1;
  return isSingle ? node.createReshape(value, {}) : value;
}

/// (a, scale, zero point, b, scale, zero point, scale of y, zero point of y)
void buildQLinearMatMul(NodeBuilder &node) {
  checkBytes(node, 0, 3);
  if (node.failed())
    return;
  Type to = node.typeOf(7).getElementType();
  if (!isByte(to))
    return node.fail(node.describeInput(7) + " must be of int8 or uint8, found " + nn::describe(node.typeOf(7)));
  Value sums = integerProduct(node, node.getInput(0), node.getInput(3), node.getInput(2), node.getInput(5));
  if (node.failed())
    return;
  Value scale = node.create<nn::MulOp>(perRow(node, node.getInput(1)), perColumn(node, node.getInput(4)));
  scale = node.create<nn::DivOp>(scale, scalarInput(node, 6));
  node.setResult(0, requantized(node, sums, scale, scalarZeroPoint(node, 7, to), to));
}

// -------------------------------------------------------------------------------------------- com.microsoft
/// sums + addend, which broadcasts to them.
Value added(NodeBuilder &node, Value sums, Value addend) {
  Value result = node.create<nn::AddOp>(sums, addend);
  if (result && result.getType() != sums.getType())
    node.fail("what is added must broadcast to " + nn::describe(sums.getType()) + ", found " +
              nn::describe(addend.getType()));
  return result;
}

/// (a, scale, zero point, b, scale, zero point, c of i32, scale of y, zero point of y): f32 without the latter.
void buildQGemm(NodeBuilder &node) {
  checkBytes(node, 0, 3);
  if (node.failed())
    return;
  Value a = node.getInput(0), b = node.getInput(3);
  float alpha = node.getFloat("alpha", 1);
  bool transposeA = node.getBool("transA", false), transposeB = node.getBool("transB", false);
  if (node.typeOf(a).getRank() != 2 || node.typeOf(b).getRank() != 2)
    return node.fail("A and B must be matrices, found " + nn::describe(a.getType()) + " and " +
                     nn::describe(b.getType()));
  a = transposeA ? node.createTranspose(a, {1, 0}) : a;
  b = transposeB ? node.createTranspose(b, {1, 0}) : b;
  Value sums = integerProduct(node, a, b, scalarZeroPoint(node, 2, node.typeOf(0).getElementType()), node.getInput(5));
  if (node.getInput(6) && !node.failed())
    sums = added(node, sums, node.getInput(6));
  Value scale = node.create<nn::MulOp>(node.createScalar(alpha, node.getBuilder().getF32Type()), scalarInput(node, 1));
  scale = node.create<nn::MulOp>(scale, node.failed() ? Value() : perColumn(node, node.getInput(4)));
  if (node.getInput(7))
    scale = node.create<nn::DivOp>(scale, scalarInput(node, 7));
  if (!node.getInput(8))
    return node.setResult(0, scaledSums(node, sums, scale));
  Type to = node.typeOf(8).getElementType();
  if (!isByte(to) || !node.getInput(7))
    return node.fail("the zero point of the result must be of int8 or uint8 and come with a scale");
  node.setResult(0, requantized(node, sums, scale, scalarZeroPoint(node, 8, to), to));
}

/// sums * scale of a * scale of b + bias, the latter where it is not null.
Value toFloat(NodeBuilder &node, Value sums, Value aScale, Value bScale, Value bias) {
  if (node.failed())
    return {};
  Value result = scaledSums(node, sums, node.create<nn::MulOp>(perRow(node, aScale), perColumn(node, bScale)));
  return bias && !node.failed() ? added(node, result, bias) : result;
}

/// (a, b, scale of a, scale of b, zero point of a, zero point of b, bias)
void buildMatMulIntegerToFloat(NodeBuilder &node) {
  checkBytes(node, 0, 1);
  Value sums = integerProduct(node, node.getInput(0), node.getInput(1), node.getInput(4), node.getInput(5));
  node.setResult(0, toFloat(node, sums, node.getInput(2), node.getInput(3), node.getInput(6)));
}

/// (a, f32, quantized first; b, its scale and zero point, bias)
void buildDynamicQuantizeMatMul(NodeBuilder &node) {
  if (!node.typeOf(0).getElementType().isF32() || !isByte(node.typeOf(1).getElementType()))
    return node.fail("A must be of float and B of int8 or uint8, found " + nn::describe(node.typeOf(0)) + " and " +
                     nn::describe(node.typeOf(1)));
  DynamicallyQuantized a = dynamicallyQuantized(node, node.getInput(0));
  Value sums = integerProduct(node, a.x, node.getInput(1), a.zeroPoint, node.getInput(3));
  node.setResult(0, toFloat(node, sums, a.scale, node.getInput(2), node.getInput(4)));
}

} // namespace

void aotc::frontend::addIntegerProductsRules(OpTable &table) {
  table.add("MatMulInteger", 2, 4, buildMatMulInteger, ints);
  table.add("QLinearMatMul", 8, 8, buildQLinearMatMul, ints);
  table.add("com.microsoft.QGemm", 6, 9, buildQGemm, ints);
  table.add("com.microsoft.MatMulIntegerToFloat", 4, 7, buildMatMulIntegerToFloat, ints);
  table.add("com.microsoft.DynamicQuantizeMatMul", 3, 5, buildDynamicQuantizeMatMul, floats);
}
