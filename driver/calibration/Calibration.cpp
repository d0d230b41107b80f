// Reads from top to bottom: Calibration::run() is the road, the functions above it are its stages.
#include "driver/calibration/Calibration.h"

#include "driver/calibration/HostProgram.h"
#include "driver/calibration/Instrument.h"
#include "driver/calibration/ObservingProgram.h"
#include "driver/calibration/Samples.h"
#include "ir/nn/Dialect.h"
#include "lowering/Passes.h"
#include "lowering/Pipeline.h"
#include "lowering/precision/Plan.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Process.h"

#include <cmath>

using namespace mlir;
using namespace aotc::precision;
using aotc::frontend::Diagnostics;
using aotc::frontend::ErrorClass;
using aotc::frontend::quoted;

namespace aotc::driver {

namespace {

/// What an observed tensor was like over all samples.
struct Moments {
  double count = 0; ///< values of a channel
  ArrayRef<double> lowest, highest, sum, squares;

  explicit Moments(ArrayRef<double> results) {
    size_t channels = (results.size() - 2) / 4;
    count = results[0];
    lowest = results.slice(2, channels);
    highest = results.slice(2 + channels, channels);
    sum = results.slice(2 + 2 * channels, channels);
    squares = results.slice(2 + 3 * channels, channels);
  }

  SmallVector<double> mean() const {
    return llvm::map_to_vector(sum, [&](double each) { return count > 0 ? each / count : 0; });
  }
  SmallVector<double> power() const {
    return llvm::map_to_vector(squares, [&](double each) { return count > 0 ? each / count : 0; });
  }
  SmallVector<double> magnitude() const {
    SmallVector<double> result;
    for (auto [low, high] : llvm::zip(lowest, highest))
      result.push_back(low <= high ? std::max(std::abs(low), std::abs(high)) : 0);
    return result;
  }
  /// From the smallest to the largest value, and 0, once channels were divided.
  precision::Range range(ArrayRef<double> divisors) const {
    precision::Range all;
    for (size_t channel = 0; channel < lowest.size(); ++channel) {
      double divisor = channel < divisors.size() ? divisors[channel] : 1;
      if (lowest[channel] <= highest[channel])
        all = merged(all, {lowest[channel] / divisor, highest[channel] / divisor});
    }
    return all;
  }
};

class Calibration {
public:
  Calibration(ModuleOp module, const Options &options, StringRef executable, Diagnostics &diagnostics)
      : module(module), options(options), executable(executable), diagnostics(diagnostics) {}

  std::optional<CalibrationResult> run();

private:
  bool prepare(const std::string &folder);
  void collectTensors();
  bool observeMoments(const ObservingProgram &program);
  bool chooseRanges(const ObservingProgram &program);
  bool measureNoise();
  SmallVector<Value> comparedTensors() const;
  ValueRange outputs() const;
  void warnOfNoise() const;

  ModuleOp module;
  const Options &options;
  StringRef executable;
  Diagnostics &diagnostics;
  CalibrationResult result;
  ObservationSetup setup;
  SmallVector<QuantizedTensor> quantized;
  llvm::MapVector<Value, size_t> observed; ///< what layers read, and what is quantized, in the order of results
  std::vector<std::vector<double>> moments;
};

DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerDialects(registry);
  return registry;
}

/// Samples and a compiler; what cannot be calibrated is said before anything takes long.
bool Calibration::prepare(const std::string &folder) {
  func::FuncOp function = mainOf(module);
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, "nn.state")) {
      diagnostics.error("a model with states cannot be calibrated: samples would have to come in order");
      return false;
    }
  llvm::Expected<std::vector<std::string>> compiler = findHostCompiler();
  if (!compiler) {
    diagnostics.error("calibration runs the generated code: " + llvm::toString(compiler.takeError()), ErrorClass::file);
    return false;
  }
  setup.compiler = std::move(*compiler);
  setup.executable = executable.str();
  setup.folder = folder;
  setup.samples = folder + "/samples";
  setup.mostThreads = 8;
  setup.showsProgress = options.verbosity != Verbosity::quiet && llvm::sys::Process::StandardErrIsDisplayed();
  setup.sampleCount = writeSamples(options.calibration, sampleInputs(function), setup.samples, diagnostics);
  return setup.sampleCount > 0;
}

void Calibration::collectTensors() {
  quantized = quantizedTensors(module);
  auto add = [&](Value value) { observed.insert({value, observed.size()}); };
  for (const QuantizedTensor &tensor : quantized)
    add(tensor.value);
  for (Operation *layer : markedLayers(module, int8Name))
    add(inputOf(layer));
}

/// Per channel: for ranges, for equalization and for the correction of biases.
bool Calibration::observeMoments(const ObservingProgram &program) {
  std::vector<Observation> observations;
  for (auto [value, index] : observed)
    observations.push_back({channelAxisOf(value), 0, 0, {}});
  auto results = program.observe("moments", "observing ranges    ", observations, diagnostics);
  if (!results)
    return false;
  moments = std::move(*results);
  for (auto [value, index] : observed) {
    if (moments[index][1] > 0) {
      diagnostics.error("a tensor holds NaN or infinity for these samples: the result of " +
                        quoted(nodeOf(value).name));
      return false;
    }
    Moments each(moments[index]);
    setChannelFact(value, ChannelFact::magnitude, each.magnitude());
    setChannelFact(value, ChannelFact::power, each.power());
  }
  for (Operation *layer : markedLayers(module, int8Name)) {
    if (channelAxisOf(layer) != channelAxisOf(inputOf(layer)))
      continue; // the channels of another reader were observed
    Moments input(moments[observed[inputOf(layer)]]);
    setChannelFact(layer->getResult(0), ChannelFact::inputMean, input.mean());
    setChannelFact(layer->getResult(0), ChannelFact::inputPower, input.power());
  }
  return true;
}

bool Calibration::chooseRanges(const ObservingProgram &program) {
  std::vector<Observation> observations;
  for (auto [value, index] : observed) {
    ArrayRef<double> divisors = channelFact(value, ChannelFact::divisors);
    precision::Range range = Moments(moments[index]).range(divisors);
    observations.push_back({channelAxisOf(value), range.low, range.high, divisors.vec()});
  }
  auto results = program.observe("histograms", "observing histograms", observations, diagnostics);
  if (!results)
    return false;
  for (const QuantizedTensor &tensor : quantized) {
    size_t index = observed[tensor.value];
    const std::vector<double> &counts = (*results)[index];
    Histogram histogram{{observations[index].low, observations[index].high}, counts[0], {}};
    histogram.counts.assign(counts.begin() + 1, counts.end());
    setRange(tensor.value, chooseRange(histogram, options.calibrationMethod));
  }
  return true;
}

ValueRange Calibration::outputs() const { return mainOf(module).getBody().front().getTerminator()->getOperands(); }

/// Each once: what is quantized, results of products, which are not, and outputs.
SmallVector<Value> Calibration::comparedTensors() const {
  llvm::SetVector<Value> compared;
  for (const QuantizedTensor &tensor : quantized)
    compared.insert(tensor.value);
  for (Operation *layer : markedLayers(module, int8Name))
    if (isa<nn::MatMulOp>(layer))
      compared.insert(layer->getResult(0));
  for (Value output : outputs())
    if (getElementTypeOrSelf(output.getType()).isF32())
      compared.insert(output);
  return compared.takeVector();
}

double decibels(double power, double noise) {
  return noise > 0 ? 10 * std::log10(power / noise) : std::numeric_limits<double>::infinity();
}

/// Of outputs that are hardly the float model's any more.
void Calibration::warnOfNoise() const {
  constexpr double least = 10;
  for (Value output : llvm::SetVector<Value>(outputs().begin(), outputs().end())) {
    auto place = result.signalToNoise.find(output);
    if (place == result.signalToNoise.end() || place->second >= least)
      continue;
    diagnostics.warning("little is left of the result of " + quoted(nodeOf(output).name) + ": its signal is " +
                        llvm::formatv("{0:f1}", place->second).str() + " dB above the noise");
    diagnostics.note("report.json says from which layer on; '--keep-fp32' leaves layers as they are");
  }
}

/// Runs the float model and the quantized one side by side.
bool Calibration::measureNoise() {
  SmallVector<Value> compared = comparedTensors();
  MLIRContext context(makeRegistry(), MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> exact = copyReturning(module, compared, context);
  OwningOpRef<ModuleOp> rounded = copyReturning(module, compared, context);
  auto quantize = [](OpPassManager &passes) { passes.addPass(createQuantizeLayers()); };
  if (!runPasses(*rounded, quantize, diagnostics))
    return false;
  clearPlan(*exact);
  joinModules(*exact, *rounded);
  auto program = ObservingProgram::build(*exact, "compared", setup, diagnostics);
  auto results = program ? program->observe("noise", "comparing           ",
                                            std::vector<Observation>(2 * compared.size()), diagnostics)
                         : std::nullopt;
  if (!results)
    return false;
  for (auto [value, sums] : llvm::zip_equal(compared, *results))
    if (double samples = sums[2]; samples > 0)
      result.signalToNoise.insert({value, decibels(sums[0], sums[1])});
  warnOfNoise();
  return true;
}

std::optional<CalibrationResult> Calibration::run() {
  llvm::Expected<TemporaryFolder> folder = TemporaryFolder::create("aotc-calibration");
  if (!folder) {
    diagnostics.error(llvm::toString(folder.takeError()), ErrorClass::file);
    return std::nullopt;
  }
  if (!prepare(folder->getPath()))
    return std::nullopt;
  result.samples = setup.sampleCount;
  collectTensors();
  MLIRContext context(makeRegistry(), MLIRContext::Threading::DISABLED);
  SmallVector<Value> values = llvm::map_to_vector(observed, [](const auto &item) { return item.first; });
  OwningOpRef<ModuleOp> copy = copyReturning(module, values, context);
  clearPlan(*copy);
  std::optional<ObservingProgram> program = ObservingProgram::build(*copy, "observed", setup, diagnostics);
  auto equalize = [](OpPassManager &passes) { passes.addPass(createEqualizeLayers()); };
  if (!program || !observeMoments(*program) || !runPasses(module, equalize, diagnostics) || !chooseRanges(*program) ||
      !measureNoise())
    return std::nullopt;
  return std::move(result);
}

} // namespace

std::optional<CalibrationResult> calibrate(ModuleOp module, const Options &options, StringRef executable,
                                           Diagnostics &diagnostics) {
  return Calibration(module, options, executable, diagnostics).run();
}

} // namespace aotc::driver
