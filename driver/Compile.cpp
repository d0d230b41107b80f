// Reads from top to bottom: Compilation::run() is the road, the functions above it are its stages.
#include "driver/Compile.h"

#include "codegen/bundle/FileIo.h"
#include "codegen/cpp/Names.h"
#include "codegen/cpp/Program.h"
#include "codegen/cpp/Text.h"
#include "codegen/report/MakeReport.h"
#include "codegen/spirv/Vulkan.h"
#include "codegen/target/GpuProfile.h"
#include "codegen/target/Target.h"
#include "driver/Output.h"
#include "driver/PassDiagnostics.h"
#include "driver/calibration/Quantization.h"
#include "driver/calibration/Samples.h"
#include "lowering/Pipeline.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <chrono>
#include <optional>

using namespace mlir;
using aotc::frontend::Diagnostics;
using aotc::frontend::ErrorClass;
using llvm::StringRef;

namespace aotc::driver {

namespace {

/// Tells with -v how long each stage took.
class StageTimer {
public:
  StageTimer(bool isVerbose, llvm::raw_ostream &os) : os(isVerbose ? os : llvm::nulls()) {}

  /// The stage that ends now.
  void finish(StringRef stage) {
    auto now = std::chrono::steady_clock::now();
    os << llvm::formatv("{0,-10} {1,7:f3} s\n", stage, std::chrono::duration<double>(now - start).count());
    start = now;
  }

private:
  llvm::raw_ostream &os;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
};

class Compilation {
public:
  Compilation(const Options &options, StringRef executable, Diagnostics &diagnostics, llvm::raw_ostream &out)
      : options(options), executable(executable), diagnostics(diagnostics), out(out),
        context(makeRegistry(), MLIRContext::Threading::DISABLED), timer(options.verbosity == Verbosity::verbose, out) {
  }

  void run();

private:
  static DialectRegistry makeRegistry();
  bool isEmitting(EmitStage stage) const { return options.action == Action::emit && options.emit == stage; }
  bool import();
  bool quantize();
  bool runPasses(StringRef stage, llvm::function_ref<void(OpPassManager &)> addPasses);
  bool lower(PassDiagnostics &passDiagnostics);
  codegen::CppOptions printOptions() const;
  bool print(PassDiagnostics &passDiagnostics);
  void warnOfHostSteps();
  void emit(llvm::function_ref<void(llvm::raw_ostream &)> write);
  void emitModule();
  void emitCode();
  void write();
  void summarize(const codegen::Report &report);
  void printMemoryPlan(const codegen::Report &report);
  void reportFailure(StringRef stage);

  const Options &options;
  StringRef executable;
  Diagnostics &diagnostics;
  llvm::raw_ostream &out;
  MLIRContext context;
  StageTimer timer;
  OwningOpRef<ModuleOp> module;
  std::set<std::string> externalFiles;
  std::optional<InputHashes> inputHashes; // while the code is printed, and its weights are hashed
  std::unique_ptr<codegen::GeneratedCode> code;
  codegen::ReportQuantization quantization;
};

DialectRegistry Compilation::makeRegistry() {
  DialectRegistry registry;
  registerDialects(registry);
  return registry;
}

// -------------------------------------------------------------------------------------------------------------- stages

bool Compilation::import() {
  auto imported = frontend::importModel(options.model, options.import, context, diagnostics);
  if (!imported)
    return false;
  module = std::move(imported->module);
  externalFiles = std::move(imported->externalFiles);
  timer.finish("import");
  return true;
}

/// Samples shape the output as the model does.
bool Compilation::quantize() {
  if (!quantizes(options.precision))
    return true;
  for (std::string &file : sampleFiles(options.calibration))
    externalFiles.insert(std::move(file));
  bool good = quantizeModel(*module, options, executable, diagnostics, quantization);
  timer.finish("quantize");
  return good;
}

/// A stage that fails must have said why.
void Compilation::reportFailure(StringRef stage) {
  if (!diagnostics.hasErrors())
    diagnostics.error("internal error: " + stage + " failed without saying why", ErrorClass::internal);
}

bool Compilation::runPasses(StringRef stage, llvm::function_ref<void(OpPassManager &)> addPasses) {
  PassManager passes(&context);
  passes.enableVerifier(true);
  addPasses(passes);
  if (failed(passes.run(*module)))
    reportFailure(stage);
  timer.finish(stage);
  return !diagnostics.hasErrors();
}

/// As passes call it.
std::string storedType(Precision precision) {
  switch (precision) {
  case Precision::asModel:
  case Precision::int8:
  case Precision::int8Dynamic:
    return "";
  case Precision::fp32:
    return "f32";
  case Precision::fp16:
    return "f16";
  case Precision::bf16:
    return "bf16";
  }
  llvm_unreachable("every precision has a type");
}

/// True if there is more to do.
bool Compilation::lower(PassDiagnostics &passDiagnostics) {
  if (!runPasses("graph", addGraphPasses))
    return false;
  if (isEmitting(EmitStage::nn))
    return emitModule(), false;
  const codegen::Target &target = *codegen::findTarget(options.target);
  KernelOptions kernels{options.useWinograd && target.usesWinograd, target.isGpu ? codegen::hasShader : nullptr,
                        !target.multipliesBytes(), storedType(options.precision)};
  if (!runPasses("kernels", [&](OpPassManager &passes) { addKernelPasses(passes, kernels); }))
    return false;
  if (isEmitting(EmitStage::kern))
    return emitModule(), false;
  passDiagnostics.expectNoErrors();
  if (!runPasses("plan", [&](OpPassManager &passes) {
        addPlanPasses(passes, target.isGpu ? codegen::WeightsFile::bindingAlignmentBytes
                                           : codegen::WeightsFile::vectorAlignmentBytes);
      }))
    return false;
  if (isEmitting(EmitStage::plan))
    return emitModule(), false;
  return true;
}

codegen::CppOptions Compilation::printOptions() const {
  codegen::CppOptions cpp;
  cpp.name = options.name.empty() ? codegen::cleanModelName(llvm::sys::path::stem(options.model)) : options.name;
  cpp.toolVersion = version().str();
  cpp.summary = ("compiled from " + llvm::sys::path::filename(options.model)).str();
  cpp.weightsMode = options.weightsInFile ? codegen::WeightsMode::File : codegen::WeightsMode::Embed;
  cpp.maxThreads = options.threads;
  cpp.gpuOnly = options.gpuOnly;
  cpp.levels.clear();
  cpp.gpuProfile = codegen::findGpuProfile(options.gpu);
  for (const codegen::InstructionSet *level : codegen::findTarget(options.target)->levels)
    cpp.levels.push_back({level->identifier(), level->cpuFeatures, level->isForIntegers});
  return cpp;
}

bool Compilation::print(PassDiagnostics &passDiagnostics) {
  if (options.action != Action::emit)
    inputHashes.emplace(inputFiles(options, externalFiles));
  const bool isForGpu = codegen::findTarget(options.target)->isGpu;
  if (isForGpu)
    passDiagnostics.expectLimits();
  auto printed = isForGpu ? codegen::printVulkan(*module, printOptions()) : codegen::printCpp(*module, printOptions());
  if (failed(printed))
    reportFailure("printing");
  else
    code = std::move(*printed);
  timer.finish("print");
  if (code && code->model.hostSteps)
    warnOfHostSteps();
  return !diagnostics.hasErrors();
}

/// All of a step's nodes, as far as a line goes.
std::string nodesText(const codegen::StepFact &step) {
  if (step.nodes.empty())
    return "a copy";
  const codegen::NodeFact &node = step.nodes.front();
  const size_t more = step.nodes.size() - 1;
  return "node " + frontend::quoted(node.name) + " (" + frontend::printable(node.op) + ")" +
         (more ? " and " + std::to_string(more) + " more" : "");
}

/// What the processor computes in a program for a GPU.
void Compilation::warnOfHostSteps() {
  constexpr size_t mostListed = 12;
  diagnostics.warning(llvm::Twine(code->model.hostSteps) + " of " + llvm::Twine(code->steps.size()) +
                      " steps have no shader: the processor computes them, between submissions to the GPU");
  size_t count = 0;
  for (const auto &[description, fact] : llvm::zip(code->model.steps, code->steps))
    if (!fact.hostReason.empty() && count++ < mostListed)
      diagnostics.note("step '" + description.identifier + "', " + nodesText(fact) + ": " + fact.hostReason);
  if (count > mostListed)
    diagnostics.note("and " + llvm::Twine(count - mostListed) + " more, which report.json lists");
}

// -------------------------------------------------------------------------------------------------------------- --emit

void Compilation::emit(llvm::function_ref<void(llvm::raw_ostream &)> write) {
  if (options.output.empty())
    return write(out);
  std::string text;
  llvm::raw_string_ostream stream(text);
  write(stream);
  if (llvm::Error error = codegen::writeFileAtomically(options.output, text))
    diagnostics.error(llvm::toString(std::move(error)), ErrorClass::file);
}

void Compilation::emitModule() {
  constexpr int64_t mostElements = 16;
  OpPrintingFlags flags;
  flags.elideLargeElementsAttrs(mostElements);
  flags.elideLargeResourceString(mostElements);
  emit([&](llvm::raw_ostream &os) {
    module->print(os, flags);
    os << "\n";
  });
}

void Compilation::emitCode() {
  emit([&](llvm::raw_ostream &os) {
    for (const auto &[path, text] : code->files)
      os << "//===-- " << path << "\n" << text << "\n";
  });
}

// -------------------------------------------------------------------------------------------------------------- output

void Compilation::write() {
  codegen::Report report = codegen::makeReport(*code, options.target);
  report.quantization = std::move(quantization);
  llvm::Error error = writeOutput(options, executable, *code, report, externalFiles, *inputHashes);
  timer.finish("write");
  llvm::handleAllErrors(
      std::move(error),
      [&](const codegen::FileError &failure) {
        // A folder of somebody else's is none that the system refuses.
        bool isOccupied = failure.getKind() == codegen::FileError::Kind::occupied;
        diagnostics.error(failure.message(), isOccupied ? ErrorClass::usage : ErrorClass::file);
      },
      [&](const llvm::ErrorInfoBase &failure) { diagnostics.error(failure.message(), ErrorClass::internal); });
  if (!diagnostics.hasErrors() && options.verbosity != Verbosity::quiet)
    summarize(report);
}

double percentAbove(uint64_t value, uint64_t base) {
  return base ? 100.0 * (static_cast<double>(value) / static_cast<double>(base) - 1) : 0;
}

void Compilation::summarize(const codegen::Report &report) {
  using codegen::bytesText;
  out << report.model << ": " << report.steps.size() << " steps, ";
  if (report.gpu)
    out << report.gpu->shaders << " shaders, " << report.gpu->dispatches << " dispatches, " << report.gpu->barriers
        << " barriers, ";
  out << "arena " << bytesText(report.arenaBytes);
  if (report.arenaBytesPerThread)
    out << " and " << bytesText(report.arenaBytesPerThread) << " for each thread after the first";
  out << ", weights " << bytesText(report.weightsBytes);
  if (report.macs)
    out << ", " << codegen::macsText(report.macs);
  out << "\n";
  if (options.verbosity == Verbosity::verbose)
    printMemoryPlan(report);
}

/// Optimal is what the planner proved to be so. Steps of a GPU get another order afterwards, of which it proved nothing.
void Compilation::printMemoryPlan(const codegen::Report &report) {
  auto function = *module->getOps<func::FuncOp>().begin();
  const auto isProven = [&](StringRef name) { return function->hasAttr(name) && !report.gpu; };
  const char *arena = isProven("aotc.arena_optimal") ? " (optimal for its order of steps)" : "";
  const char *order = isProven("aotc.order_optimal") ? " (optimal)" : "";
  out << llvm::formatv(
      "arena      {0} bytes{1}, {2:f1} % above its peak of {3}{4}, which is {5:f1} % above the bound of {6}\n",
      report.arenaBytes, arena, percentAbove(report.arenaBytes, report.peakBytes), report.peakBytes, order,
      percentAbove(report.peakBytes, report.lowerBoundBytes), report.lowerBoundBytes);
}

void Compilation::run() {
  if (!import() || !quantize())
    return;
  PassDiagnostics passDiagnostics(&context, diagnostics);
  if (!lower(passDiagnostics) || !print(passDiagnostics))
    return;
  if (isEmitting(EmitStage::cpp))
    return emitCode();
  write();
}

} // namespace

int compileModel(const Options &options, StringRef executable, Diagnostics &diagnostics, llvm::raw_ostream &out) {
  Compilation(options, executable, diagnostics, out).run();
  return diagnostics.exitCode();
}

} // namespace aotc::driver
