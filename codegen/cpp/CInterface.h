// Prints the definitions of what CHeader declares. Every function is a thin call of the C++ interface.
#ifndef AOTC_CODEGEN_CPP_CINTERFACE_H
#define AOTC_CODEGEN_CPP_CINTERFACE_H

#include "codegen/cpp/Description.h"

#include "llvm/Support/raw_ostream.h"

namespace aotc::codegen {

/// The last part of src/<name>.cpp; both headers of the model and aotc/c_object.hpp are included before.
void printCInterface(llvm::raw_ostream &os, const ModelDescription &model);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_CINTERFACE_H
