// Prints a planned module as compute shaders and as C++ that calls them through the shipped runtime/aotc/vulkan. Plans
// nothing and writes nothing to disk, as printCpp().
#ifndef AOTC_CODEGEN_SPIRV_VULKAN_H
#define AOTC_CODEGEN_SPIRV_VULKAN_H

#include "codegen/cpp/Program.h"
#include "codegen/spirv/GpuProgram.h"

namespace aotc::codegen {

/// What makes shaders of the steps: buildGpuProgram(), or what stands for it in tests.
using GpuProgramBuilder = llvm::function_ref<mlir::FailureOr<GpuProgram>(
    llvm::ArrayRef<PrintedStep> steps, BufferTable &buffers, const GpuOptions &options)>;

/// The files are include/<name>/<name>.hpp and .h, src/<name>.cpp, src/<name>_places.hpp, src/<name>_host.cpp,
/// src/<name>_shaders.S and src/<name>_weights.S; each shader is a binary, shaders/<identifier>.spv. Fails with a
/// diagnostic at what cannot be printed.
mlir::FailureOr<std::unique_ptr<GeneratedCode>> printVulkan(mlir::ModuleOp module, const CppOptions &options,
                                                            GpuProgramBuilder build = buildGpuProgram);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_SPIRV_VULKAN_H
