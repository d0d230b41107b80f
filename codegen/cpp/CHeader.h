// Prints include/<name>/<name>.h: the C interface of a generated model, for C, for other languages and across library
// boundaries. Declares only; SessionSource prints the definitions.
#ifndef AOTC_CODEGEN_CPP_CHEADER_H
#define AOTC_CODEGEN_CPP_CHEADER_H

#include "codegen/cpp/Description.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace aotc::codegen {

/// Identifiers must have been assigned (assignNames()).
void printCHeader(llvm::raw_ostream &os, const ModelDescription &model);

/// The status codes of the shipped aotc/status.hpp in numerical order, without prefix, in lower case.
llvm::ArrayRef<const char *> statusNames();

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_CHEADER_H
