#include "codegen/cpp/NodeNames.h"

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

static StringRef lastPath(StringRef name) { return name.contains(';') ? name.rsplit(';').second : name; }

std::string shortNodeName(StringRef name) {
  SmallVector<StringRef> components;
  lastPath(name).split(components, '/');
  StringRef last = components.back();
  while (components.size() > 1 && namesOperator(components.back()))
    components.pop_back();
  while (components.size() > 1 && namesModel(components.front()))
    components.erase(components.begin());
  if (components.size() == 1 && namesModel(components.front()))
    return last.str();
  return joinComponents(components);
}

nn::NodeAttr firstNode(Operation *op) {
  SmallVector<nn::NodeAttr> nodes = nn::nodesOf(op->getLoc());
  return nodes.empty() ? nn::NodeAttr() : nodes.front();
}

nn::NodeAttr lastNode(Operation *op) {
  SmallVector<nn::NodeAttr> nodes = nn::nodesOf(op->getLoc());
  return nodes.empty() ? nn::NodeAttr() : nodes.back();
}

NodeNames::NodeNames(ArrayRef<nn::NodeAttr> nodes) {
  for (nn::NodeAttr node : nodes)
    addStep(node);
}

void NodeNames::addStep(ArrayRef<nn::NodeAttr> nodes) {
  ++steps;
  for (nn::NodeAttr node : nodes) {
    if (!node)
      continue;
    auto [entry, isNew] = owners.try_emplace(shortNodeName(node.getName()), Owner{node.getName().str(), steps});
    Owner &owner = entry->second;
    if (!isNew && owner.step != steps && owner.fullName != node.getName())
      owner.fullName.clear();
  }
}

std::string NodeNames::of(nn::NodeAttr node, StringRef kind) const {
  if (!node)
    return kind.str();
  std::string name = shortNodeName(node.getName());
  StringRef last = lastPath(node.getName()).rsplit('/').second;
  bool isShared = owners.lookup(name).fullName.empty() && !name.empty();
  return isShared && !last.empty() && !StringRef(name).ends_with(last) ? name + "/" + last.str() : name;
}

std::string nodesText(Operation *op, StringRef kind, const NodeNames &names) {
  constexpr size_t most = 6;
  SmallVector<nn::NodeAttr> nodes = nn::nodesOf(op->getLoc());
  if (nodes.empty())
    return kind.str();
  std::string text = (nodes.front().getOp() + " \"" + names.of(nodes.front(), kind) + "\"").str();
  for (nn::NodeAttr node : ArrayRef(nodes).take_front(most).drop_front())
    text += (" + " + node.getOp()).str();
  return nodes.size() > most ? text + " + " + std::to_string(nodes.size() - most) + " more" : text;
}

} // namespace aotc::codegen
