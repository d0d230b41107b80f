// The text of `aotc --describe`:
//   inputs
//     image        float32 [N,3,224,224]
//   outputs
//     scores       float32 [N,1000]
//   open dimensions (set them by --input-dim)
//     N            dimension 0 of input 'image'
//   operators (opset 17)
//     Conv         20
#include "frontend/onnx/Describe.h"

#include "frontend/onnx/ElementType.h"
#include "frontend/onnx/OnnxFile.h"
#include "frontend/onnx/OpTable.h"

#include "llvm/Support/Format.h"

#include <set>

using namespace aotc::frontend;

namespace {

std::string typeText(const onnx::ValueInfoProto *declared) {
  if (!declared || !declared->type().has_tensor_type())
    return "type not declared";
  const onnx::TypeProto_Tensor &type = declared->type().tensor_type();
  std::string text = elementTypeName(type.elem_type()).str();
  if (!type.has_shape())
    return text + ", shape not declared";
  text += " [";
  for (int i = 0; i < type.shape().dim_size(); ++i) {
    const onnx::TensorShapeProto_Dimension &dim = type.shape().dim(i);
    text += i ? "," : "";
    if (dim.has_dim_value() && dim.dim_value() >= 0)
      text += std::to_string(dim.dim_value());
    else
      text += dim.dim_param().empty() ? "?" : printable(dim.dim_param());
  }
  return text + "]";
}

void printRow(llvm::raw_ostream &out, const std::string &name, const std::string &text) {
  out << "  " << llvm::left_justify(name, 24) << " " << text << "\n";
}

void printValues(const Model &model, llvm::StringRef title, llvm::ArrayRef<ValueId> ids, llvm::raw_ostream &out) {
  out << title << "\n";
  for (ValueId id : ids) {
    const GraphValue &value = model.value(id);
    bool isDefault = value.kind == ValueKind::input && value.initializer;
    printRow(out, printable(value.name), typeText(value.declared) + (isDefault ? ", has a default" : ""));
  }
}

/// Each symbol with its first place, and each place without a symbol.
void printOpenDimensions(const Model &model, llvm::raw_ostream &out) {
  std::set<std::string> seen;
  for (ValueId id : model.graph.inputs) {
    const GraphValue &value = model.value(id);
    if (!value.declared)
      continue;
    const onnx::TensorShapeProto &shape = value.declared->type().tensor_type().shape();
    for (int axis = 0; axis < shape.dim_size(); ++axis) {
      const onnx::TensorShapeProto_Dimension &dim = shape.dim(axis);
      bool isNamed = !dim.dim_param().empty() && dim.dim_param() != "?";
      std::string name = isNamed ? dim.dim_param() : value.name + ":" + std::to_string(axis);
      bool isOpen = !dim.has_dim_value() || dim.dim_value() < 0;
      if (!isOpen || !seen.insert(name).second)
        continue;
      if (seen.size() == 1)
        out << "open dimensions (set by --input-dim)\n";
      printRow(out, printable(name), "dimension " + std::to_string(axis) + " of input " + quoted(value.name));
    }
  }
}

void countOperators(const Graph &graph, std::map<std::string, std::pair<size_t, const Node *>> &counts) {
  for (const Node &node : graph.nodes) {
    auto &[count, first] = counts[(node.domain.empty() ? "" : node.domain.str() + ".") + node.opType.str()];
    ++count;
    first = &node;
    for (const Subgraph &subgraph : node.subgraphs)
      countOperators(*subgraph.graph, counts);
  }
}

void printOperators(const Model &model, llvm::raw_ostream &out) {
  std::map<std::string, std::pair<size_t, const Node *>> counts;
  countOperators(model.graph, counts);
  OpTable table;
  out << "operators\n";
  for (const auto &[name, entry] : counts) {
    const auto &[count, node] = entry;
    std::string text = std::to_string(count) + " (opset " + std::to_string(node->opset) + ")";
    printRow(out, printable(name), text + (table.find(node->domain, node->opType) ? "" : ", not supported"));
  }
}

} // namespace

bool aotc::frontend::describeModel(llvm::StringRef path, const GraphOptions &options, llvm::raw_ostream &out,
                                   Diagnostics &diagnostics) {
  std::unique_ptr<OnnxFile> file = OnnxFile::read(path, diagnostics);
  if (!file)
    return false;
  std::unique_ptr<Model> model = buildModel(file->getModel(), options, diagnostics);
  if (!model)
    return false;
  printValues(*model, "inputs", model->graph.inputs, out);
  printValues(*model, "outputs", model->graph.outputs, out);
  printOpenDimensions(*model, out);
  printOperators(*model, out);
  return true;
}
