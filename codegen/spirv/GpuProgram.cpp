#include "codegen/spirv/GpuProgram.h"

using namespace mlir;

namespace aotc::codegen {

FailureOr<GpuProgram> buildGpuProgram(ArrayRef<PrintedStep> steps, BufferTable &buffers, const GpuOptions &options) {
  if (steps.empty())
    return GpuProgram();
  return steps.front().op->emitError("--target vulkan has no shader for this operator yet");
}

} // namespace aotc::codegen
