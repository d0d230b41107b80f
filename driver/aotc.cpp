// aotc: compiles an ONNX model to a folder of C++. Command line in, exit code out; everything else is in the files
// beside.
#include "driver/Compile.h"
#include "driver/Output.h"
#include "frontend/onnx/Describe.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/FileSystem.h"

#include <cstdlib>

using aotc::frontend::Diagnostics;
using aotc::frontend::ErrorClass;

namespace {

constexpr int usageCode = static_cast<int>(ErrorClass::usage);
constexpr int internalCode = static_cast<int>(ErrorClass::internal);

/// What LLVM calls where it cannot go on; it would end with exit code 1.
void failInternally(void *, const char *reason, bool) {
  llvm::errs() << "aotc: internal error: " << reason << "\n";
  std::_Exit(internalCode);
}

int runAction(const aotc::driver::Options &options, llvm::StringRef executable, Diagnostics &diagnostics) {
  using aotc::driver::Action;
  switch (options.action) {
  case Action::printHelp:
    aotc::driver::printHelp(llvm::outs());
    return 0;
  case Action::printVersion:
    llvm::outs() << "aotc " << aotc::driver::version() << "\n";
    return 0;
  case Action::describe:
    aotc::frontend::describeModel(options.model, options.import.graph, llvm::outs(), diagnostics);
    return diagnostics.exitCode();
  case Action::compile:
  case Action::emit:
    return aotc::driver::compileModel(options, executable, diagnostics, llvm::outs());
  }
  llvm_unreachable("an action without a branch");
}

} // namespace

int main(int argc, char **argv) {
  llvm::install_fatal_error_handler(failInternally);
  llvm::install_bad_alloc_error_handler(failInternally);
  std::string executable = llvm::sys::fs::getMainExecutable(argv[0], reinterpret_cast<void *>(&main));
  llvm::SmallVector<llvm::StringRef> arguments(argv + 1, argv + argc);
  llvm::Expected<aotc::driver::Options> options = aotc::driver::parseOptions(arguments);
  if (!options) {
    llvm::errs() << "aotc: " << llvm::toString(options.takeError()) << "\nnote: 'aotc --help' lists all options\n";
    return usageCode;
  }
  Diagnostics diagnostics(options->model, llvm::errs());
  diagnostics.setQuiet(options->verbosity == aotc::driver::Verbosity::quiet);
  int code = runAction(*options, executable, diagnostics);
  llvm::outs().flush();
  if (llvm::outs().has_error()) { // a full disk, a closed pipe
    llvm::errs() << "aotc: standard output: cannot write: "
                 << aotc::frontend::systemReason(llvm::outs().error().value()) << "\n";
    llvm::outs().clear_error();
    return code ? code : static_cast<int>(ErrorClass::file);
  }
  return code;
}
