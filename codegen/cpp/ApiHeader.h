// Prints include/<name>/<name>.hpp: the C++ interface of a generated model. Decides nothing: what there is to say is in
// the description, and what all models share is in the shipped runtime.
#ifndef AOTC_CODEGEN_CPP_APIHEADER_H
#define AOTC_CODEGEN_CPP_APIHEADER_H

#include "codegen/cpp/Description.h"

#include "llvm/Support/raw_ostream.h"

namespace aotc::codegen {

/// AOTC_RUNTIME_VERSION of the shipped runtime that the printed code is written for.
constexpr int runtimeVersion = 100;

/// Identifiers must have been assigned (assignNames()).
void printApiHeader(llvm::raw_ostream &os, const ModelDescription &model);

/// The lines that tell inputs, outputs, arena, weights and work, each behind `prefix`; shared with the C header.
void printFacts(llvm::raw_ostream &os, const ModelDescription &model, llvm::StringRef prefix);

/// True if the weights are a file beside the program.
bool hasWeightsFile(const ModelDescription &model);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_APIHEADER_H
