// Works on the resolved graph of the front end: functions are inlined and initializers told apart from inputs, but no
// shape is inferred. So it also describes models that cannot be compiled yet.
#include "driver/Describe.h"

#include "frontend/onnx/ElementType.h"
#include "frontend/onnx/OnnxFile.h"
#include "frontend/onnx/OpTable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace aotc::frontend;
using llvm::StringRef;

namespace aotc::driver {

namespace {

class Description {
public:
  Description(const Model &model, const onnx::ModelProto &proto, llvm::raw_ostream &os)
      : model(model), proto(proto), os(os) {}

  void print();

private:
  void printHeading();
  void printValues(StringRef title, llvm::ArrayRef<ValueId> ids);
  void printOpenDims();
  void printOperators();
  void countOperators(const Graph &graph);

  const Model &model;
  const onnx::ModelProto &proto;
  llvm::raw_ostream &os;
  OpTable table;
  std::map<std::string, size_t> counts; ///< by "domain.Operator"
  std::map<std::string, bool> isSupported;
};

std::string dimText(const onnx::TensorShapeProto_Dimension &dim) {
  if (dim.has_dim_value() && dim.dim_value() >= 0)
    return std::to_string(dim.dim_value());
  return dim.dim_param().empty() ? "?" : printable(dim.dim_param());
}

std::string typeText(const onnx::ValueInfoProto *declared) {
  if (!declared || !declared->type().has_tensor_type())
    return declared && declared->type().value_case() != onnx::TypeProto::VALUE_NOT_SET ? "no tensor" : "not declared";
  const onnx::TypeProto_Tensor &type = declared->type().tensor_type();
  std::string text = elementTypeName(type.elem_type()).str();
  if (!type.has_shape())
    return text + " of unknown shape";
  std::vector<std::string> dims;
  for (const onnx::TensorShapeProto_Dimension &dim : type.shape().dim())
    dims.push_back(dimText(dim));
  return text + " [" + llvm::join(dims, ", ") + "]";
}

void Description::printHeading() {
  os << "IR version " << model.irVersion;
  for (const auto &[domain, version] : model.opsets)
    os << ", opset " << version << (domain.empty() ? "" : " of " + printable(domain));
  if (!proto.producer_name().empty())
    os << ", made by " << printable(proto.producer_name())
       << (proto.producer_version().empty() ? "" : " " + printable(proto.producer_version()));
  os << "\n";
}

void Description::printValues(StringRef title, llvm::ArrayRef<ValueId> ids) {
  os << "\n" << title << "\n";
  for (auto [index, id] : llvm::enumerate(ids)) {
    const GraphValue &value = model.value(id);
    os << llvm::formatv("  {0,-2} {1,-28} {2}", index, printable(value.name), typeText(value.declared));
    os << (value.kind == ValueKind::input && value.initializer ? ", has a default\n" : "\n");
  }
  if (ids.empty())
    os << "  none\n";
}

void Description::printOpenDims() {
  std::vector<std::string> unnamed;
  std::map<std::string, std::vector<std::string>> named;
  for (ValueId id : model.graph.inputs) {
    const GraphValue &value = model.value(id);
    if (!value.declared)
      continue;
    for (auto [axis, dim] : llvm::enumerate(value.declared->type().tensor_type().shape().dim())) {
      std::string place = printable(value.name) + ":" + std::to_string(axis);
      if (dim.has_dim_value() && dim.dim_value() >= 0)
        continue;
      if (dim.dim_param().empty())
        unnamed.push_back(place);
      else
        named[printable(dim.dim_param())].push_back(place);
    }
  }
  if (named.empty() && unnamed.empty())
    return;
  os << "\nopen dimensions (--input-dim NAME=N or NAME=A..B)\n";
  for (const auto &[name, places] : named)
    os << llvm::formatv("  {0,-31} {1}\n", name, llvm::join(places, ", "));
  for (const std::string &place : unnamed)
    os << "  " << place << "\n";
}

void Description::countOperators(const Graph &graph) {
  for (const Node &node : graph.nodes) {
    std::string name = (node.domain.empty() ? "" : node.domain.str() + ".") + node.opType.str();
    ++counts[name];
    isSupported[name] = table.find(node.domain, node.opType) || (node.domain.empty() && node.opType == "If");
    for (const Subgraph &subgraph : node.subgraphs)
      countOperators(*subgraph.graph);
  }
}

void Description::printOperators() {
  countOperators(model.graph);
  os << "\noperators\n";
  for (const auto &[name, count] : counts)
    os << llvm::formatv("  {0,-31} {1}{2}\n", printable(name), count, isSupported[name] ? "" : "  (not supported)");
  if (counts.empty())
    os << "  none\n";
}

void Description::print() {
  printHeading();
  printValues("inputs", model.graph.inputs);
  printValues("outputs", model.graph.outputs);
  printOpenDims();
  printOperators();
}

} // namespace

int describeModel(const Options &options, Diagnostics &diagnostics, llvm::raw_ostream &os) {
  std::unique_ptr<OnnxFile> file = OnnxFile::read(options.model, diagnostics);
  if (!file)
    return diagnostics.exitCode();
  std::unique_ptr<Model> model = buildModel(file->getModel(), options.import.graph, diagnostics);
  if (!model)
    return diagnostics.exitCode();
  Description(*model, file->getModel(), os).print();
  return 0;
}

} // namespace aotc::driver
