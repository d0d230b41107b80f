#include "driver/calibration/ObservingProgram.h"

#include "codegen/bundle/Shipped.h"
#include "codegen/bundle/Template.h"
#include "codegen/cpp/Names.h"
#include "codegen/cpp/Program.h"
#include "codegen/target/Target.h"
#include "driver/Output.h"
#include "driver/PassDiagnostics.h"
#include "driver/calibration/HostProgram.h"
#include "lowering/Pipeline.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Threading.h"

#include <cstring>

using namespace mlir;
using namespace aotc::codegen;
using aotc::frontend::Diagnostics;
using aotc::frontend::ErrorClass;

namespace aotc::driver {

static const InstructionSet &hostLevel() { return *findTarget("native")->levels.front(); }

static std::unique_ptr<GeneratedCode> generate(ModuleOp module, StringRef name, const ObservationSetup &setup,
                                               Diagnostics &diagnostics) {
  PassDiagnostics passDiagnostics(module.getContext(), diagnostics);
  PassManager passes(module.getContext());
  addGraphPasses(passes);
  addKernelPasses(passes);
  addPlanPasses(passes);
  CppOptions options;
  options.name = name.str();
  options.toolVersion = version().str();
  options.maxThreads = setup.mostThreads;
  options.levels = {{hostLevel().identifier(), {}}};
  if (succeeded(passes.run(module)))
    if (auto code = printCpp(module, options); succeeded(code))
      return std::move(*code);
  if (!diagnostics.hasErrors())
    diagnostics.error("internal error: the instrumented model failed to compile without saying why",
                      ErrorClass::internal);
  return nullptr;
}

/// The tools of a model that the program is made of.
static llvm::Error addTools(const ShippedSources &sources, const GeneratedCode &code, Bundle &bundle) {
  for (StringRef tool : {"tools/session.hpp", "tools/observe.cpp"}) {
    std::string name = (tool + ".in").str();
    llvm::Expected<std::string> text = readProjectTemplate(sources, name);
    if (!text)
      return text.takeError();
    llvm::Expected<std::string> filled =
        fillTemplate(name, *text, {{"NAME", code.model.name}, {"CAPS", macroIdentifier(code.model.name)}});
    if (!filled)
      return filled.takeError();
    bundle.addText(tool, std::move(*filled));
  }
  bundle.addFile("tools/npy.hpp", sources.project + "/tools/npy.hpp");
  return llvm::Error::success();
}

static llvm::Error writeSources(const GeneratedCode &code, StringRef executable, StringRef folder) {
  llvm::Expected<ShippedSources> sources = findShippedSources(executable);
  if (!sources)
    return sources.takeError();
  Bundle bundle;
  for (const auto &[path, text] : code.files)
    bundle.addText(path, text);
  bundle.addBytes("src/" + code.model.name + "_weights.bin", code.weights.pieces(), code.model.weightsHash);
  if (llvm::Error error = addShippedSources(*sources, code.shippedHeaders, findTarget("native")->unit, bundle))
    return error;
  if (llvm::Error error = addTools(*sources, code, bundle))
    return error;
  return bundle.write(folder, {});
}

/// As templates/project/aotc_model.cmake has it. One command for each source, and one that links.
static llvm::Error compile(const std::vector<std::string> &compiler, StringRef name, const std::string &folder,
                           const std::string &program) {
  std::vector<std::string> common = compiler, link = compiler;
  for (const char *option : {"-std=c++17", "-O3", "-pthread", "-ffp-contract=off", "-c"})
    common.push_back(option);
  for (const char *include : {"/include", "/runtime", "/kernels", "/src"})
    common.push_back("-I" + folder + include);
  common.insert(common.end(), {"-isystem", folder + "/third_party/xsimd", "-DAOTC_LEVEL=" + hostLevel().identifier(),
                               "-DAOTC_NAMESPACE=observed_" + hostLevel().identifier()});
  if (hostLevel().isScalar())
    common.push_back("-DAOTC_SCALAR=1");
  common.insert(common.end(), hostLevel().compilerFlags.begin(), hostLevel().compilerFlags.end());
  std::string source = "src/" + name.str();
  std::vector<std::vector<std::string>> commands;
  for (const std::string &file : {source + "_kernels_0.cpp", source + "_kernels_1.cpp", source + "_kernels_2.cpp",
                                  source + "_kernels_3.cpp", source + ".cpp", std::string("tools/observe.cpp"),
                                  std::string("runtime/aotc/thread_pool.cpp"), source + "_weights.S"}) {
    std::vector<std::string> &command = commands.emplace_back(common);
    std::string object = folder + "/object_" + std::to_string(commands.size()) + ".o";
    command.insert(command.end(), {folder + "/" + file, "-o", object});
    link.push_back(object);
  }
  link.insert(link.end(), {"-pthread", "-o", program});
  if (llvm::Error error = runCommands(commands, folder, false))
    return error;
  return runCommands({link}, folder, false);
}

/// What several commands say alike, once.
static void report(llvm::Error error, StringRef what, Diagnostics &diagnostics) {
  llvm::StringSet<> said;
  llvm::handleAllErrors(
      std::move(error),
      [&](const FileError &failure) {
        if (said.insert(failure.message()).second)
          diagnostics.error(failure.message(), ErrorClass::file);
      },
      [&](const llvm::ErrorInfoBase &failure) {
        if (said.insert(failure.message()).second)
          diagnostics.error(what + ": " + failure.message());
      });
}

std::optional<ObservingProgram> ObservingProgram::build(ModuleOp module, StringRef name, const ObservationSetup &setup,
                                                        Diagnostics &diagnostics) {
  std::unique_ptr<GeneratedCode> code = generate(module, name, setup, diagnostics);
  if (!code)
    return std::nullopt;
  std::string folder = setup.folder + "/" + name.str(), program = folder + "/observe";
  if (setup.showsProgress) // it takes longer than to run over most samples
    llvm::errs() << "building the " << name << " model\n";
  llvm::Error error = writeSources(*code, setup.executable, folder);
  if (!error)
    error = compile(setup.compiler, name, folder, program);
  if (!error)
    return ObservingProgram(program, setup);
  report(std::move(error), "the instrumented model cannot be built", diagnostics);
  return std::nullopt;
}

// ------------------------------------------------------------------------------------------------------------ running
static std::string tensorsText(const std::vector<Observation> &observations) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  auto number = [](double value) { return llvm::format(" %.17g", value); };
  for (const Observation &observation : observations) {
    stream << observation.channelAxis << number(observation.low) << number(observation.high) << " "
           << observation.divisors.size();
    for (double divisor : observation.divisors)
      stream << number(divisor);
    stream << "\n";
  }
  return text;
}

/// Numbers behind their number, one such list for each result.
static std::optional<std::vector<std::vector<double>>> readResults(const std::string &path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file)
    return std::nullopt;
  StringRef bytes = (*file)->getBuffer();
  std::vector<double> numbers(bytes.size() / sizeof(double));
  std::memcpy(numbers.data(), bytes.data(), numbers.size() * sizeof(double));
  std::vector<std::vector<double>> results;
  for (size_t place = 0; place < numbers.size();) {
    auto count = static_cast<size_t>(numbers[place++]);
    if (count > numbers.size() - place)
      return std::nullopt;
    auto begin = numbers.begin() + static_cast<std::ptrdiff_t>(place);
    results.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(count));
    place += count;
  }
  return results;
}

std::optional<std::vector<std::vector<double>>> ObservingProgram::observe(StringRef what, StringRef progress,
                                                                          const std::vector<Observation> &observations,
                                                                          Diagnostics &diagnostics) const {
  std::string tensors = program + ".tensors", results = program + ".results";
  unsigned threads = std::min(static_cast<unsigned>(setup.mostThreads),
                              std::max(1u, llvm::hardware_concurrency().compute_thread_count()));
  std::vector<std::string> command = {program,
                                      "--what",
                                      what.str(),
                                      "--samples",
                                      setup.samples,
                                      "--count",
                                      std::to_string(setup.sampleCount),
                                      "--tensors",
                                      tensors,
                                      "--results",
                                      results,
                                      "--threads",
                                      std::to_string(threads)};
  if (setup.showsProgress)
    command.insert(command.end(), {"--progress", progress.str()});
  llvm::Error error = writeFileAtomically(tensors, tensorsText(observations));
  if (!error)
    error = runCommands({command}, setup.folder, setup.showsProgress);
  if (error) {
    report(std::move(error), "the instrumented model cannot be run", diagnostics);
    return std::nullopt;
  }
  auto found = readResults(results);
  if (!found)
    diagnostics.error("internal error: the instrumented model wrote no results", ErrorClass::internal);
  return found;
}

} // namespace aotc::driver
