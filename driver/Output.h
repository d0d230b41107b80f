// What is written of a compiled model: the output folder with everything in it, and the dependency file. Prints no
// code.
#ifndef AOTC_DRIVER_OUTPUT_H
#define AOTC_DRIVER_OUTPUT_H

#include "codegen/cpp/Program.h"
#include "codegen/report/Report.h"
#include "driver/InputHashes.h"
#include "driver/Options.h"

#include "llvm/Support/Error.h"

#include <set>

namespace aotc::driver {

/// The version of aotc, such as "0.1.0".
llvm::StringRef version();

/// What the output depends on besides aotc: the model, the files that it read its weights from, and given values.
std::vector<std::string> inputFiles(const Options &options, const std::set<std::string> &externalFiles);

/// Writes options.output, and options.depfile if there is one. `inputHashes` are those of inputFiles(). Fails with a
/// FileError, after which the folder is as it was, or with an error about this installation of aotc.
llvm::Error writeOutput(const Options &options, llvm::StringRef executable, const codegen::GeneratedCode &code,
                        const codegen::Report &report, const std::set<std::string> &externalFiles,
                        InputHashes &inputHashes);

} // namespace aotc::driver

#endif // AOTC_DRIVER_OUTPUT_H
