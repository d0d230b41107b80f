#include "codegen/cpp/SourceFiles.h"

#include "codegen/cpp/Lines.h"
#include "codegen/cpp/Places.h"
#include "codegen/cpp/SessionSource.h"
#include "codegen/cpp/StepFunction.h"
#include "codegen/cpp/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <numeric>

namespace aotc::codegen {

using llvm::raw_ostream;
using llvm::StringRef;

//===-- the checked build -----------------------------------------------------------------------------------------===//

// What a step may touch: a buffer's name, and the rest of the table's row.
struct ArenaUse {
  std::string name, value;
};

// A buffer's place in the arena; nothing for weights, and for inputs that the caller binds.
static std::optional<uint64_t> arenaOffset(const Buffer &buffer, const ModelDescription &model) {
  if (buffer.kind == Buffer::Kind::Weight)
    return std::nullopt;
  if (buffer.kind == Buffer::Kind::Input)
    return model.inputs[static_cast<size_t>(buffer.index)].arenaOffsetBytes;
  return buffer.offsetBytes;
}

void printArenaUses(raw_ostream &os, const ModelDescription &model, BufferTable &buffers) {
  std::map<int, std::vector<ArenaUse>> usesOfStep;
  for (const Buffer &buffer : buffers.all())
    if (std::optional<uint64_t> offset = arenaOffset(buffer, model))
      for (int step : buffer.steps)
        usesOfStep[step].push_back({buffer.identifier, std::to_string(*offset) + ", " + std::to_string(buffer.bytes) +
                                                           (buffer.kind == Buffer::Kind::Scratch ? ", true" : "")});
  os << titleLine(model.name + ": what each step may touch in the arena, for the checked build.", model)
     << "#pragma once\n#include \"aotc/checked.hpp\"\n\nnamespace " << model.name
     << " {\n\n// Step; offset and size in bytes; true where each thread has such memory.\nconstexpr aotc::ArenaUse "
        "arena_uses[] = {\n";
  constexpr size_t width = 36;
  for (const auto &[step, uses] : usesOfStep)
    for (const ArenaUse &use : uses) {
      const std::string entry = "    {" + std::to_string(step) + ", " + use.value + "},";
      os << entry << std::string(entry.size() < width ? width - entry.size() : 1, ' ') << "// " << use.name << "\n";
    }
  if (usesOfStep.empty())
    os << "    {-1, 0, 0},  // none\n";
  os << "};\n\n}  // namespace " << model.name << "\n";
}

//===-- layers ----------------------------------------------------------------------------------------------------===//

static std::string tableName() { return "AOTC_OF_LEVEL(steps)"; }

static size_t tableSize(const std::vector<PrintedStep> &steps) { return std::max<size_t>(1, steps.size()); }

static bool isPrinted(const PrintedStep &step) { return !step.definition.empty(); }

std::vector<StringRef> takenNames(const ModelDescription &model) {
  std::vector<StringRef> taken = {"Frame", "Part", "Step", "Model", "Session", "SessionOptions",
                                  "Vec",   "Sum",  "Max",  "Min",   "Product"};
  for (const auto *tensors : {&model.inputs, &model.outputs, &model.states})
    for (const TensorDescription &tensor : *tensors)
      taken.push_back(tensor.typeIdentifier);
  return taken;
}

void printLayers(raw_ostream &os, const ModelDescription &model, BufferTable &buffers, const LayoutTable &layouts,
                 const std::vector<PrintedStep> &steps) {
  os << titleLine(model.name + ": where everything lies, and the layouts of the layers.", model)
     << "#pragma once\n#include <cstddef>\n\n#include \"aotc/element.hpp\"\n#include \"aotc/kernels/config.hpp\"\n"
        "#include \"aotc/step.hpp\"\n\nnamespace "
     << model.name << " {\n\n";
  printPlaces(os, model, buffers);
  os << "inline namespace AOTC_NAMESPACE {\n\nusing aotc::Frame;\nusing aotc::Part;\n\n";
  os << rulerLine("layouts of the layers");
  layouts.print(os);
  os << "\n";
  os << rulerLine("steps");
  for (const PrintedStep &step : steps)
    os << "void " << step.description.identifier << "(const Frame& f, Part part);\n";
  os << "\n}  // namespace AOTC_NAMESPACE\n\n// The steps in order, compiled for one instruction set.\nextern const "
        "aotc::Step "
     << tableName() << "[" << tableSize(steps) << "];\n\n}  // namespace " << model.name << "\n";
}

//===-- shards ----------------------------------------------------------------------------------------------------===//

static bool isScalarName(StringRef name) {
  return name == "infinity" || name == "not_a_number" || name == "to_integer" || name == "divide" ||
         name == "remainder_of" || name == "as_unsigned" || name.ends_with("_unsigned") ||
         name.starts_with("wrapping_") || name.starts_with("shift_");
}

// The header in templates/kernels that has the name of an expression.
static StringRef headerOf(StringRef name) {
  if (isScalarName(name))
    return "scalar";
  if (name.starts_with("quantized") || name == "to_float" || name.ends_with("_i8") || name.ends_with("_u8"))
    return "bytes";
  if (name == "dequantized")
    return "dequantized";
  if (name == "Float16" || name == "BFloat16" || name == "round_to_f16" || name == "round_to_bf16")
    return "halves";
  return name == "narrow" || name == "widen" || name.starts_with("round_to_") ? "narrow" : "math";
}

std::set<std::string> headersOf(const PrintedStep &step) {
  std::set<std::string> headers;
  if (!step.header.empty())
    headers.insert("aotc/kernels/" + step.header + ".hpp");
  for (const std::string &name : step.uses)
    if (name != step.function)
      headers.insert("aotc/kernels/" + headerOf(name).str() + ".hpp");
  return headers;
}

static void printUsing(raw_ostream &os, const std::set<std::string> &names) {
  const auto qualified = [](const std::string &name) { return "aotc::" + name; };
  if (!names.empty())
    os << foldLines("using " + llvm::join(llvm::map_range(names, qualified), ", ") + ";") << "\n\n";
}

static void printTable(raw_ostream &os, const std::vector<PrintedStep> &steps) {
  os << rulerLine("the table");
  if (llvm::any_of(steps, [](const PrintedStep &step) { return !step.countUnits.empty(); })) {
    os << "// Units at the actual extents.\ninline namespace AOTC_NAMESPACE {\nnamespace {\n\n";
    for (const PrintedStep &step : steps)
      if (!step.countUnits.empty())
        os << "int " << step.description.identifier << "_units(const Frame& f) {\n" << step.countUnits << "}\n";
    os << "\n}  // namespace\n}  // namespace AOTC_NAMESPACE\n\n";
  }
  os << "const aotc::Step " << tableName() << "[" << tableSize(steps) << "] = {\n";
  std::vector<std::string> entries, numbers;
  for (const auto &[index, step] : llvm::enumerate(steps)) {
    const std::string &name = step.description.identifier;
    entries.push_back(isPrinted(step) ? "    {" + name + ", " + step.units +
                                            (step.countUnits.empty() ? "" : ", " + name + "_units") + "},"
                                      : "    {nullptr, 0},");
    numbers.push_back(std::to_string(index) + (isPrinted(step) ? "" : ": a shader"));
  }
  printAligned(os, entries, numbers);
  if (steps.empty())
    os << "    {nullptr, 0},\n";
  os << "};\n\n";
}

void printShard(raw_ostream &os, const ModelDescription &model, const std::vector<PrintedStep> &steps, size_t begin,
                size_t end, bool withTable) {
  const std::string range = begin == end       ? "no steps"
                            : begin + 1 == end ? "step " + std::to_string(begin)
                                               : "steps " + std::to_string(begin) + " to " + std::to_string(end - 1);
  std::set<std::string> headers, names;
  for (const auto &[index, step] : llvm::enumerate(steps)) {
    const bool isHere = index >= begin && index < end;
    if (isHere || (withTable && !step.header.empty()))
      headers.merge(headersOf(step));
    if (isHere)
      names.insert(step.uses.begin(), step.uses.end());
  }
  os << titleLine(model.name + ": " + range + (withTable ? ", and the table of all of them." : "."), model)
     << (model.leavesLevelsOut ? "#ifndef AOTC_FOR_INTEGERS  // a level that adds nothing to these kernels\n" : "")
     << "#include \"" << model.name << "_layers.hpp\"\n\n";
  for (const std::string &header : headers)
    os << "#include \"" << header << "\"\n";
  os << (headers.empty() ? "" : "\n") << "namespace " << model.name << " {\ninline namespace AOTC_NAMESPACE {\n\n";
  printUsing(os, names);
  for (size_t index = begin; index < end; ++index) {
    printStepComment(os, model, index, 0);
    os << steps[index].definition << "\n";
  }
  os << "}  // namespace AOTC_NAMESPACE\n\n";
  if (withTable)
    printTable(os, steps);
  os << "}  // namespace " << model.name << "\n" << (model.leavesLevelsOut ? "#endif\n" : "");
}

//===-- beside shaders --------------------------------------------------------------------------------------------===//

void printHostSteps(raw_ostream &os, const ModelDescription &model, const LayoutTable &layouts,
                    const std::vector<PrintedStep> &steps) {
  const auto count = static_cast<size_t>(llvm::count_if(steps, isPrinted));
  if (!count) {
    os << titleLine(model.name + ": no steps; all have shaders.", model);
    return;
  }
  std::set<std::string> headers = {"aotc/kernels/config.hpp", "aotc/step.hpp"}, names;
  for (const PrintedStep &step : steps) {
    headers.merge(headersOf(step));
    names.insert(step.uses.begin(), step.uses.end());
  }
  os << titleLine(model.name + ": the steps without a shader, and their table.", model) << "#include \"" << model.name
     << "_places.hpp\"\n\n";
  for (const std::string &header : headers)
    os << "#include \"" << header << "\"\n";
  os << "\nnamespace " << model.name << " {\n\nextern const aotc::Step " << tableName() << "[" << tableSize(steps)
     << "];\n\ninline namespace AOTC_NAMESPACE {\n\nusing aotc::Frame;\nusing aotc::Part;\n\n";
  printUsing(os, names);
  layouts.print(os);
  os << "\n";
  for (const auto &[index, step] : llvm::enumerate(steps)) {
    if (!isPrinted(step))
      continue;
    printStepComment(os, model, index, 0);
    os << step.definition << "\n";
  }
  os << "}  // namespace AOTC_NAMESPACE\n\n";
  printTable(os, steps);
  os << "}  // namespace " << model.name << "\n";
}

//===-- balance ---------------------------------------------------------------------------------------------------===//

// The shards' beginnings if none may cost more than `most`; more of them than there are shards if that is too little.
static std::vector<size_t> splitBelow(llvm::ArrayRef<int> costs, int most) {
  std::vector<size_t> begins = {0};
  int cost = 0;
  for (const auto &[index, step] : llvm::enumerate(costs)) {
    if (cost > 0 && cost + step > most) {
      begins.push_back(index);
      cost = 0;
    }
    cost += step;
  }
  return begins;
}

std::vector<size_t> splitIntoShards(llvm::ArrayRef<int> costs) {
  int low = 0, high = std::accumulate(costs.begin(), costs.end(), 0);
  while (low < high) {
    const int middle = low + (high - low) / 2;
    const bool fits = splitBelow(costs, middle).size() <= shardCount;
    (fits ? high : low) = fits ? middle : middle + 1;
  }
  std::vector<size_t> begins = splitBelow(costs, high);
  begins.resize(shardCount + 1, costs.size());
  return begins;
}

} // namespace aotc::codegen
