// The file reads: tables, choice of kernels, construction, the steps. The C interface behind it is CInterface's.
#include "codegen/cpp/SessionSource.h"

#include "codegen/bundle/Template.h"
#include "codegen/cpp/ApiHeader.h"
#include "codegen/cpp/CInterface.h"
#include "codegen/cpp/Lines.h"
#include "codegen/cpp/Tables.h"
#include "codegen/cpp/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"

namespace aotc::codegen {

using llvm::raw_ostream;
using llvm::StringRef;

//===-- choice of kernels -----------------------------------------------------------------------------------------===//

static void printLevelTables(raw_ostream &os, const ModelDescription &model) {
  os << "// The steps, compiled for "
     << (model.levels.size() > 1 ? "each instruction set.\n" : "one instruction set.\n") << "extern const aotc::Step ";
  llvm::interleaveComma(model.levels, os, [&](const Level &level) { os << "steps_" << level.name << "[]"; });
  os << ";\n\n";
}

static void printChoice(raw_ostream &os, const ModelDescription &model) {
  const bool asks = llvm::any_of(model.levels, [](const Level &level) { return !level.cpuFeatures.empty(); });
  os << "// The steps for the widest instruction set that this processor has"
     << (model.levels.back().cpuFeatures.empty() ? ".\n" : "; null if it has none of them.\n")
     << "const aotc::Step* choose_steps() noexcept {";
  if (!asks) {
    os << " return steps_" << model.levels.front().name << "; }\n\n";
    return;
  }
  os << "\n  __builtin_cpu_init();\n";
  for (const Level &level : model.levels) {
    os << "  ";
    if (!level.cpuFeatures.empty()) {
      os << "if (";
      llvm::interleave(
          level.cpuFeatures, os, [&](const std::string &f) { os << "__builtin_cpu_supports(" << quoted(f) << ")"; },
          " && ");
      os << ") ";
    }
    os << "return steps_" << level.name << ";\n";
    if (level.cpuFeatures.empty())
      break;
  }
  if (!model.levels.back().cpuFeatures.empty())
    os << "  return nullptr;\n";
  os << "}\n\n";
}

//===-- construction ----------------------------------------------------------------------------------------------===//

static constexpr StringRef checkText = R"(// Why no session can run, or ok. `weights` is what became of the weights.
aotc::Status check(std::uint32_t callers_version, std::size_t callers_session_bytes, aotc::Status weights) noexcept {
  if (callers_version != interface_version || callers_session_bytes != sizeof(Session))
    return aotc::Status::version_mismatch;
  return choose_steps() ? weights : aotc::Status::cpu_unsupported;
}

}  // namespace

const aotc::ModelInfo& info() noexcept { return model_info; }

)";

static constexpr StringRef embeddedText =
    R"(Model::Model(std::uint32_t callers_version, std::size_t callers_session_bytes) noexcept
    : parts_{@WEIGHTS@, choose_steps(), check(callers_version, callers_session_bytes, aotc::Status::ok)} {}

#ifndef AOTC_NO_HEAP
Session::Session(const Model& model, const SessionOptions& options) noexcept
    : state_(model_info, model.parts_, options) {}
#endif

Session::Session(const Model& model, void* arena, std::size_t bytes, const SessionOptions& options) noexcept
    : state_(model_info, model.parts_, arena, bytes, options) {}
)";

static constexpr StringRef filedText = R"(#ifndef AOTC_NO_FILES
Model::Model(std::uint32_t callers_version, std::size_t callers_session_bytes, const char* weights_path) noexcept
    : file_(weights_path, weights_header),
      parts_{file_.weights(), choose_steps(), check(callers_version, callers_session_bytes, file_.status())} {}
#endif

Model::Model(std::uint32_t callers_version, std::size_t callers_session_bytes, const void* weights,
             std::size_t bytes) noexcept
    : parts_{aotc::weights_in(weights), choose_steps(),
             check(callers_version, callers_session_bytes, aotc::check_weights(weights, bytes, weights_header))} {}

#ifdef AOTC_NO_FILES
#define AOTC_HOLD_FILE
#else
#define AOTC_HOLD_FILE file_(model.file_),
#endif

#ifndef AOTC_NO_HEAP
Session::Session(const Model& model, const SessionOptions& options) noexcept
    : AOTC_HOLD_FILE state_(model_info, model.parts_, options) {}
#endif

Session::Session(const Model& model, void* arena, std::size_t bytes, const SessionOptions& options) noexcept
    : AOTC_HOLD_FILE state_(model_info, model.parts_, arena, bytes, options) {}
)";

static std::string hashDigits(const ModelDescription &model) {
  return StringRef(model.weightsHash).take_front(40).str();
}

void printWeightsHeader(raw_ostream &os, const ModelDescription &model) {
  if (hasWeightsFile(model))
    os << "// The file that belongs to this code begins like this.\n"
       << "constexpr aotc::WeightsHeader weights_header{\"aotcwgt\", " << model.weightsBytes << ", "
       << quoted(hashDigits(model)) << "};\n\n";
}

static void printConstruction(raw_ostream &os, const ModelDescription &model) {
  printWeightsHeader(os, model);
  os << checkText;
  if (hasWeightsFile(model))
    os << filedText;
  else
    os << llvm::cantFail(fillTemplate("construction", embeddedText,
                                      {{"WEIGHTS", model.weightsBytes ? model.name + "_weights" : "nullptr"}}));
}

std::string weightsFileHeader(const ModelDescription &model) {
  std::string header("aotcwgt\0", 8);
  char bytes[8];
  llvm::support::endian::write64le(bytes, model.weightsBytes);
  header.append(bytes, sizeof bytes);
  header += hashDigits(model);
  header.resize(64, '\0');
  return header;
}

//===-- steps -----------------------------------------------------------------------------------------------------===//

// Work and shapes, in columns of their own behind `line`; too long where they do not fit there.
static std::string withFacts(std::string line, const StepDescription &step) {
  constexpr size_t macsColumn = 76;
  const std::string macs = macsText(step.macs), shapes = commentText(step.shapes);
  const auto append = [&](StringRef fact, size_t column) {
    if (!fact.empty())
      line += std::string(line.size() + 2 < column ? column - line.size() : 2, ' ') + fact.str();
  };
  const size_t shapesColumn = pageWidth - std::min(pageWidth, shapes.size());
  append(macs, std::min(macsColumn, shapesColumn - std::min(shapesColumn, macs.size() + 2)));
  append(shapes, shapesColumn);
  return line;
}

void printStepComment(raw_ostream &os, const ModelDescription &model, size_t index, size_t indent) {
  const StepDescription &step = model.steps[index];
  const std::string number = std::to_string(index) + std::string(index < 10 ? 2 : 1, ' ');
  const std::string start = std::string(indent, ' ') + "// ", below = start + std::string(number.size(), ' ');
  const std::string text = start + number + commentText(step.comment), whole = withFacts(text, step);
  if (whole.size() <= pageWidth)
    os << whole << "\n";
  else
    os << foldComment(text, below) << "\n" << withFacts(below, step) << "\n";
}

static void printRun(raw_ostream &os, const ModelDescription &model, StepsPrinter printSteps) {
  os << "aotc::Status Session::run() noexcept {\n"
        "  if (const aotc::Status status = state_.begin_run(); status != aotc::Status::ok) return status;\n";
  if (!model.steps.empty())
    os << "  const aotc::Step* const steps = state_.steps();\n"
          "  const aotc::Frame& frame = state_.frame();\n"
          "#ifdef AOTC_CHECKED\n"
          "  aotc::CheckedPool pool{state_.pool(), steps, model_info, arena_uses};\n"
          "#else\n"
          "  aotc::ThreadPool& pool = state_.pool();\n"
          "#endif\n\n";
  printSteps(os);
  os << "  return state_.end_run();\n}\n\n";
}

//===-- the file --------------------------------------------------------------------------------------------------===//

void printSessionSource(raw_ostream &os, const ModelDescription &model, StepsPrinter printSteps) {
  assert(!model.levels.empty() && "kernels are compiled for some instruction set");
  os << titleLine(model.name + ": tables, construction and the steps in order.", model) << "#include \"" << model.name
     << "/" << model.name << ".hpp\"\n\n#include \"aotc/c_object.hpp\"\n#include \"" << model.name << "/" << model.name
     << ".h\"\n";
  if (!model.steps.empty())
    os << "#ifdef AOTC_CHECKED\n#include \"" << model.name << "_checked.hpp\"\n#endif\n";
  os << "\n";
  if (model.weightsBytes && !hasWeightsFile(model))
    os << "extern \"C\" const std::byte " << model.name << "_weights[];  // " << groupDigits(model.weightsBytes)
       << " bytes, embedded by the assembler\n\n";
  os << "namespace " << model.name << " {\n\n";
  printLevelTables(os, model);
  os << "namespace {\n\n";
  printTables(os, model);
  os << rulerLine("choice of kernels, construction");
  printChoice(os, model);
  printConstruction(os, model);
  os << "\n";
  os << rulerLine("the steps");
  printRun(os, model, printSteps);
  os << "}  // namespace " << model.name << "\n\n";
  os << rulerLine("the C interface");
  printCInterface(os, model);
}

} // namespace aotc::codegen
