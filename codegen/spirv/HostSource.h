// Prints src/<name>.cpp of a model whose steps a GPU computes: the model's tables, its Model and Session, the function
// that records the steps, and the C interface. Decides neither shaders nor barriers.
#ifndef AOTC_CODEGEN_SPIRV_HOSTSOURCE_H
#define AOTC_CODEGEN_SPIRV_HOSTSOURCE_H

#include "codegen/spirv/Submissions.h"

#include "llvm/Support/raw_ostream.h"

namespace aotc::codegen {

/// Identifiers must have been assigned, and model.steps be described. Somebody else defines the symbols <name>_shaders
/// and <name>_weights, and prints <name>_places.hpp and <name>_host.cpp.
void printHostSource(llvm::raw_ostream &os, const ModelDescription &model, const GpuProgram &program,
                     const HostFlow &flow, BufferTable &buffers);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_SPIRV_HOSTSOURCE_H
