// The header reads from top to bottom: what the model is, how it is used, its constants, its view types, Model,
// Session.
#include "codegen/spirv/HostHeader.h"

#include "codegen/bundle/Template.h"
#include "codegen/cpp/ApiHeader.h"
#include "codegen/cpp/ApiParts.h"
#include "codegen/cpp/Text.h"

#include "llvm/ADT/STLExtras.h"

namespace aotc::codegen {

using llvm::raw_ostream;
using llvm::StringRef;

static void printUsage(raw_ostream &os, const ModelDescription &model) {
  const std::string makeModel =
      "const " + model.name + "::Model model" + (hasWeightsFile(model) ? "{\"" + model.name + "_weights.bin\"};" : ";");
  const std::string makeSession = model.name + "::Session session{model};";
  const size_t width = std::max(makeModel.size(), makeSession.size());
  os << "//   " << padded(makeModel, width) << "  // once, on a device of its own; shared by all sessions\n"
     << "//   " << padded(makeSession, width) << "  // allocates its arena there; one run at a time\n";
  printFirstRun(os, model);
}

static void printConstants(raw_ostream &os, const ModelDescription &model) {
  os << "constexpr int max_threads = 1;  // of the host: the device computes\n"
     << "constexpr std::size_t arena_alignment = " << model.arenaAlignment << ";\n"
     << "// Bytes of the arena of a session, on the device.\n"
     << "constexpr std::size_t arena_bytes(int /*threads*/ = 1) noexcept { return " << model.arenaBytes << "; }\n\n";
  printInterfaceVersion(os, model);
}

static constexpr StringRef modelHead = R"(class Session;

// A device, the weights on it, and the pipelines of the shaders: shared by all sessions and threads. Cheap to copy, and
// free to go before the sessions made from it: the last one releases everything.
// A DeviceChoice is made from options, for a device of its own or of the application's, or from a Device that other
// models are on as well.
class Model {
 public:
)";

static constexpr StringRef embeddedMakers = R"(  explicit Model(const aotc::vulkan::DeviceChoice& device = {}) noexcept;

  // ok; device_missing; feature_missing: see missing(); out_of_memory; device_failed; or version_mismatch: the library
  // was not built from the code that this header belongs to.
)";

static constexpr StringRef filedMakers = R"(#ifndef AOTC_NO_FILES
  // Maps @NAME@_weights.bin, wherever it was installed.
  explicit Model(const char* weights_path, const aotc::vulkan::DeviceChoice& device = {}) noexcept;
#endif
  // Uses the content of that file in memory of the caller's: `bytes` of them, aligned to 64, @ALIVE@.
  Model(const void* weights, std::size_t bytes, const aotc::vulkan::DeviceChoice& device = {}) noexcept;

  // ok; weights_missing; weights_mismatch: not the file that was generated with the code; device_missing;
  // feature_missing: see missing(); out_of_memory; device_failed; or version_mismatch: the library was not built from
  // the code that this header belongs to.
)";

static constexpr StringRef modelMembers = R"(  aotc::Status status() const noexcept { return status_; }
  // The first feature or limit that the device lacks, in words such as "shaderInt64"; null: none.
  const char* missing() const noexcept { return state_.missing(); }
  // For buffers to bind, and for other models.
  const aotc::vulkan::Device& device() const noexcept { return state_.device(); }

 private:
  friend class Session;
)";

static constexpr StringRef embeddedPrivate =
    R"(  Model(std::uint32_t callers_version, std::size_t callers_session_bytes,
        const aotc::vulkan::DeviceChoice& device) noexcept;
)";

static constexpr StringRef filedPrivate = R"(#ifndef AOTC_NO_FILES
  Model(std::uint32_t callers_version, std::size_t callers_session_bytes, const char* weights_path,
        const aotc::vulkan::DeviceChoice& device) noexcept;

  aotc::WeightsFile file_;
#endif
  Model(std::uint32_t callers_version, std::size_t callers_session_bytes, const void* weights, std::size_t bytes,
        const aotc::vulkan::DeviceChoice& device) noexcept;
)";

static constexpr StringRef modelEnd = R"(
  aotc::vulkan::ModelState state_;
  aotc::Status status_;
};

)";

static void printModel(raw_ostream &os, const ModelDescription &model) {
  if (!hasWeightsFile(model)) {
    os << modelHead << embeddedMakers << modelMembers << embeddedPrivate << modelEnd;
    return;
  }
  const char *alive = model.hostSteps ? "alive as long as the last session" : "which may go afterwards";
  os << modelHead << llvm::cantFail(fillTemplate("Model", filedMakers, {{"NAME", model.name}, {"ALIVE", alive}}))
     << modelMembers << filedPrivate << modelEnd;
}

static constexpr StringRef sessionHead =
    R"(// One run at a time, on an arena of its own. Sessions share the device and its queue, which has a lock: each may be
// on a thread of its own.
class Session {
 public:
  // Allocates the arena on the device and records the commands; nothing is allocated later.
  explicit Session(const Model& model, const SessionOptions& options = {}) noexcept;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // ok, or what went wrong in the Model or in the construction; run() then returns the same.
  aotc::Status status() const noexcept { return model_status_ == aotc::Status::ok ? state_.status() : model_status_; }
  int threads() const noexcept { return 1; }

)";

static constexpr StringRef runText = R"([[nodiscard]] aotc::Status run() noexcept {
    return status() == aotc::Status::ok ? state_.run() : status();
  }
  // The same in two halves: submit() returns at once, and signals `fence` (which may be null) when all is done. Nothing
  // else of the session may be called until then; finish() then fills bound host buffers. Points on timeline semaphores:
  // the device begins after one, and signals the other.
  [[nodiscard]] aotc::Status submit(VkFence fence, const aotc::vulkan::TimelinePoint& after = {},
                                    const aotc::vulkan::TimelinePoint& signal = {}) noexcept {
    return status() == aotc::Status::ok ? state_.submit(fence, after, signal) : status();
  }
  aotc::Status finish() noexcept { return status() == aotc::Status::ok ? state_.finish() : status(); }
  // For callers who submit by themselves: see aotc/vulkan/session.hpp for what begin() and commands() ask of them.
  aotc::vulkan::SessionCore& core() noexcept { return state_; }

)";

static constexpr StringRef sessionByNumber =
    R"(  // The same by number, in the order of the list on top. Pointers are null where the host sees no such memory.
  void* input(int index) const noexcept { return state_.input(index); }
  const void* output(int index) const noexcept { return state_.output(index); }
  aotc::Status bind_input(int index, const void* buffer) noexcept { return state_.bind_input(index, buffer); }
  aotc::Status bind_output(int index, void* buffer) noexcept { return state_.bind_output(index, buffer); }
  aotc::Status bind_input(int index, VkBuffer buffer, VkDeviceSize offset) noexcept {
    return state_.bind_input(index, buffer, offset);
  }
  aotc::Status bind_output(int index, VkBuffer buffer, VkDeviceSize offset) noexcept {
    return state_.bind_output(index, buffer, offset);
  }
)";

static constexpr StringRef extents =
    R"(  std::int64_t input_extent(int index, int d) const noexcept { return state_.input_extent(index, d); }
  std::int64_t output_extent(int index, int d) const noexcept { return state_.output_extent(index, d); }

)";

// Bindings of the application's own device buffers.
static void printDeviceBinding(raw_ostream &os, const TensorDescription &tensor, StringRef kind, size_t index) {
  os << "  aotc::Status bind_" << tensor.identifier
     << "(VkBuffer buffer, VkDeviceSize offset) noexcept { \\\n    return state_.bind_" << kind << "(" << index
     << ", buffer, offset); \\\n  }\n\n";
}

static void printInputs(raw_ostream &os, const ModelDescription &model) {
  for (const auto &[index, input] : llvm::enumerate(model.inputs)) {
    if (input.arenaOffsetBytes) {
      os << "  // Write it here before each run(); run() may overwrite it.\n";
      printAccessor(os, input, "input", index);
    }
    const std::string back = input.arenaOffsetBytes     ? "Null: back to " + input.identifier + "()."
                             : input.defaultOffsetBytes ? "Null: back to the model's default, as at the start."
                                                        : "Needed before the first run().";
    os << "  // " << (input.arenaOffsetBytes ? "Or: run()" : "run()")
       << " copies it from there, and does not write it. " << back << "\n";
    printBinding(os, input, "input", index);
    os << "  // Or: shaders read it where it lies, a storage buffer of the Model's device, from `offset` bytes on.\n";
    printDeviceBinding(os, input, "input", index);
  }
}

static void printOutputs(raw_ostream &os, const ModelDescription &model) {
  for (const auto &[index, output] : llvm::enumerate(model.outputs)) {
    os << "  // Valid after run() until the next one, or until an input is written. Not where a VkBuffer is bound.\n";
    printAccessor(os, output, "output", index);
    os << "  // Where run() copies it from now on. Null: no longer.\n";
    printBinding(os, output, "output", index);
    os << "  // Or: shaders write it there, into a storage buffer of the Model's device, from `offset` bytes on.\n";
    printDeviceBinding(os, output, "output", index);
  }
}

// How many inputs, outputs, states and bounded dims there are; the latter two where there are any.
static std::string stateArguments(const ModelDescription &model) {
  std::string text = std::to_string(model.inputs.size()) + ", " + std::to_string(model.outputs.size());
  if (!model.states.empty() || !model.boundedDims.empty())
    text += ", " + std::to_string(model.states.size());
  if (!model.boundedDims.empty())
    text += ", " + std::to_string(model.boundedDims.size());
  text += "> state_;  // of inputs, outputs";
  if (!model.states.empty() || !model.boundedDims.empty())
    text += ", states";
  return text + (model.boundedDims.empty() ? "" : ", bounded dimensions");
}

static void printSession(raw_ostream &os, const ModelDescription &model) {
  os << sessionHead;
  printDimSetters(os, model);
  printInputs(os, model);
  os << "  // Computes all " << groupDigits(model.steps.size()) << " steps on the device"
     << (model.hostSteps ? ", but for " + groupDigits(model.hostSteps) + " that the calling thread computes in between,"
                         : "")
     << " and waits for them. Allocates nothing.\n  " << runText;
  printStates(os, model);
  printOutputs(os, model);
  os << sessionByNumber;
  printSetDim(os, model);
  os << extents << " private:\n";
  if (hasWeightsFile(model))
    os << "#ifndef AOTC_NO_FILES\n  aotc::WeightsFile file_;  // held until the session goes\n#endif\n";
  os << "  aotc::vulkan::SessionState<" << stateArguments(model) << "\n  aotc::Status model_status_;\n};\n\n";
}

// Compiled into the caller, so that the library sees which declarations the caller was built with.
static constexpr StringRef embeddedConstructors =
    R"(// Compiled into the caller: they tell the library what the caller was built with.
inline Model::Model(const aotc::vulkan::DeviceChoice& device) noexcept
    : Model(interface_version, sizeof(Session), device) {}
)";

static constexpr StringRef filedConstructors =
    R"(// Compiled into the caller: they tell the library what the caller was built with.
#ifndef AOTC_NO_FILES
inline Model::Model(const char* weights_path, const aotc::vulkan::DeviceChoice& device) noexcept
    : Model(interface_version, sizeof(Session), weights_path, device) {}
#endif
inline Model::Model(const void* weights, std::size_t bytes, const aotc::vulkan::DeviceChoice& device) noexcept
    : Model(interface_version, sizeof(Session), weights, bytes, device) {}
)";

void printHostHeader(raw_ostream &os, const ModelDescription &model) {
  os << titleLine(model.name + ": " + model.summary, model) << "//\n";
  printFacts(os, model, "//");
  os << "//\n";
  printUsage(os, model);
  os << "#pragma once\n#include <cstddef>\n#include <cstdint>\n\n#include \"aotc/element.hpp\"\n"
        "#include \"aotc/tensor.hpp\"\n#include \"aotc/vulkan/session.hpp\"\n";
  if (hasWeightsFile(model))
    os << "#include \"aotc/weights_file.hpp\"\n";
  os << "\nstatic_assert(AOTC_RUNTIME_VERSION == " << runtimeVersion << ", \"" << model.name
     << ".hpp needs the runtime headers that were generated with it\");\n\nnamespace " << model.name << " {\n\n";
  printTypes(os, model);
  printClasses(os, model);
  printConstants(os, model);
  printModel(os, model);
  printSession(os, model);
  os << (hasWeightsFile(model) ? filedConstructors : embeddedConstructors) << "\n}  // namespace " << model.name
     << "\n";
}

} // namespace aotc::codegen
