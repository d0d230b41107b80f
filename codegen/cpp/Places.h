// Prints the constants by which generated code names memory: numbers of inputs and outputs, offsets of weights and of
// the buffers of the arena, with their shapes and lifetimes behind them. Decides no offset.
#ifndef AOTC_CODEGEN_CPP_PLACES_H
#define AOTC_CODEGEN_CPP_PLACES_H

#include "codegen/cpp/Values.h"

#include "llvm/Support/raw_ostream.h"

namespace aotc::codegen {

/// The namespaces input, output, weight and buffer, as far as there is something in them.
void printPlaces(llvm::raw_ostream &os, const ModelDescription &model, BufferTable &buffers);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_PLACES_H
