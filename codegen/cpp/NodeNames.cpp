#include "codegen/cpp/NodeNames.h"

#include "ir/nn/Dialect.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using llvm::SmallVector;
using llvm::StringRef;

namespace aotc::codegen {

// Operators and variables at the end of a path: "Conv", "BiasAdd", "ReadVariableOp", "resource1".
static bool namesOperator(StringRef component) {
  return component.empty() || llvm::isUpper(component.front()) || component.starts_with("resource");
}

// Scopes that every node of a model is in.
static bool namesModel(StringRef component) {
  return component.empty() || component == "model" || component.starts_with("model_") ||
         component.starts_with("functional") || component.starts_with("sequential") ||
         component == "StatefulPartitionedCall";
}

// A component that the next one repeats says nothing: "layer1/layer1.0", "add/add".
static std::string joinComponents(ArrayRef<StringRef> components) {
  std::string text;
  for (auto [i, component] : llvm::enumerate(components)) {
    if (i + 1 < components.size() && components[i + 1].starts_with(component))
      continue;
    text += (text.empty() ? "" : "/") + component.str();
  }
  return text;
}

std::string shortNodeName(StringRef name) {
  StringRef path = name.contains(';') ? name.rsplit(';').second : name;
  SmallVector<StringRef> components;
  path.split(components, '/');
  StringRef last = components.back();
  while (components.size() > 1 && namesOperator(components.back()))
    components.pop_back();
  while (components.size() > 1 && namesModel(components.front()))
    components.erase(components.begin());
  if (components.size() == 1 && namesModel(components.front()))
    return last.str();
  return joinComponents(components);
}

std::string firstNodeName(Operation *op, StringRef kind) {
  SmallVector<nn::NodeAttr> nodes = nn::nodesOf(op->getLoc());
  return nodes.empty() ? kind.str() : shortNodeName(nodes.front().getName());
}

std::string lastNodeName(Operation *op, StringRef kind) {
  SmallVector<nn::NodeAttr> nodes = nn::nodesOf(op->getLoc());
  return nodes.empty() ? kind.str() : shortNodeName(nodes.back().getName());
}

std::string nodesText(Operation *op, StringRef kind) {
  constexpr size_t most = 6;
  SmallVector<nn::NodeAttr> nodes = nn::nodesOf(op->getLoc());
  if (nodes.empty())
    return kind.str();
  std::string text = (nodes.front().getOp() + " \"" + shortNodeName(nodes.front().getName()) + "\"").str();
  for (nn::NodeAttr node : ArrayRef(nodes).take_front(most).drop_front())
    text += (" + " + node.getOp()).str();
  return nodes.size() > most ? text + " + " + std::to_string(nodes.size() - most) + " more" : text;
}

} // namespace aotc::codegen
