// Prints what a generated source tells the runtime of its model: the constant tables behind aotc::ModelInfo.
#ifndef AOTC_CODEGEN_CPP_TABLES_H
#define AOTC_CODEGEN_CPP_TABLES_H

#include "codegen/cpp/Description.h"

#include "llvm/Support/raw_ostream.h"

namespace aotc::codegen {

/// Definitions for an unnamed namespace, the last of which is `model_info`.
void printTables(llvm::raw_ostream &os, const ModelDescription &model);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_TABLES_H
