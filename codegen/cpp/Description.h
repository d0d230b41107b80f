// What the printers of headers and of the session need to know about a planned model, free of MLIR. Plain data: filled
// in by whoever walks the planned module, read by ApiHeader, CHeader and SessionSource.
#ifndef AOTC_CODEGEN_CPP_DESCRIPTION_H
#define AOTC_CODEGEN_CPP_DESCRIPTION_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace aotc::codegen {

/// The numbers are those of onnx.TensorProto.DataType, as in the shipped aotc/element.hpp.
enum class ElementType {
  F32 = 1,
  U8 = 2,
  I8 = 3,
  U16 = 4,
  I16 = 5,
  I32 = 6,
  I64 = 7,
  Bool = 9,
  F16 = 10,
  F64 = 11,
  U32 = 12,
  U64 = 13,
  BF16 = 16,
  F8E4M3FN = 17,
  F8E4M3FNUZ = 18,
  F8E5M2 = 19,
  F8E5M2FNUZ = 20,
  U4 = 21, // in memory one element per byte, as I4
  I4 = 22,
};

/// A dimension whose extent is only known at run time, between two bounds.
struct BoundedDim {
  enum class Source {
    Caller,  ///< set before run(); starts at the maximum
    Derived, ///< follows from other dims by `expression`
    Run      ///< found by a step of run(), which writes extents[index]
  };

  std::string onnxName;
  int64_t minimum = 1, maximum = 1; ///< both included
  Source source = Source::Caller;
  /// Source::Derived: a C++ expression of type std::int64_t over `extents[i]`, where i indexes
  /// ModelDescription::boundedDims; dims that it names come earlier in that list.
  std::string expression;
  std::vector<int> sources; ///< Source::Derived: the dims in `expression`
  std::string identifier;   ///< as in set_<identifier>(); see assignNames()
};

/// One extent of a shape: a constant, or (boundedDim >= 0) the maximum of that bounded dim.
struct Dim {
  int64_t extent = 1;
  int boundedDim = -1;
};

/// An input or an output.
struct TensorDescription {
  std::string onnxName;
  ElementType element = ElementType::F32;
  std::vector<Dim> shape;
  /// Its place in the arena in bytes. Without one it is "bound only": the caller binds a buffer before the first run().
  std::optional<uint64_t> arenaOffsetBytes;
  /// Inputs that have a default among the weights, which is read until the caller binds a buffer; in bytes.
  std::optional<uint64_t> defaultOffsetBytes;
  /// The classes that its columns, or its elements in the place of strings, stand for: C++ literals, quoted where they
  /// are `classesAreText`. Empty for most.
  std::vector<std::string> classes;
  bool classesAreText = false;
  std::string identifier;     ///< name of the accessor, snake_case; see assignNames()
  std::string typeIdentifier; ///< name of the view's type, CamelCase; see assignNames()
};

/// An instruction-set level that the library holds kernels for, in a table `steps_<name>`.
struct Level {
  std::string name; ///< an identifier, such as "v3"
  /// What __builtin_cpu_supports() must all confirm, such as {"x86-64-v3"}; empty where the level always fits.
  std::vector<std::string> cpuFeatures;
  bool isForIntegers = false; ///< left out, where there are others, of models without integer kernels
};

/// One entry of the step tables, in order.
struct StepDescription {
  std::string identifier; ///< of the step function
  std::string comment;    ///< what the step stands for: `Conv "conv2d_2" + Add + Relu`
  uint64_t macs = 0;      ///< multiply-accumulates; 0 is not mentioned
  std::string shapes;     ///< `[1,32,32,16] -> [1,32,32,16]`, or empty
};

enum class WeightsMode {
  Embed, ///< linked into the program as the symbol <name>_weights
  File   ///< a file beside the program, weightsFileHeader() in front; mapped when the Model is made
};

struct ModelDescription {
  std::string name;        ///< namespace, folder and prefix; an identifier, see cleanModelName()
  std::string toolVersion; ///< such as "0.1.0"
  std::string summary;     ///< one line: what the model is, such as `an image classifier, 10 classes, f32`

  std::vector<TensorDescription> inputs, outputs;
  std::vector<TensorDescription> states; ///< what the session keeps from run to run, in the arena
  std::vector<BoundedDim> boundedDims;

  uint64_t arenaBytes = 0;          ///< of the arena with one thread
  uint64_t arenaBytesPerThread = 0; ///< added for every thread after the first
  uint64_t arenaAlignment = 64;     ///< a power of two, at least 64 on targets with threads
  uint64_t lowerBoundBytes = 0;     ///< largest sum of live tensors at any step; halos, padding, scratch not counted

  uint64_t weightsBytes = 0;
  std::string weightsHash; ///< sha256 of the weights as 64 hexadecimal digits; needed for WeightsMode::File
  WeightsMode weightsMode = WeightsMode::Embed;

  bool isForGpu = false; ///< the arena and the weights are memory of a device, which computes the steps
  size_t hostSteps = 0;  ///< of these: how many it does not
  int maxThreads = 8;
  std::vector<Level> levels;    ///< best first; for a GPU the one of the steps that it does not run
  bool leavesLevelsOut = false; ///< those that are for integers
  std::vector<StepDescription> steps;

  uint64_t macs() const {
    uint64_t sum = 0;
    for (const StepDescription &step : steps)
      sum += step.macs;
    return sum;
  }
};

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_DESCRIPTION_H
