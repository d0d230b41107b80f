// Reads from top to bottom: Compilation::run() is the road, the functions above it are its stages.
#include "driver/Compile.h"

#include "codegen/bundle/FileIo.h"
#include "codegen/cpp/Names.h"
#include "codegen/cpp/Program.h"
#include "codegen/cpp/Text.h"
#include "codegen/target/Target.h"
#include "driver/Output.h"
#include "driver/PassDiagnostics.h"
#include "lowering/Pipeline.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

#include <chrono>

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
  bool runPasses(StringRef stage, void (*addPasses)(OpPassManager &));
  bool lower(PassDiagnostics &passDiagnostics);
  bool print();
  void emit(llvm::function_ref<void(llvm::raw_ostream &)> write);
  void emitModule();
  void emitCode();
  void write();
  void summarize();
  void reportFailure(StringRef stage);

  const Options &options;
  StringRef executable;
  Diagnostics &diagnostics;
  llvm::raw_ostream &out;
  MLIRContext context;
  StageTimer timer;
  OwningOpRef<ModuleOp> module;
  std::set<std::string> externalFiles;
  std::unique_ptr<codegen::GeneratedCode> code;
};

DialectRegistry Compilation::makeRegistry() {
  DialectRegistry registry;
  registerDialects(registry);
  return registry;
}

// ------------------------------------------------------------------------------------------------------------------
// stages
bool Compilation::import() {
  auto imported = frontend::importModel(options.model, options.import, context, diagnostics);
  if (!imported)
    return false;
  module = std::move(imported->module);
  externalFiles = std::move(imported->externalFiles);
  timer.finish("import");
  return true;
}

/// A stage that fails must have said why.
void Compilation::reportFailure(StringRef stage) {
  if (!diagnostics.hasErrors())
    diagnostics.error("internal error: " + stage + " failed without saying why", ErrorClass::internal);
}

bool Compilation::runPasses(StringRef stage, void (*addPasses)(OpPassManager &)) {
  PassManager passes(&context);
  passes.enableVerifier(true);
  addPasses(passes);
  if (failed(passes.run(*module)))
    reportFailure(stage);
  timer.finish(stage);
  return !diagnostics.hasErrors();
}

/// True if there is more to do.
bool Compilation::lower(PassDiagnostics &passDiagnostics) {
  if (!runPasses("graph", addGraphPasses))
    return false;
  if (isEmitting(EmitStage::nn))
    return emitModule(), false;
  if (!runPasses("kernels", addKernelPasses))
    return false;
  if (isEmitting(EmitStage::kern))
    return emitModule(), false;
  passDiagnostics.expectNoErrors();
  if (!runPasses("plan", addPlanPasses))
    return false;
  if (isEmitting(EmitStage::plan))
    return emitModule(), false;
  return true;
}

bool Compilation::print() {
  codegen::CppOptions cpp;
  cpp.name = options.name.empty() ? codegen::cleanModelName(llvm::sys::path::stem(options.model)) : options.name;
  cpp.toolVersion = version().str();
  cpp.weightsMode = options.weightsInFile ? codegen::WeightsMode::File : codegen::WeightsMode::Embed;
  cpp.maxThreads = options.threads;
  cpp.levels.clear();
  for (const codegen::InstructionSet *level : codegen::findTarget(options.target)->levels)
    cpp.levels.push_back({level->identifier(), level->cpuFeatures});
  auto printed = codegen::printCpp(*module, cpp);
  if (failed(printed))
    reportFailure("printing");
  else
    code = std::move(*printed);
  timer.finish("print");
  return !diagnostics.hasErrors();
}

// ------------------------------------------------------------------------------------------------------------------
// --emit
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

// ------------------------------------------------------------------------------------------------------------------
// output
void Compilation::write() {
  llvm::Error error = writeOutput(options, executable, *code, externalFiles);
  timer.finish("write");
  llvm::handleAllErrors(
      std::move(error),
      [&](const codegen::FileError &failure) { diagnostics.error(failure.message(), ErrorClass::file); },
      [&](const llvm::ErrorInfoBase &failure) { diagnostics.error(failure.message(), ErrorClass::internal); });
}

std::string bytesText(uint64_t bytes) {
  if (bytes < 10000)
    return std::to_string(bytes) + " B";
  return llvm::formatv("{0:f1} {1}", bytes < (10u << 20) ? double(bytes) / 1024 : double(bytes) / (1 << 20),
                       bytes < (10u << 20) ? "KiB" : "MiB");
}

void Compilation::summarize() {
  if (options.verbosity == Verbosity::quiet)
    return;
  const codegen::ModelDescription &model = code->model;
  out << model.name << ": " << model.steps.size() << " steps, arena " << bytesText(model.arenaBytes);
  if (model.arenaBytesPerThread)
    out << " and " << bytesText(model.arenaBytesPerThread) << " for each thread";
  out << ", weights " << bytesText(model.weightsBytes);
  if (model.macs())
    out << ", " << codegen::macsText(model.macs());
  out << "\n";
  if (options.verbosity != Verbosity::verbose)
    return;
  double gap = model.lowerBoundBytes ? 100.0 * (double(model.arenaBytes) / double(model.lowerBoundBytes) - 1) : 0;
  out << llvm::formatv("arena      {0} bytes, lower bound {1} bytes, gap {2:f1} %\n", model.arenaBytes,
                       model.lowerBoundBytes, gap);
}

void Compilation::run() {
  if (!import())
    return;
  PassDiagnostics passDiagnostics(&context, diagnostics);
  if (!lower(passDiagnostics) || !print())
    return;
  if (isEmitting(EmitStage::cpp))
    return emitCode();
  write();
  if (!diagnostics.hasErrors())
    summarize();
}

} // namespace

int compileModel(const Options &options, StringRef executable, Diagnostics &diagnostics, llvm::raw_ostream &out) {
  Compilation(options, executable, diagnostics, out).run();
  return diagnostics.exitCode();
}

} // namespace aotc::driver
