// A program of generated code that runs a module over samples and tells what its results are like; see
// templates/project/tools/observe.cpp.in for what it works out.
#ifndef AOTC_DRIVER_CALIBRATION_OBSERVINGPROGRAM_H
#define AOTC_DRIVER_CALIBRATION_OBSERVINGPROGRAM_H

#include "frontend/onnx/Diagnostics.h"

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace aotc::driver {

/// Where things are, and what is told along the way.
struct ObservationSetup {
  std::string executable;            ///< of aotc, beside which the shipped sources are
  std::string folder;                ///< for all that is made, temporary
  std::vector<std::string> compiler; ///< command line of the host compiler
  std::string samples;               ///< folder of writeSamples()
  int sampleCount = 0;
  int mostThreads = 1;
  bool showsProgress = false;
};

/// How a result of the module is looked at. Range and divisors are for histograms.
struct Observation {
  int64_t channelAxis = 0;
  double low = 0, high = 0;
  std::vector<double> divisors;
};

class ObservingProgram {
public:
  /// Compiles the module with the passes and the printers that any model takes, for this machine. The module is used
  /// up. Nothing after an error.
  static std::optional<ObservingProgram> build(mlir::ModuleOp module, llvm::StringRef name,
                                               const ObservationSetup &setup, frontend::Diagnostics &diagnostics);

  /// What `what` (moments, histograms, noise) gives for each result. Nothing after an error.
  std::optional<std::vector<std::vector<double>>> observe(llvm::StringRef what, llvm::StringRef progress,
                                                          const std::vector<Observation> &observations,
                                                          frontend::Diagnostics &diagnostics) const;

private:
  ObservingProgram(std::string program, const ObservationSetup &setup) : program(std::move(program)), setup(setup) {}

  std::string program;
  const ObservationSetup &setup;
};

} // namespace aotc::driver

#endif // AOTC_DRIVER_CALIBRATION_OBSERVINGPROGRAM_H
