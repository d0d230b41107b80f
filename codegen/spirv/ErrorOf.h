// Attempts whose failure is an answer.
#ifndef AOTC_CODEGEN_SPIRV_ERROROF_H
#define AOTC_CODEGEN_SPIRV_ERROROF_H

#include "mlir/IR/Diagnostics.h"

#include <string>

namespace aotc::codegen {

/// The first error that `attempt` reports, which nobody else hears of; empty if it succeeds.
inline std::string errorOf(mlir::MLIRContext *context, llvm::function_ref<mlir::LogicalResult()> attempt) {
  std::string reason;
  mlir::ScopedDiagnosticHandler handler(context, [&](mlir::Diagnostic &diagnostic) {
    if (reason.empty())
      reason = diagnostic.str();
    return mlir::success();
  });
  if (mlir::succeeded(attempt()))
    return "";
  return reason.empty() ? "it has no GPU form" : reason;
}

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_SPIRV_ERROROF_H
