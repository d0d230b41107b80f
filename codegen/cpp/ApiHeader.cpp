// The header reads from top to bottom: what the model is, how it is used, its constants, its view types, Model,
// Session.
#include "codegen/cpp/ApiHeader.h"

#include "codegen/bundle/Template.h"
#include "codegen/cpp/ApiParts.h"
#include "codegen/cpp/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

namespace aotc::codegen {

using llvm::raw_ostream;
using llvm::StringRef;

// A few lines that a caller can start from.
static void printUsage(raw_ostream &os, const ModelDescription &model) {
  const std::string &name = model.name;
  const std::string makeModel =
      "const " + name + "::Model model" + (hasWeightsFile(model) ? "{\"" + name + "_weights.bin\"};" : ";");
  const std::string makeSession = name + "::Session session{model};";
  const size_t width = std::max(makeModel.size(), makeSession.size());
  os << "//   " << padded(makeModel, width) << "  // once; shared by all sessions\n"
     << "//   " << padded(makeSession, width) << "  // allocates its arena; one run at a time\n";
  printFirstRun(os, model);
}

//===-- constants -------------------------------------------------------------------------------------------------===//

static void printConstants(raw_ostream &os, const ModelDescription &model) {
  os << "constexpr int max_threads = " << model.maxThreads << " < aotc::max_pool_threads ? " << model.maxThreads
     << " : aotc::max_pool_threads;\n"
     << "constexpr std::size_t arena_alignment = " << model.arenaAlignment << ";\n"
     << "// Bytes of the arena of a session with that many threads";
  if (model.arenaBytesPerThread)
    os << ".\nconstexpr std::size_t arena_bytes(int threads = 1) noexcept {\n  return " << model.arenaBytes << " + "
       << model.arenaBytesPerThread
       << " * static_cast<std::size_t>(aotc::usable_threads(threads, max_threads) - 1);\n}\n";
  else
    os << ": the same for any number.\nconstexpr std::size_t arena_bytes(int /*threads*/ = 1) noexcept { return "
       << model.arenaBytes << "; }\n";
  os << "\n";
  printInterfaceVersion(os, model);
}

//===-- Model -----------------------------------------------------------------------------------------------------===//

static constexpr StringRef embeddedModel = R"(class Session;

// The weights and the choice of kernels: immutable, part of the program, shared by all sessions and threads. Only a
// handle: cheap to copy, and free to go before the sessions made from it.
class Model {
 public:
  Model() noexcept;

  // ok; cpu_unsupported; or version_mismatch: the library was not built from the code that this header belongs to.
  aotc::Status status() const noexcept { return parts_.status; }

 private:
  friend class Session;
  Model(std::uint32_t callers_version, std::size_t callers_session_bytes) noexcept;

  aotc::ModelParts parts_;
};

)";

static constexpr StringRef filedModel = R"(class Session;

// The weights and the choice of kernels: immutable, shared by all sessions and threads. Cheap to copy, and free to go
// before the sessions made from it: the last one unmaps the file.
class Model {
 public:
#ifndef AOTC_NO_FILES
  // Maps @NAME@_weights.bin, wherever it was installed.
  explicit Model(const char* weights_path) noexcept;
#endif
  // Uses the content of that file in memory of the caller's, such as flash: `bytes` of them, aligned to 64, alive as
  // long as the last session.
  Model(const void* weights, std::size_t bytes) noexcept;

  // ok; weights_missing; weights_mismatch: not the file that was generated with the code; cpu_unsupported; or
  // version_mismatch: the library was not built from the code that this header belongs to.
  aotc::Status status() const noexcept { return parts_.status; }

 private:
  friend class Session;
#ifndef AOTC_NO_FILES
  Model(std::uint32_t callers_version, std::size_t callers_session_bytes, const char* weights_path) noexcept;

  aotc::WeightsFile file_;
#endif
  Model(std::uint32_t callers_version, std::size_t callers_session_bytes, const void* weights,
        std::size_t bytes) noexcept;

  aotc::ModelParts parts_;
};

)";

//===-- Session ---------------------------------------------------------------------------------------------------===//

static constexpr StringRef sessionHead =
    R"(// One run at a time, on an arena of its own; sessions share nothing but the Model and may run at the same time.
class Session {
 public:
#ifndef AOTC_NO_HEAP
  // Allocates the arena and starts threads; nothing is allocated later.
  explicit Session(const Model& model, const SessionOptions& options = {}) noexcept;
#endif
  // Works in the caller's memory: arena_bytes(options.threads) or more, aligned to arena_alignment, alive as long as
  // the session.
  Session(const Model& model, void* arena, std::size_t bytes, const SessionOptions& options = {}) noexcept;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // ok, or what went wrong in the Model or in the construction; run() then returns the same.
  aotc::Status status() const noexcept { return state_.status(); }
  int threads() const noexcept { return state_.threads(); }

)";

static constexpr StringRef sessionByNumber =
    R"(  // The same by number, in the order of the list on top. Pointers are null where a tensor has no place in the arena.
  void* input(int index) const noexcept { return state_.input(index); }
  const void* output(int index) const noexcept { return state_.output(index); }
  aotc::Status bind_input(int index, const void* buffer) noexcept { return state_.bind_input(index, buffer); }
  aotc::Status bind_output(int index, void* buffer) noexcept { return state_.bind_output(index, buffer); }
)";

static constexpr StringRef extents =
    R"(  // The actual extent of dimension d.
  std::int64_t input_extent(int index, int d) const noexcept { return state_.input_extent(index, d); }
  std::int64_t output_extent(int index, int d) const noexcept { return state_.output_extent(index, d); }

)";

static void printInputs(raw_ostream &os, const ModelDescription &model) {
  for (const auto &[index, input] : llvm::enumerate(model.inputs)) {
    if (input.arenaOffsetBytes) {
      os << "  // Write it here before each run(); run() may overwrite it.\n";
      printAccessor(os, input, "input", index);
      os << "  // Or: run() reads it where it lies, and does not write it. Null: back to " << input.identifier
         << "().\n";
    } else if (input.defaultOffsetBytes) {
      os << "  // Read where it lies, and not written. Null: back to the model's default, as at the start.\n";
    } else {
      os << "  // Read where it lies, and not written; needed before the first run().\n";
    }
    printBinding(os, input, "input", index);
  }
}

static void printOutputs(raw_ostream &os, const ModelDescription &model) {
  for (const auto &[index, output] : llvm::enumerate(model.outputs)) {
    os << (output.arenaOffsetBytes ? "  // Valid after run() until the next one, or until an input is written.\n"
                                   : "  // In the buffer bound last.\n");
    printAccessor(os, output, "output", index);
    os << (output.arenaOffsetBytes ? "  // Where run() writes it from now on. Null: back into the arena.\n"
                                   : "  // Where run() writes it; needed before the first run().\n");
    printBinding(os, output, "output", index);
  }
}

static void printSession(raw_ostream &os, const ModelDescription &model) {
  os << sessionHead;
  printDimSetters(os, model);
  printInputs(os, model);
  os << "  // Computes all " << groupDigits(model.steps.size()) << " steps. Allocates nothing"
     << (model.maxThreads > 1 ? ", and with one thread takes no lock.\n" : ".\n")
     << "  [[nodiscard]] aotc::Status run() noexcept;\n\n";
  printStates(os, model);
  printOutputs(os, model);
  os << sessionByNumber;
  printSetDim(os, model);
  os << extents << " private:\n";
  if (hasWeightsFile(model))
    os << "#ifndef AOTC_NO_FILES\n  aotc::WeightsFile file_;  // held until the session goes\n#endif\n";
  os << "  aotc::SessionState<" << model.inputs.size() << ", " << model.outputs.size() << ", "
     << model.boundedDims.size() << "> state_;  // of inputs, outputs, bounded dimensions\n};\n\n";
}

// Compiled into the caller, so that the library sees which declarations the caller was built with.
static void printModelConstructors(raw_ostream &os, const ModelDescription &model) {
  os << "// Compiled into the caller: they tell the library what the caller was built with.\n";
  if (!hasWeightsFile(model)) {
    os << "inline Model::Model() noexcept : Model(interface_version, sizeof(Session)) {}\n";
    return;
  }
  os << "#ifndef AOTC_NO_FILES\n"
        "inline Model::Model(const char* weights_path) noexcept\n"
        "    : Model(interface_version, sizeof(Session), weights_path) {}\n"
        "#endif\n"
        "inline Model::Model(const void* weights, std::size_t bytes) noexcept\n"
        "    : Model(interface_version, sizeof(Session), weights, bytes) {}\n";
}

void printApiHeader(raw_ostream &os, const ModelDescription &model) {
  os << titleLine(model.name + ": " + model.summary, model) << "//\n";
  printFacts(os, model, "//");
  os << "//\n";
  printUsage(os, model);
  os << "#pragma once\n#include <cstddef>\n#include <cstdint>\n\n#include \"aotc/session.hpp\"\n";
  if (hasWeightsFile(model))
    os << "#include \"aotc/weights_file.hpp\"\n";
  os << "\nstatic_assert(AOTC_RUNTIME_VERSION == " << runtimeVersion << ", \"" << model.name
     << ".hpp needs the runtime headers that were generated with it\");\n\nnamespace " << model.name << " {\n\n";
  printTypes(os, model);
  printClasses(os, model);
  printConstants(os, model);
  os << (hasWeightsFile(model) ? llvm::cantFail(fillTemplate("Model", filedModel, {{"NAME", model.name}}))
                               : embeddedModel.str());
  printSession(os, model);
  printModelConstructors(os, model);
  os << "\n}  // namespace " << model.name << "\n";
}

} // namespace aotc::codegen
