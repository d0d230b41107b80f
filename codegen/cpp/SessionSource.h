// Prints src/<name>.cpp: the model's tables, its Model and Session, and the C interface. The list of steps in run() is
// somebody else's: it comes from a callback.
#ifndef AOTC_CODEGEN_CPP_SESSIONSOURCE_H
#define AOTC_CODEGEN_CPP_SESSIONSOURCE_H

#include "codegen/cpp/Description.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace aotc::codegen {

/// Prints statements, two spaces deep, that run the steps. They see, and if there are steps use,
///     aotc::ThreadPool& pool (or what stands for it in the checked build);
///     const aotc::Step* steps;  const aotc::Frame& frame;
/// and usually consist of printStepComment() and `pool.run(steps[3], frame);` for each step.
using StepsPrinter = llvm::function_ref<void(llvm::raw_ostream &)>;

/// Identifiers must have been assigned (assignNames()). Somebody else defines, in namespace <name>, a table
/// `extern const aotc::Step steps_<level>[]` for each level, and the symbol <name>_weights where weights are embedded.
void printSessionSource(llvm::raw_ostream &os, const ModelDescription &model, StepsPrinter printSteps);

/// The comment above step `index`, `indent` columns deep: number, what it stands for, work and shapes.
void printStepComment(llvm::raw_ostream &os, const ModelDescription &model, size_t index, size_t indent);

/// The constant `weights_header`, by which the source knows the weights file, if there is one.
void printWeightsHeader(llvm::raw_ostream &os, const ModelDescription &model);

/// The 64 bytes in front of the weights in a weights file (WeightsMode::File), by which the library knows it.
std::string weightsFileHeader(const ModelDescription &model);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_SESSIONSOURCE_H
