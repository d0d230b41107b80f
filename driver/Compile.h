// The road from a model to an output folder: importer, passes, printer, bundle. Knows their order and what a user is
// told along the way; each of them decides for itself.
#ifndef AOTC_DRIVER_COMPILE_H
#define AOTC_DRIVER_COMPILE_H

#include "driver/Options.h"

namespace aotc::driver {

/// Compiles, or prints the stage that --emit names to `out`. Errors go to `diagnostics`; a summary goes to `out`.
/// `executable` is the path of the running program, beside which the shipped sources are. Returns the exit code.
int compileModel(const Options &options, llvm::StringRef executable, frontend::Diagnostics &diagnostics,
                 llvm::raw_ostream &out);

} // namespace aotc::driver

#endif // AOTC_DRIVER_COMPILE_H
