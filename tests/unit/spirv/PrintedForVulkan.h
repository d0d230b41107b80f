// Planned modules written by hand, printed for Vulkan.
#pragma once
#include "codegen/spirv/Vulkan.h"

#include "PlannedModule.h"

namespace aotc::test {

class PrintedForVulkan {
public:
  PrintedForVulkan(const std::string &text, codegen::GpuProgramBuilder build) : context(PlannedModule::registry()) {
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      llvm::raw_string_ostream(diagnostics) << diagnostic << "\n";
      return mlir::success();
    });
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    codegen::CppOptions options;
    options.name = "net";
    options.toolVersion = "0.1.0";
    options.maxThreads = 1;
    if (module)
      if (auto printed = codegen::printVulkan(*module, options, build); mlir::succeeded(printed))
        code = std::move(*printed);
  }
  std::string file(const std::string &path) const { return code ? code->files[path] : ""; }

  std::unique_ptr<codegen::GeneratedCode> code; ///< null where printing failed
  std::string diagnostics;

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

} // namespace aotc::test
