// Own quantization, from a float model to one that is computed on integers: observes the model on samples, decides, and
// has the passes of lowering/precision write the decisions down. docs/quantization.md is the whole method.
#ifndef AOTC_DRIVER_CALIBRATION_QUANTIZATION_H
#define AOTC_DRIVER_CALIBRATION_QUANTIZATION_H

#include "codegen/report/Report.h"
#include "driver/Options.h"

#include "mlir/IR/BuiltinOps.h"

namespace aotc::driver {

/// Quantizes the imported module as `options` say. `executable` is that of aotc. False after an error.
bool quantizeModel(mlir::ModuleOp module, const Options &options, llvm::StringRef executable,
                   frontend::Diagnostics &diagnostics, codegen::ReportQuantization &report);

} // namespace aotc::driver

#endif // AOTC_DRIVER_CALIBRATION_QUANTIZATION_H
