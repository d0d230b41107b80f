// Observes a float model on samples and decides how it is quantized: equalizes its weights, and writes ranges and means as
// attributes (lowering/precision/Plan.h) for the pass that carries them out.
#ifndef AOTC_DRIVER_CALIBRATION_CALIBRATION_H
#define AOTC_DRIVER_CALIBRATION_CALIBRATION_H

#include "codegen/report/Report.h"
#include "driver/Options.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace aotc::driver {

struct CalibrationResult {
  int samples = 0;
  /// Of quantized tensors, results of products and outputs, in decibels; see ReportLayer.
  llvm::MapVector<mlir::Value, double> signalToNoise;
};

/// Calibrates the layers that are marked. Builds and runs the model twice: as it is, and beside what it becomes. Nothing
/// after an error.
std::optional<CalibrationResult> calibrate(mlir::ModuleOp module, const Options &options, llvm::StringRef executable,
                                           frontend::Diagnostics &diagnostics);

// ------------------------------------------------------------------------------------------ for this folder's files
/// False after an error, which was reported.
bool runPasses(mlir::ModuleOp module, llvm::function_ref<void(mlir::OpPassManager &)> addPasses,
               frontend::Diagnostics &diagnostics);
/// The ONNX node that computes a tensor, or the name of an input.
codegen::ReportNode nodeOf(mlir::Value value);

} // namespace aotc::driver

#endif // AOTC_DRIVER_CALIBRATION_CALIBRATION_H
