// The steps of a planned module as compute shaders: SPIR-V modules, and what is dispatched when. Knows nothing of the
// host code that runs them.
//
//     a step ──► its shader is built in gpu, arith, memref, scf (Shader.h, kernels/)
//            ──► spirv dialect and binary by upstream conversions (Serialize.h)
//            ──► a dispatch: groups, and the parts of buffers that it sees (Bindings.h)
#ifndef AOTC_CODEGEN_SPIRV_GPUPROGRAM_H
#define AOTC_CODEGEN_SPIRV_GPUPROGRAM_H

#include "codegen/cpp/Steps.h"
#include "codegen/target/GpuProfile.h"

#include <array>
#include <optional>

namespace aotc::codegen {

/// A compute shader: one SPIR-V module with the entry point "main".
struct ShaderDescription {
  std::string identifier; ///< unique in the program: the name of the first step that uses it
  std::vector<uint32_t> words;
  /// Of VkPhysicalDeviceFeatures and its like that it needs: "shaderInt64", "shaderFloat64", "shaderFloat16",
  /// "storageBuffer16BitAccess"; and "subgroupArithmetic".
  std::vector<std::string> features;
  uint32_t threads = 128;   ///< of a workgroup
  uint32_t sharedBytes = 0; ///< of the memory that they share
};

/// The part of a buffer that a shader sees at one binding.
struct BindingDescription {
  /// Status: 4 bytes of the session, 0 at the start of a run, where a shader leaves the aotc::Status that the run ends
  /// with.
  enum class Memory { Arena, Weights, Input, Output, Status };

  Memory memory = Memory::Arena;
  int index = 0;            ///< of the input or output
  uint64_t offsetBytes = 0; ///< in the arena, the weights, or the input or output; a multiple of 256
  uint64_t bytes = 0;
  bool isWritten = false;
  std::optional<uint64_t> arenaOffset; ///< of an input or output, while the application has bound no buffer of its own
};

struct DispatchDescription {
  size_t shader = 0;
  std::array<uint32_t, 3> groups = {1, 1, 1}; ///< each at most 65535
  llvm::SmallVector<BindingDescription, 4> bindings;
  bool waits = false; ///< a barrier for what shaders wrote and read stands in front of it
};

struct GpuProgram {
  std::vector<ShaderDescription> shaders; ///< none twice
  std::vector<DispatchDescription> dispatches;
  std::vector<size_t> firstDispatch; ///< of each step; most have one, those of the host none
  /// Of each step: why it has no shader and is the host's to compute; empty for most.
  std::vector<std::string> hostReasons;

  bool hasHostSteps() const;
  std::vector<std::string> features() const; ///< of all shaders, each once
};

struct GpuOptions {
  /// Where the inputs lie in the arena while the application has bound no buffers of its own.
  std::vector<std::optional<uint64_t>> inputOffsets;
  bool gpuOnly = false; ///< a step without a shader is an error
  const GpuProfile *profile = &gpuProfiles().front();
};

/// Whether there are shaders for steps of this kind, be they on tensors or memrefs. One step may still have none: where
/// it has more operands than a shader can see, or extents that only the run knows.
bool hasShader(mlir::Operation *step);

/// Fails with a diagnostic at each step without a shader, if there may be none. Names of steps, and places of buffers
/// and weights are settled.
mlir::FailureOr<GpuProgram> buildGpuProgram(llvm::ArrayRef<PrintedStep> steps, BufferTable &buffers,
                                            const GpuOptions &options);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_SPIRV_GPUPROGRAM_H
