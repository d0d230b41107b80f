// --describe: what a model takes, gives and consists of, without compiling it.
#ifndef AOTC_DRIVER_DESCRIBE_H
#define AOTC_DRIVER_DESCRIBE_H

#include "driver/Options.h"

namespace aotc::driver {

/// Prints to `os`; errors go to `diagnostics`. Returns the exit code.
int describeModel(const Options &options, frontend::Diagnostics &diagnostics, llvm::raw_ostream &os);

} // namespace aotc::driver

#endif // AOTC_DRIVER_DESCRIBE_H
