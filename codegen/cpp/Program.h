// Prints a planned module (MLIR on memrefs, one arena) as the sources of a model. Plans nothing and writes nothing to
// disk: the files are handed to codegen/bundle, the facts to codegen/report.
//
// The module holds one function (beside declarations), see Program.cpp for what it may look like.
#ifndef AOTC_CODEGEN_CPP_PROGRAM_H
#define AOTC_CODEGEN_CPP_PROGRAM_H

#include "codegen/cpp/Description.h"
#include "codegen/cpp/WeightsFile.h"

#include "mlir/IR/BuiltinOps.h"

#include <map>
#include <memory>

namespace aotc::codegen {

struct GpuProfile;

struct CppOptions {
  std::string name;                             ///< an identifier, see cleanModelName()
  std::string toolVersion;                      ///< such as "0.1.0"
  std::string summary;                          ///< one line about the model for the header, may be empty
  std::vector<Level> levels = {{"native", {}}}; ///< for printVulkan() one
  WeightsMode weightsMode = WeightsMode::Embed;
  int maxThreads = 8;
  bool gpuOnly = false;                   ///< printVulkan() fails where a step has no shader
  const GpuProfile *gpuProfile = nullptr; ///< for printVulkan(); null: the default
};

/// An ONNX node that a step stands for.
struct NodeFact {
  std::string name, op;
};

/// What a step is, beyond its StepDescription; in the same order.
struct StepFact {
  std::vector<NodeFact> nodes;
  std::string kernel;     ///< function of namespace aotc, "loops" where there is none
  std::string layout;     ///< text of the layout object, may be empty
  std::string weights;    ///< element type of the largest constant that it reads, such as "f16"; empty: of none
  std::string hostReason; ///< in a program for a GPU: why the step has no shader; empty: it has one
};

/// A buffer of the arena, an input or an output. Steps are indices of the step table; -1: none.
struct BufferFact {
  enum class Kind { Arena, Input, Output };
  Kind kind;
  std::string identifier;
  std::string shape; ///< "[1,34,34,16]", with the element type in front where it is not f32
  uint64_t offsetBytes = 0, bytes = 0;
  int firstStep = -1, lastStep = -1;
};

/// What a device is given to do.
struct GpuFact {
  size_t shaders = 0, dispatches = 0, barriers = 0;
  std::vector<std::string> features; ///< that the device must have, of VkPhysicalDeviceFeatures and its like
};

struct GeneratedCode {
  /// Relative path -> text: include/<name>/<name>.hpp and .h, src/<name>.cpp, src/<name>_layers.hpp,
  /// src/<name>_checked.hpp, src/<name>_kernels_0.cpp to _3.cpp, src/<name>_weights.S.
  std::map<std::string, std::string> files;
  /// Relative path -> bytes: shaders/<identifier>.spv. Of no use as text.
  std::map<std::string, std::string> binaries;
  /// The bytes of src/<name>_weights.bin, behind `weightsHeader` (empty where weights are embedded). They refer to
  /// attributes of the module: its context must outlive them.
  WeightsFile weights;
  std::string weightsHeader;
  /// Shipped headers that the files include, for addShippedSources(): "aotc/kernels/conv2d.hpp".
  std::vector<std::string> shippedHeaders;

  ModelDescription model;
  std::vector<StepFact> steps;
  std::vector<BufferFact> buffers;
  std::optional<GpuFact> gpu; ///< where one computes the steps
};

/// Fails with a diagnostic at the op that cannot be printed.
mlir::FailureOr<std::unique_ptr<GeneratedCode>> printCpp(mlir::ModuleOp module, const CppOptions &options);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_PROGRAM_H
