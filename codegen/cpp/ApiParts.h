// The pieces of the C++ interface that are the same wherever the steps run, for the printers of headers.
#ifndef AOTC_CODEGEN_CPP_APIPARTS_H
#define AOTC_CODEGEN_CPP_APIPARTS_H

#include "codegen/cpp/Description.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

namespace aotc::codegen {

/// `text` and blanks up to `width`.
std::string padded(llvm::StringRef text, size_t width);

/// Comments that show how inputs are filled, and run() and an output are used.
void printFirstRun(llvm::raw_ostream &os, const ModelDescription &model);

/// The types of the views, and that of the options of a session.
void printTypes(llvm::raw_ostream &os, const ModelDescription &model);
/// What the columns or numbers of classifiers stand for.
void printClasses(llvm::raw_ostream &os, const ModelDescription &model);
/// info() and interface_version.
void printInterfaceVersion(llvm::raw_ostream &os, const ModelDescription &model);

/// Members that set the bounded dims of the caller's, each with an empty line.
void printDimSetters(llvm::raw_ostream &os, const ModelDescription &model);
/// A member that sets one by its number, if there are any.
void printSetDim(llvm::raw_ostream &os, const ModelDescription &model);
/// A member that returns the view of a tensor. kind: "input", "output" or "state".
void printAccessor(llvm::raw_ostream &os, const TensorDescription &tensor, llvm::StringRef kind, size_t index,
                   bool isConst = true);
/// A member that binds a buffer of the host's, and an empty line.
void printBinding(llvm::raw_ostream &os, const TensorDescription &tensor, llvm::StringRef kind, size_t index);
/// What is kept from run to run, if there is something. Where a GPU computes it is fetched, so members are not const.
void printStates(llvm::raw_ostream &os, const ModelDescription &model);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_APIPARTS_H
