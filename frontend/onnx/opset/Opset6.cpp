// Opset 7 brought NumPy's broadcasting. Before, the second operand had the shape of the first, or, where 'broadcast'
// was 1, that of some of its dimensions in a row, the last ones unless 'axis' named the first of them. Here it gets the
// unit dimensions that make it broadcast in the same way.
#include "frontend/onnx/opset/Opset6.h"

#include "ir/nn/Shapes.h"

#include "llvm/ADT/STLExtras.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

bool isAlignedAt(int64_t axis, llvm::ArrayRef<int64_t> x, llvm::ArrayRef<int64_t> y) {
  return axis >= 0 && axis + y.size() <= x.size() &&
         llvm::all_of_zip(y, x.slice(static_cast<size_t>(axis), y.size()),
                          [](int64_t small, int64_t large) { return small == large || small == 1; });
}

void alignAt(NodeBuilder &node, int64_t axis, size_t rank) {
  IntList shape(node.typeOf(1).getShape());
  shape.append(rank - shape.size() - static_cast<size_t>(axis), 1);
  node.setInput(1, node.createReshape(node.getInput(1), shape));
}

void upgradeBroadcast(NodeBuilder &node) {
  bool broadcasts = node.getBool("broadcast", false);
  node.ignoreAttribute("axis");
  if (!node.getInput(0) || !node.getInput(1))
    return; // reported as for every other opset
  llvm::ArrayRef<int64_t> x = node.typeOf(0).getShape(), y = node.typeOf(1).getShape();
  int64_t axis = static_cast<int64_t>(x.size()) - static_cast<int64_t>(y.size());
  if (broadcasts && node.hasAttribute("axis"))
    axis = node.normalizeAxis(node.getInt("axis"), static_cast<int64_t>(x.size()));
  if (node.failed())
    return;
  if (broadcasts ? !isAlignedAt(axis, x, y) : x != y)
    return node.fail((broadcasts ? "the second shape must be part of the first from 'axis' on"
                                 : "shapes must be equal where 'broadcast' is not 1") +
                     llvm::Twine(", found ") + nn::describe(node.typeOf(0)) + " and " + nn::describe(node.typeOf(1)));
  alignAt(node, axis, x.size());
}

/// One slope, or one for each channel.
void upgradePRelu(NodeBuilder &node) {
  if (!node.getInput(0) || !node.getInput(1))
    return;
  size_t rank = static_cast<size_t>(node.typeOf(0).getRank());
  if (node.typeOf(1).getRank() == 1 && node.typeOf(1).getDimSize(0) != 1 && rank > 2)
    alignAt(node, 1, rank);
}

/// C broadcasts as it still does.
void upgradeGemm(NodeBuilder &node) { node.ignoreAttribute("broadcast"); }

void refuseTraining(NodeBuilder &node) {
  if (node.getInt("is_test", 0) == 0)
    node.fail("training is not supported, 'is_test' must be 1");
}

} // namespace

void aotc::frontend::addOpset6Upgrades(OpTable &table) {
  constexpr int64_t opset = 7;
  auto add = [&](llvm::StringRef op, UpgradeRule rule) {
    if (table.find("", op))
      table.addUpgrade(op, opset, rule);
  };
  for (llvm::StringRef op : {"Add", "Sub", "Mul", "Div", "Pow", "And", "Or", "Xor", "Equal", "Greater", "Less"})
    add(op, upgradeBroadcast);
  add("PRelu", upgradePRelu);
  add("Gemm", upgradeGemm);
  add("BatchNormalization", refuseTraining);
  add("Dropout", refuseTraining);
}
