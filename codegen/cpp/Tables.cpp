// A table for inputs, outputs, states and dims each, and one that joins them.
#include "codegen/cpp/Tables.h"

#include "codegen/cpp/Lines.h"
#include "codegen/cpp/Text.h"

#include "llvm/ADT/STLExtras.h"

namespace aotc::codegen {

using llvm::raw_ostream;
using llvm::StringRef;

static std::string shapeName(const TensorDescription &tensor) {
  return StringRef(tensor.identifier).rtrim('_').str() + "_shape";
}

static void printShape(raw_ostream &os, const TensorDescription &tensor) {
  if (tensor.shape.empty())
    return;
  os << "constexpr aotc::Extent " << shapeName(tensor) << "[] = {";
  llvm::interleaveComma(tensor.shape, os, [&](const Dim &dim) {
    os << "{" << dim.extent;
    if (dim.boundedDim >= 0)
      os << ", " << dim.boundedDim;
    os << "}";
  });
  os << "};\n";
}

static void printTensorTable(raw_ostream &os, StringRef table, const std::vector<TensorDescription> &tensors) {
  if (tensors.empty())
    return;
  for (const TensorDescription &tensor : tensors)
    printShape(os, tensor);
  os << "constexpr aotc::TensorInfo " << table << "[] = {\n";
  for (const TensorDescription &tensor : tensors) {
    os << "    {" << quoted(tensor.identifier) << ", " << quoted(tensor.onnxName)
       << ", aotc::Element::" << elementText(tensor.element).enumerator << ", " << tensor.shape.size() << ", "
       << (tensor.shape.empty() ? "nullptr" : shapeName(tensor)) << ", "
       << (tensor.arenaOffsetBytes ? std::to_string(*tensor.arenaOffsetBytes) : "aotc::no_offset");
    if (tensor.defaultOffsetBytes)
      os << ", " << *tensor.defaultOffsetBytes;
    os << "},\n";
  }
  os << "};\n\n";
}

static bool hasDerivedDims(const ModelDescription &model) {
  return llvm::any_of(model.boundedDims,
                      [](const BoundedDim &dim) { return dim.source == BoundedDim::Source::Derived; });
}

static void printDims(raw_ostream &os, const ModelDescription &model) {
  if (model.boundedDims.empty())
    return;
  os << "constexpr aotc::DimInfo dims[] = {\n";
  for (const BoundedDim &dim : model.boundedDims)
    os << "    {" << quoted(dim.identifier) << ", " << dim.minimum << ", " << dim.maximum << ", "
       << (dim.source == BoundedDim::Source::Caller ? "true" : "false") << "},\n";
  os << "};\n\n";
  if (!hasDerivedDims(model))
    return;
  os << "// The extents that follow from those that the caller set.\n"
        "void derive_extents(std::int64_t* extents) noexcept {\n";
  for (const auto &[index, dim] : llvm::enumerate(model.boundedDims))
    if (dim.source == BoundedDim::Source::Derived)
      os << "  extents[" << index << "] = " << dim.expression << ";  // " << dim.identifier << "\n";
  os << "}\n\n";
}

// One line of the table, what it means behind it.
static void printEntry(raw_ostream &os, const llvm::Twine &entry, StringRef meaning) {
  constexpr size_t width = 28;
  const std::string text = (entry + ",").str();
  os << "    " << text << std::string(text.size() < width ? width - text.size() : 1, ' ') << "// " << meaning << "\n";
}

static void printModelInfo(raw_ostream &os, const ModelDescription &model) {
  const auto table = [](StringRef name, size_t count) {
    return (count ? name.str() : std::string("nullptr")) + ", " + std::to_string(count);
  };
  os << "constexpr aotc::ModelInfo model_info{\n    " << quoted(model.name) << ",\n";
  printEntry(os, table("inputs", model.inputs.size()), "inputs");
  printEntry(os, table("outputs", model.outputs.size()), "outputs");
  printEntry(os, table("dims", model.boundedDims.size()), "bounded dimensions");
  printEntry(os, std::to_string(model.steps.size()), "steps");
  os << "    max_threads,\n    arena_alignment,\n";
  printEntry(os, std::to_string(model.arenaBytes) + ", " + std::to_string(model.arenaBytesPerThread),
             "bytes of the arena, and for each thread after the first");
  printEntry(os, std::to_string(model.weightsBytes), "bytes of weights");
  bool hasStates = !model.states.empty();
  os << (hasDerivedDims(model) ? "    derive_extents,\n" : hasStates ? "    nullptr,\n" : "");
  if (hasStates)
    printEntry(os, table("states", model.states.size()), "what is kept from run to run");
  os << "};\n\n";
}

void printTables(raw_ostream &os, const ModelDescription &model) {
  os << rulerLine("inputs, outputs, sizes");
  printTensorTable(os, "inputs", model.inputs);
  printTensorTable(os, "outputs", model.outputs);
  printTensorTable(os, "states", model.states);
  printDims(os, model);
  printModelInfo(os, model);
}

} // namespace aotc::codegen
