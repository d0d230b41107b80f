// Activations that are not simply the op of their name.
#include "frontend/onnx/OpTable.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

/// Integers are moved as floats, as ONNX Runtime does, and cut off again.
void buildShrink(NodeBuilder &node) {
  Value x = node.getInput(0);
  Type element = node.typeOf(x).getElementType();
  llvm::APFloat bias(node.getFloat("bias", 0)), lambd(node.getFloat("lambd", 0.5f));
  if (isa<FloatType>(element))
    return node.setResult(0, node.create<nn::ShrinkOp>(x, lambd, bias));
  Value shrunk = node.create<nn::ShrinkOp>(node.create<nn::CastOp>(x, node.getBuilder().getF64Type()), lambd, bias);
  node.setResult(0, node.create<nn::CastOp>(shrunk, element));
}

void buildGelu(NodeBuilder &node) {
  std::string approximate = node.getString("approximate", "none");
  if (approximate == "none")
    return node.setResult(0, node.create<nn::GeluOp>(node.getInput(0)));
  if (approximate == "tanh")
    return node.setResult(0, node.create<nn::GeluTanhOp>(node.getInput(0)));
  node.fail("'approximate' must be \"none\" or \"tanh\", found \"" + approximate + "\"");
}

/// x * sigmoid(alpha * x)
Value swish(NodeBuilder &node, Value x, float alpha) {
  if (alpha == 1)
    return node.create<nn::SiluOp>(x);
  Value factor = node.createScalar(alpha, node.typeOf(x).getElementType());
  return node.create<nn::MulOp>(x, node.create<nn::SigmoidOp>(node.create<nn::MulOp>(x, factor)));
}

void buildSwish(NodeBuilder &node) { node.setResult(0, swish(node, node.getInput(0), node.getFloat("alpha", 1))); }

void buildSwiGlu(NodeBuilder &node) {
  Value gate = node.getInput(0), value = node.getInput(1);
  if (gate.getType() != value.getType())
    return node.fail("A and B must be of one type and shape, found " + nn::describe(gate.getType()) + " and " +
                     nn::describe(value.getType()));
  node.setResult(0, node.create<nn::MulOp>(swish(node, gate, node.getFloat("alpha", 1)), value));
}

// ------------------------------------------------------------------------------------- of ONNX Runtime's fusions
void buildQuickGelu(NodeBuilder &node) {
  node.setResult(0, swish(node, node.getInput(0), node.getFloat("alpha", 1.702f)));
}

/// The function of the first input plus the second one, if there is one.
template <class Op> void buildBiased(NodeBuilder &node) {
  Value x = node.getInput(0), bias = node.getInput(1);
  node.setResult(0, node.create<Op>(bias ? node.create<nn::AddOp>(x, bias) : x));
}

} // namespace

void aotc::frontend::addActivationsRules(OpTable &table) {
  table.add("Shrink", 1, 1, buildShrink, numbers);
  table.add("Gelu", 1, 1, buildGelu, floats);
  table.add("Swish", 1, 1, buildSwish, floats);
  table.add("SwiGLU", 2, 2, buildSwiGlu, floats);
  table.add("com.microsoft.Gelu", 1, 1, buildBiased<nn::GeluOp>, floats);
  table.add("com.microsoft.BiasGelu", 2, 2, buildBiased<nn::GeluOp>, floats);
  table.add("com.microsoft.FastGelu", 1, 2, buildBiased<nn::GeluTanhOp>, floats);
  table.add("com.microsoft.QuickGelu", 1, 1, buildQuickGelu, floats);
  for (llvm::StringRef op : {"Softplus", "Softsign", "Elu", "Selu", "Celu", "ThresholdedRelu", "Mish"})
    table.restrict(op, floats);
}
