// The steps of a planned module as compute shaders: what is dispatched, on which parts of memory, and where the device
// has to wait. Plain data behind one function; how host code spells it is Host's.
#ifndef AOTC_CODEGEN_SPIRV_GPUPROGRAM_H
#define AOTC_CODEGEN_SPIRV_GPUPROGRAM_H

#include "codegen/cpp/Steps.h"

#include <array>

namespace aotc::codegen {

/// A compute shader: one SPIR-V module with the entry point "main".
struct ShaderDescription {
  std::string identifier; ///< unique in the program, snake_case: the name of the first step that uses it
  std::vector<uint32_t> words;
  /// Of VkPhysicalDeviceFeatures and its like that it needs: "shaderInt64", "storageBuffer16BitAccess".
  std::vector<std::string> features;
};

/// The part of a buffer that a shader sees at one binding.
struct BindingDescription {
  enum class Memory { Arena, Weights, Input, Output };

  Memory memory;
  int index = 0;            ///< of the input or output
  uint64_t offsetBytes = 0; ///< in the arena, the weights, or the input or output; a multiple of 256
  uint64_t bytes = 0;
  bool isWritten = false;
};

struct DispatchDescription {
  size_t shader;
  std::array<uint32_t, 3> groups; ///< each at most 65535
  llvm::SmallVector<BindingDescription, 4> bindings;
  bool waits = false; ///< a barrier for compute writes and reads goes in front of it
};

struct GpuProgram {
  std::vector<ShaderDescription> shaders; ///< none twice
  std::vector<DispatchDescription> dispatches;
  std::vector<size_t> firstDispatch; ///< of each step, in the order of ModelDescription::steps; most have one
};

struct GpuOptions {};

/// Names and weights of `steps` are settled. Fails with a diagnostic at a step that no shader can be made of.
mlir::FailureOr<GpuProgram> buildGpuProgram(llvm::ArrayRef<PrintedStep> steps, BufferTable &buffers,
                                            const GpuOptions &options);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_SPIRV_GPUPROGRAM_H
