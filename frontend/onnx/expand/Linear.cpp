// Gemm: alpha * A' * B' + beta * C.
#include "frontend/onnx/OpTable.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

Value scaled(NodeBuilder &node, Value x, float factor) {
  if (factor == 1 || node.failed())
    return x;
  Type element = node.typeOf(x).getElementType();
  if (!isa<FloatType>(element)) {
    node.fail("'alpha' and 'beta' must be 1 for integers, found " + std::to_string(factor));
    return {};
  }
  return node.create<nn::MulOp>(x, node.createScalar(factor, element));
}

/// alpha goes onto B, where it usually is folded into the weights.
void buildGemm(NodeBuilder &node) {
  Value a = node.getInput(0), b = node.getInput(1), c = node.getInput(2);
  float alpha = node.getFloat("alpha", 1), beta = node.getFloat("beta", 1);
  bool transposeA = node.getBool("transA", false), transposeB = node.getBool("transB", false);
  if (node.typeOf(a).getRank() != 2 || node.typeOf(b).getRank() != 2)
    return node.fail("A and B must be matrices, found " + nn::describe(a.getType()) + " and " +
                     nn::describe(b.getType()));
  if (transposeA)
    a = node.createTranspose(a, {1, 0});
  if (transposeB)
    b = node.createTranspose(b, {1, 0});
  Value product = node.create<nn::MatMulOp>(a, scaled(node, b, alpha));
  if (!product || !c || beta == 0)
    return node.setResult(0, product);
  Value sum = node.create<nn::AddOp>(product, scaled(node, c, beta));
  if (sum && sum.getType() != product.getType())
    return node.fail("C must broadcast to " + nn::describe(product.getType()) + ", found " + nn::describe(c.getType()));
  node.setResult(0, sum);
}

} // namespace

void aotc::frontend::addLinearRules(OpTable &table) { table.add("Gemm", 2, 3, buildGemm, numbers); }
