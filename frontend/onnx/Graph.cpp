// Small questions about a resolved graph; GraphBuilder.cpp makes one.
#include "frontend/onnx/Graph.h"

using namespace aotc::frontend;

const NodeAttribute *Node::findAttribute(llvm::StringRef wanted) const {
  for (const NodeAttribute &attribute : attributes)
    if (attribute.name == wanted)
      return &attribute;
  return nullptr;
}

std::string Model::describe(const Node &node) const {
  std::string text = "node ";
  if (!node.name.empty()) {
    text += quoted(node.name);
  } else {
    std::string output = "?";
    for (ValueId id : node.outputs)
      if (id != absentValue) {
        output = quoted(value(id).name);
        break;
      }
    text += "of " + output;
  }
  text += " (" + (node.domain.empty() ? "" : printable(node.domain) + ".") + printable(node.opType);
  if (node.opset != 0)
    text += ", opset " + std::to_string(node.opset);
  return text + ")";
}
