// Element-wise operators that are several nn ops, one with other operands, or none.
#include "frontend/onnx/OpTable.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

void passOn(NodeBuilder &node) { node.setResult(0, node.getInput(0)); }

/// Max(a, b, c) ==> max(max(a, b), c)
template <class Op> Value foldLeft(NodeBuilder &node) {
  Value result = node.getInput(0);
  for (Value input : node.getInputs().drop_front())
    result = node.create<Op>(result, input);
  return result;
}

template <class Op> void buildVariadic(NodeBuilder &node) { node.setResult(0, foldLeft<Op>(node)); }

void buildMean(NodeBuilder &node) {
  Value sum = foldLeft<nn::AddOp>(node);
  if (!sum)
    return;
  Value count = node.createScalar(static_cast<double>(node.getInputCount()), node.typeOf(sum).getElementType());
  node.setResult(0, node.create<nn::DivOp>(sum, count));
}

/// The lower limit first: where the two contradict each other, the upper one wins. The limits that are left out are
/// those of ONNX's element type, which is no longer seen once the inputs are widened.
void buildClip(NodeBuilder &node) {
  auto element = dyn_cast<FloatType>(node.typeOf(0).getElementType());
  node.widenInputs();
  Value x = node.getInput(0), low = node.getInput(1), high = node.getInput(2);
  for (size_t index : {1, 2})
    if (Value limit = node.getInput(index);
        limit && node.typeOf(limit).getRank() != 0 &&
        (!node.typeOf(limit).hasStaticShape() || node.typeOf(limit).getNumElements() != 1))
      return node.fail(node.describeInput(index) + " must be a scalar, found " + nn::describe(limit.getType()));
  // The least and the largest finite number are the limits that are left out: infinities are clipped to them.
  auto limit = [&](Value value, bool isLeast) {
    if (!value && element)
      return node.createScalar(llvm::APFloat::getLargest(element.getFloatSemantics(), isLeast).convertToDouble(),
                               node.typeOf(x).getElementType());
    // A limit of shape [1] would give a scalar x a dimension.
    return value ? node.createReshape(value, {}) : value;
  };
  if (Value least = limit(low, true))
    x = node.create<nn::MaxOp>(x, least);
  if (Value most = limit(high, false))
    x = node.create<nn::MinOp>(x, most);
  node.setResult(0, x);
}

/// Before opset 11 the limits were attributes.
void upgradeClip(NodeBuilder &node) {
  Type element = node.typeOf(0).getElementType();
  if (node.hasAttribute("min"))
    node.setInput(1, node.createScalar(node.getFloat("min", 0), element));
  if (node.hasAttribute("max"))
    node.setInput(2, node.createScalar(node.getFloat("max", 0), element));
  node.ignoreAttribute("consumed_inputs");
}

void buildDropout(NodeBuilder &node) {
  node.ignoreAttribute("ratio");
  node.ignoreAttribute("seed");
  node.ignoreAttribute("is_test");
  if (Value training = node.getInput(2)) {
    ElementsAttr constant = NodeBuilder::getConstant(training);
    if (!constant || nn::HostTensor::view(constant).size() != 1 || nn::HostTensor::view(constant).toInteger(0) != 0)
      return node.fail("training is not supported, " + node.describeInput(2) + " must be false");
  }
  passOn(node);
  auto x = node.typeOf(0);
  if (node.getNode().outputs.size() > 1 && x.hasStaticShape())
    node.setResult(1, node.createSplat(1, RankedTensorType::get(x.getShape(), node.getBuilder().getI1Type())));
}

/// Not "not greater": comparisons with NaN are false.
void buildLessOrEqual(NodeBuilder &node) {
  Value less = node.create<nn::LessOp>(node.getInput(0), node.getInput(1));
  Value equal = node.create<nn::EqualOp>(node.getInput(0), node.getInput(1));
  node.setResult(0, node.create<nn::OrOp>(less, equal));
}

void buildGreaterOrEqual(NodeBuilder &node) {
  Value greater = node.create<nn::GreaterOp>(node.getInput(0), node.getInput(1));
  Value equal = node.create<nn::EqualOp>(node.getInput(0), node.getInput(1));
  node.setResult(0, node.create<nn::OrOp>(greater, equal));
}

void buildReciprocal(NodeBuilder &node) {
  Value one = node.createScalar(1, node.typeOf(0).getElementType());
  node.setResult(0, node.create<nn::DivOp>(one, node.getInput(0)));
}

void buildPRelu(NodeBuilder &node) {
  Value result = node.create<nn::PReluOp>(node.getInput(0), node.getInput(1));
  if (result && result.getType() != node.getInput(0).getType())
    return node.fail("the slope must broadcast to the input " + nn::describe(node.typeOf(0)) + ", found " +
                     nn::describe(node.typeOf(1)));
  node.setResult(0, result);
}

void buildWhere(NodeBuilder &node) {
  Type x = node.typeOf(1).getElementType(), y = node.typeOf(2).getElementType();
  if (x != y) {
    std::string text;
    llvm::raw_string_ostream(text) << "operands must have one element type, found " << x << " and " << y;
    return node.fail(text);
  }
  node.setResult(0, node.create<nn::WhereOp>(node.getInput(0), node.getInput(1), node.getInput(2)));
}

} // namespace

void aotc::frontend::addElementwiseRules(OpTable &table) {
  table.add("Identity", 1, 1, passOn);
  table.add("Max", 1, anyNumber, buildVariadic<nn::MaxOp>, numbers);
  table.add("Min", 1, anyNumber, buildVariadic<nn::MinOp>, numbers);
  table.add("Sum", 1, anyNumber, buildVariadic<nn::AddOp>, floats);
  table.add("Mean", 1, anyNumber, buildMean, floats);
  table.add("Clip", 1, 3, buildClip, numbers);
  table.addUpgrade("Clip", 11, upgradeClip);
  table.add("Dropout", 1, 3, buildDropout, floats);
  table.add("LessOrEqual", 2, 2, buildLessOrEqual, numbers);
  table.add("GreaterOrEqual", 2, 2, buildGreaterOrEqual, numbers);
  table.add("Reciprocal", 1, 1, buildReciprocal, floats);
  table.add("PRelu", 2, 2, buildPRelu, numbers);
  table.add("Where", 3, 3, buildWhere, bools);
  for (llvm::StringRef op :
       {"Exp", "Log", "Sqrt", "Tanh", "Erf", "Floor", "Ceil", "Sigmoid", "LeakyRelu", "HardSigmoid", "HardSwish"})
    table.restrict(op, floats);
  for (llvm::StringRef op : {"Relu", "Neg"})
    table.restrict(op, floats | signedInts);
  for (llvm::StringRef op : {"Add", "Sub", "Mul", "Div", "Abs", "Less", "Greater", "MatMul"})
    table.restrict(op, numbers);
  for (llvm::StringRef op : {"And", "Or", "Not"})
    table.restrict(op, bools);
  table.takeNarrowFloats({"Identity", "Where", "Clip"});
  table.takeSequences({"Identity"});
}
