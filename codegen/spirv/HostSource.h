// Prints src/<name>.cpp of a model whose steps a GPU computes: the model's tables, its Model and Session, the function
// that records the steps, and the C interface. Decides neither shaders nor barriers.
#ifndef AOTC_CODEGEN_SPIRV_HOSTSOURCE_H
#define AOTC_CODEGEN_SPIRV_HOSTSOURCE_H

#include "codegen/cpp/Values.h"
#include "codegen/spirv/GpuProgram.h"

#include "llvm/Support/raw_ostream.h"

namespace aotc::codegen {

/// The dispatches of a step: the first, and the one behind the last.
std::pair<size_t, size_t> dispatchesOf(const GpuProgram &program, size_t step);

/// Identifiers must have been assigned, and model.steps be described. Somebody else defines the symbols <name>_shaders
/// and <name>_weights, and prints <name>_places.hpp.
void printHostSource(llvm::raw_ostream &os, const ModelDescription &model, const GpuProgram &program,
                     BufferTable &buffers);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_SPIRV_HOSTSOURCE_H
