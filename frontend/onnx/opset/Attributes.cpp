// Operators whose attributes became inputs.
#include "frontend/onnx/opset/Opset6.h"

using namespace aotc::frontend;

namespace {

void attributeToInput(NodeBuilder &node, llvm::StringRef name, size_t index) {
  if (std::optional<IntList> values = node.getInts(name))
    node.setInput(index, node.createInts(*values));
}

void upgradeAxes(NodeBuilder &node) { attributeToInput(node, "axes", 1); }
void upgradeSplit(NodeBuilder &node) { attributeToInput(node, "split", 1); }

void upgradeSlice(NodeBuilder &node) {
  attributeToInput(node, "starts", 1);
  attributeToInput(node, "ends", 2);
  attributeToInput(node, "axes", 3);
}

void upgradePad(NodeBuilder &node) {
  attributeToInput(node, "pads", 1);
  if (node.hasAttribute("value"))
    node.setInput(2, node.createScalar(node.getFloat("value", 0), node.typeOf(0).getElementType()));
}

} // namespace

void aotc::frontend::addUpgradeRules(OpTable &table) {
  addOpset6Upgrades(table); // first: upgrades are applied in this order
  table.addUpgrade("Unsqueeze", 13, upgradeAxes);
  table.addUpgrade("Squeeze", 13, upgradeAxes);
  table.addUpgrade("Split", 13, upgradeSplit);
  table.addUpgrade("Slice", 10, upgradeSlice);
  table.addUpgrade("Pad", 11, upgradePad);
}
