// The file reads: tables, shaders, the steps, construction. The C interface behind it is CInterface's.
#include "codegen/spirv/HostSource.h"

#include "codegen/bundle/Template.h"
#include "codegen/cpp/ApiHeader.h"
#include "codegen/cpp/CInterface.h"
#include "codegen/cpp/Lines.h"
#include "codegen/cpp/SessionSource.h"
#include "codegen/cpp/Tables.h"
#include "codegen/cpp/Text.h"
#include "codegen/spirv/Records.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace aotc::codegen {

using llvm::raw_ostream;
using llvm::StringRef;

//===-- shaders ---------------------------------------------------------------------------------------------------===//

static size_t wordsOf(const GpuProgram &program) {
  size_t words = 0;
  for (const ShaderDescription &shader : program.shaders)
    words += shader.words.size();
  return words;
}

// By the first dispatch that uses it: all have as many.
static size_t bindingsOf(const GpuProgram &program, size_t shader) {
  const auto user = llvm::find_if(program.dispatches, [&](const DispatchDescription &d) { return d.shader == shader; });
  return user == program.dispatches.end() ? 1 : user->bindings.size();
}

static void printShaderNumbers(raw_ostream &os, const GpuProgram &program) {
  os << "namespace shader {\nenum : int {\n";
  for (const ShaderDescription &shader : program.shaders)
    os << "  " << shader.identifier << ",\n";
  os << "};\n}  // namespace shader\n\n";
}

static void printShaderTable(raw_ostream &os, const ModelDescription &model, const GpuProgram &program) {
  std::vector<std::string> lines, comments;
  size_t word = 0;
  for (const auto &[index, shader] : llvm::enumerate(program.shaders)) {
    lines.push_back("    {" + quoted(shader.identifier) + ", " + model.name + "_shaders" +
                    (word ? " + " + std::to_string(word) : "") + ", " +
                    std::to_string(shader.words.size() * sizeof(uint32_t)) + ", " +
                    std::to_string(bindingsOf(program, index)) + "},");
    comments.push_back("shaders/" + shader.identifier + ".spv");
    word += shader.words.size();
  }
  os << "// Name, SPIR-V, its bytes, storage buffers.\nconstexpr aotc::vulkan::ShaderInfo shaders[] = {\n";
  printAligned(os, lines, comments);
  os << "};\n\n";
}

static void printShaders(raw_ostream &os, const ModelDescription &model, const GpuProgram &program) {
  if (program.shaders.empty())
    return;
  os << rulerLine("shaders");
  printShaderNumbers(os, program);
  printShaderTable(os, model, program);
}

//===-- construction ----------------------------------------------------------------------------------------------===//

static bool isOneDispatchEach(const GpuProgram &program) {
  if (program.dispatches.size() != program.firstDispatch.size())
    return false;
  for (const auto &[step, first] : llvm::enumerate(program.firstDispatch))
    if (step != first)
      return false;
  return true;
}

// What shaders ask for beyond what every device has: aotc::vulkan::Requirements, whose defaults are that.
static void printRequirements(raw_ostream &os, const GpuProgram &program, size_t featureCount) {
  constexpr uint32_t guaranteedThreads = 128, guaranteedBytes = 16 << 10;
  uint32_t threads = guaranteedThreads, bytes = guaranteedBytes;
  for (const ShaderDescription &shader : program.shaders)
    threads = std::max(threads, shader.threads), bytes = std::max(bytes, shader.sharedBytes);
  const bool asksForMore = threads > guaranteedThreads || bytes > guaranteedBytes;
  if (featureCount)
    os << "features, " << featureCount;
  else if (asksForMore)
    os << "nullptr, 0";
  if (asksForMore)
    os << ", " << threads << ", {" << threads << ", 128, 64}, " << bytes;
}

static void printProgram(raw_ostream &os, const GpuProgram &program, bool isPlain) {
  const std::vector<std::string> features = program.features();
  if (!features.empty()) {
    os << "constexpr const char* features[] = {";
    llvm::interleaveComma(features, os, [&](StringRef feature) { os << quoted(feature); });
    os << "};\n";
  }
  const bool isOneEach = isOneDispatchEach(program);
  if (!isOneEach) {
    os << "constexpr int first_dispatch[] = {"; // of each step
    llvm::interleaveComma(program.firstDispatch, os);
    os << "};  // of each step\n";
  }
  os << "constexpr aotc::vulkan::Program program{" << (program.shaders.empty() ? "nullptr" : "shaders") << ", "
     << program.shaders.size() << ", " << (isPlain ? "record" : "nullptr") << ", "
     << (isOneEach ? "nullptr" : "first_dispatch") << ", {";
  printRequirements(os, program, features.size());
  os << "}" << (isPlain ? "" : ", &host_steps") << "};\n\n";
}

static constexpr StringRef checkText =
    R"(aotc::Status check(std::uint32_t callers_version, std::size_t callers_session_bytes, aotc::Status status) noexcept {
  const bool fits = callers_version == interface_version && callers_session_bytes == sizeof(Session);
  return fits ? status : aotc::Status::version_mismatch;
}

}  // namespace

const aotc::ModelInfo& info() noexcept { return model_info; }

)";

static constexpr StringRef embeddedText =
    R"(Model::Model(std::uint32_t callers_version, std::size_t callers_session_bytes,
             const aotc::vulkan::DeviceChoice& device) noexcept
    : state_(device, model_info, program, @WEIGHTS@),
      status_(check(callers_version, callers_session_bytes, state_.status())) {}

Session::Session(const Model& model, const SessionOptions& options) noexcept
    : state_(model.state_, options), model_status_(model.status_) {}

)";

static constexpr StringRef filedText = R"(#ifndef AOTC_NO_FILES
Model::Model(std::uint32_t callers_version, std::size_t callers_session_bytes, const char* weights_path,
             const aotc::vulkan::DeviceChoice& device) noexcept
    : file_(weights_path, weights_header),
      state_(device, model_info, program, file_.weights(), file_.status()),
      status_(check(callers_version, callers_session_bytes, state_.status())) {}
#endif

Model::Model(std::uint32_t callers_version, std::size_t callers_session_bytes, const void* weights, std::size_t bytes,
             const aotc::vulkan::DeviceChoice& device) noexcept
    : state_(device, model_info, program, aotc::weights_in(weights),
             aotc::check_weights(weights, bytes, weights_header)),
      status_(check(callers_version, callers_session_bytes, state_.status())) {}

#ifdef AOTC_NO_FILES
#define AOTC_HOLD_FILE
#else
#define AOTC_HOLD_FILE file_(model.file_),
#endif

Session::Session(const Model& model, const SessionOptions& options) noexcept
    : AOTC_HOLD_FILE state_(model.state_, options), model_status_(model.status_) {}

)";

static void printConstruction(raw_ostream &os, const ModelDescription &model, const GpuProgram &program, bool isPlain) {
  os << rulerLine("construction");
  printProgram(os, program, isPlain);
  printWeightsHeader(os, model);
  os << checkText;
  if (hasWeightsFile(model))
    os << filedText;
  else
    os << llvm::cantFail(fillTemplate("construction", embeddedText,
                                      {{"WEIGHTS", model.weightsBytes ? model.name + "_weights" : "nullptr"}}));
}

//===-- the file --------------------------------------------------------------------------------------------------===//

static void printSymbols(raw_ostream &os, const ModelDescription &model, const GpuProgram &program) {
  const bool embedsWeights = model.weightsBytes && !hasWeightsFile(model);
  if (!embedsWeights && program.shaders.empty())
    return;
  os << "// Embedded by the assembler.\n";
  if (embedsWeights)
    os << "extern \"C\" const std::byte " << model.name << "_weights[];  // " << groupDigits(model.weightsBytes)
       << " bytes\n";
  if (!program.shaders.empty())
    os << "extern \"C\" const std::uint32_t " << model.name << "_shaders[" << wordsOf(program) << "];\n";
  os << "\n";
}

void printHostSource(raw_ostream &os, const ModelDescription &model, const GpuProgram &program, const HostFlow &flow,
                     BufferTable &buffers) {
  os << titleLine(model.name + ": tables, the steps in order, construction.", model) << "#include \"" << model.name
     << "/" << model.name << ".hpp\"\n\n#include \"aotc/c_object.hpp\"\n#include \"" << model.name << "/" << model.name
     << ".h\"\n#include \"" << model.name << "_places.hpp\"\n\n";
  printSymbols(os, model, program);
  os << "namespace " << model.name << " {\n\n";
  if (program.hasHostSteps())
    os << "// Those of the host; the others are null.\nextern const aotc::Step steps_" << model.levels.front().name
       << "[];\n\n";
  os << "namespace {\n\n";
  printTables(os, model);
  printShaders(os, model, program);
  printRecords(os, model, program, flow, buffers);
  printConstruction(os, model, program, flow.isPlain());
  os << "}  // namespace " << model.name << "\n\n" << rulerLine("the C interface");
  printCInterface(os, model);
}

} // namespace aotc::codegen
