// Prints include/<name>/<name>.hpp of a model whose steps a GPU computes: the same interface as ApiHeader's as far as
// it makes sense there, and the application's own device and buffers.
#ifndef AOTC_CODEGEN_SPIRV_HOSTHEADER_H
#define AOTC_CODEGEN_SPIRV_HOSTHEADER_H

#include "codegen/cpp/Description.h"

#include "llvm/Support/raw_ostream.h"

namespace aotc::codegen {

/// Identifiers must have been assigned (assignNames()).
void printHostHeader(llvm::raw_ostream &os, const ModelDescription &model);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_SPIRV_HOSTHEADER_H
