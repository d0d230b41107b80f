// The command line of aotc as data. Parsing decides nothing about files: what can be wrong here is wrong usage, exit
// code 2.
#ifndef AOTC_DRIVER_OPTIONS_H
#define AOTC_DRIVER_OPTIONS_H

#include "frontend/onnx/Importer.h"
#include "lowering/precision/Ranges.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>
#include <vector>

namespace aotc::driver {

/// What a run is for.
enum class Action { compile, emit, describe, printHelp, printVersion };

/// Where --emit stops: what is printed as text in place of an output folder.
enum class EmitStage {
  nn,   ///< after the passes on nn
  kern, ///< kernels chosen, still on tensors
  plan, ///< buffers placed in the arena
  cpp   ///< the generated sources
};

/// What weights are stored in, and what the model is computed in.
enum class Precision {
  asModel,    ///< f32, and weights as the model has them
  fp32,       ///< weights that were halves too
  fp16,       ///< weights in 16 bits, sums in f32
  bf16,       ///< the same
  int8,       ///< integers, by ranges that samples showed
  int8Dynamic ///< products on integers, by ranges of the run
};
inline bool quantizes(Precision precision) {
  return precision == Precision::int8 || precision == Precision::int8Dynamic;
}

enum class Verbosity { quiet, normal, verbose };

struct Options {
  Action action = Action::compile;
  std::string model;  ///< path of the .onnx file
  std::string output; ///< folder, or with --emit a file (empty: standard output)
  std::string name;   ///< an identifier; empty: from the file's name
  std::string target; ///< one of codegen::targets()
  std::string gpu;    ///< one of codegen::gpuProfiles(); empty where the target is no GPU
  frontend::ImportOptions import;
  int threads = 8; ///< the most that a session may ask for; 1 on targets without threads
  bool weightsInFile = false;
  bool useWinograd = true;
  bool optimizesSize = false; ///< nothing may make weights larger than the model's: useWinograd is false then
  bool gpuOnly = false;       ///< a step without a shader is an error
  Precision precision = Precision::asModel;
  std::string calibration; ///< folder or .npz file of samples; empty unless the precision is int8
  precision::RangeMethod calibrationMethod = precision::RangeMethod::mse;
  std::vector<std::string> keepFp32; ///< patterns of node names that stay in f32
  EmitStage emit = EmitStage::cpp;
  std::string depfile;
  Verbosity verbosity = Verbosity::normal;
  /// What shapes the output, in a fixed order and without folders: for MANIFEST.json.
  std::vector<std::string> canonicalFlags() const;
};

/// `arguments` without the program's name. The error's text is one line in the house form; it may be followed by notes.
llvm::Expected<Options> parseOptions(llvm::ArrayRef<llvm::StringRef> arguments);

/// The text of --help.
void printHelp(llvm::raw_ostream &os);

} // namespace aotc::driver

#endif // AOTC_DRIVER_OPTIONS_H
