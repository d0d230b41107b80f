// The samples that a model is calibrated on: finds them, checks them against the model's inputs, and puts them down in
// the one form that an observing program reads. Accepted are
//
//   DIR/<any>/input_K.npy or NAME.npy   a folder for each sample, a file for each input
//   DIR/*.npz, FILE.npz                 an array for each input, by its name or input_K
//   DIR/*.npy                           models of one input
//
// An array has the input's shape, or samples as rows: one more dimension in front, or a multiple of the first one.
#ifndef AOTC_DRIVER_CALIBRATION_SAMPLES_H
#define AOTC_DRIVER_CALIBRATION_SAMPLES_H

#include "frontend/onnx/Diagnostics.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <string>
#include <vector>

namespace aotc::driver {

/// What a sample must hold.
struct SampleInput {
  std::string name;
  mlir::RankedTensorType type; ///< unknown extents are any of `least` to `most`, which are empty where all are known
  bool hasDefault;             ///< a sample may leave it out
  llvm::SmallVector<int64_t> least = {}, most = {};
};
/// The inputs that a caller of the generated function gives, in their order.
std::vector<SampleInput> sampleInputs(mlir::func::FuncOp function);

/// Every file that samples are read from, sorted: what the output depends on. Empty where there is none.
std::vector<std::string> sampleFiles(llvm::StringRef path);

/// Writes sample K as folder/K/input_I.npy and returns how many there are; 0 after an error.
int writeSamples(llvm::StringRef path, llvm::ArrayRef<SampleInput> inputs, llvm::StringRef folder,
                 frontend::Diagnostics &diagnostics);

} // namespace aotc::driver

#endif // AOTC_DRIVER_CALIBRATION_SAMPLES_H
