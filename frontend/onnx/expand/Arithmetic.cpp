// Powers, remainders and operators on bits.
#include "frontend/onnx/OpTable.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

// -------------------------------------------------------------------------------------------------------- powers
/// The exponent, where it is one number that is known and gives the result no dimensions of its own.
std::optional<double> constantExponent(NodeBuilder &node) {
  auto x = node.typeOf(0), y = node.typeOf(1);
  std::optional<nn::HostTensor> exponent = NodeBuilder::viewConstant(node.getInput(1));
  if (!exponent || exponent->size() != 1 || y.getRank() > x.getRank() || (y.getRank() > 0 && y.getNumElements() != 1))
    return std::nullopt;
  return exponent->toDouble(0);
}

/// x^(1/2) as IEEE 754 has it: of -0 it is 0, and of -inf it is inf.
Value squareRoot(NodeBuilder &node, Value x) {
  auto number = [&](double value) { return node.createScalar(value, node.typeOf(x).getElementType()); };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Value root = node.create<nn::AddOp>(node.create<nn::SqrtOp>(x), number(0));
  return node.create<nn::WhereOp>(node.create<nn::EqualOp>(x, number(-infinity)), number(infinity), root);
}

/// What ONNX Runtime multiplies out, and roots and quotients that are exactly rounded; null for other exponents.
Value powerInSteps(NodeBuilder &node, Value x, double exponent) {
  if (exponent == 1)
    return x;
  if (exponent == 2)
    return node.create<nn::MulOp>(x, x);
  if (exponent == 3)
    return node.create<nn::MulOp>(node.create<nn::MulOp>(x, x), x);
  Type element = node.typeOf(x).getElementType();
  if (!isa<FloatType>(element))
    return {};
  if (exponent == 0.5)
    return squareRoot(node, x);
  if (exponent == -0.5)
    return node.create<nn::DivOp>(node.createScalar(1, element), squareRoot(node, x));
  if (exponent == -1)
    return node.create<nn::DivOp>(node.createScalar(1, element), x);
  return {};
}

void buildPow(NodeBuilder &node) {
  Value x = node.getInput(0);
  std::optional<double> exponent = constantExponent(node);
  Value result = exponent ? powerInSteps(node, x, *exponent) : Value();
  node.setResult(0, result ? result : node.create<nn::PowOp>(x, node.getInput(1)));
}

// --------------------------------------------------------------------------------------------------- remainders
void buildMod(NodeBuilder &node) {
  Value x = node.getInput(0), y = node.getInput(1);
  bool isFmod = node.getBool("fmod", false);
  if (!isFmod && node.getOpset() < 28 && isa<FloatType>(node.typeOf(x).getElementType()))
    return node.fail("'fmod' must be 1 for floats before opset 28, found 0");
  node.setResult(0, isFmod ? node.create<nn::RemainderOp>(x, y) : node.create<nn::ModuloOp>(x, y));
}

// --------------------------------------------------------------------------------------------------------- bits
template <class Op> void buildBinary(NodeBuilder &node) {
  node.setResult(0, node.create<Op>(node.getInput(0), node.getInput(1)));
}

void buildBitwiseNot(NodeBuilder &node) { node.setResult(0, node.create<nn::NotOp>(node.getInput(0))); }

void buildBitShift(NodeBuilder &node) {
  std::string direction = node.getString("direction", "");
  if (direction == "LEFT")
    return buildBinary<nn::ShiftLeftOp>(node);
  if (direction == "RIGHT")
    return buildBinary<nn::ShiftRightOp>(node);
  node.fail("'direction' must be \"LEFT\" or \"RIGHT\", found \"" + direction + "\"");
}

} // namespace

void aotc::frontend::addArithmeticRules(OpTable &table) {
  table.add("Pow", 2, 2, buildPow, numbers);
  table.add("Mod", 2, 2, buildMod, numbers);
  table.add("BitwiseAnd", 2, 2, buildBinary<nn::AndOp>, ints);
  table.add("BitwiseOr", 2, 2, buildBinary<nn::OrOp>, ints);
  table.add("BitwiseXor", 2, 2, buildBinary<nn::XorOp>, ints);
  table.add("BitwiseNot", 1, 1, buildBitwiseNot, ints);
  table.add("BitShift", 2, 2, buildBitShift, ints);
  for (llvm::StringRef op : {"IsNaN", "IsInf", "Round", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan", "Sinh", "Cosh",
                             "Asinh", "Acosh", "Atanh"})
    table.restrict(op, floats);
  table.restrict("Sign", numbers);
  table.restrict("Xor", bools);
}
