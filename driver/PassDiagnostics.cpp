// The rules that tell whose mistake an error is; see the header.
#include "driver/PassDiagnostics.h"

#include "ir/nn/Dialect.h"

using aotc::frontend::ErrorClass;
using aotc::frontend::quoted;
using llvm::StringRef;

namespace aotc::driver {

/// emitOpError() begins with the op's name in quotes: verifiers use it, and nobody else should.
static bool isOpError(StringRef message) { return message.consume_front("'") && message.contains("' op "); }

/// Dialect conversion adds this after whatever the pattern itself had to say.
static bool isLegalization(StringRef message) { return message.starts_with("failed to legalize operation"); }

std::string describeNodes(mlir::Location location) {
  llvm::SmallVector<nn::NodeAttr> nodes = nn::nodesOf(location);
  if (nodes.empty())
    return "";
  nn::NodeAttr node = nodes.front();
  std::string text = "node " + quoted(node.getName()) + " (" + frontend::printable(node.getOp()) + ", opset " +
                     std::to_string(node.getOpset()) + ")";
  return nodes.size() == 1 ? text : text + " and " + std::to_string(nodes.size() - 1) + " more";
}

PassDiagnostics::PassDiagnostics(mlir::MLIRContext *context, frontend::Diagnostics &diagnostics)
    : diagnostics(diagnostics), handler(context, [this](mlir::Diagnostic &diagnostic) {
        report(diagnostic);
        return mlir::success();
      }) {}

void PassDiagnostics::reportError(mlir::Diagnostic &diagnostic, std::string message) {
  std::string nodes = describeNodes(diagnostic.getLocation());
  std::string prefix = nodes.empty() ? "" : nodes + ": ";
  bool isInternal = blame == Blame::compiler || (blame == Blame::byPlace && nodes.empty()) || isOpError(message);
  if (isLegalization(message)) {
    if (diagnostics.hasErrors())
      return;
    message = "the operator is not supported in this form";
  }
  if (isInternal)
    diagnostics.error("internal error: " + prefix + frontend::printable(message), ErrorClass::internal);
  else
    diagnostics.error(prefix + message);
}

void PassDiagnostics::report(mlir::Diagnostic &diagnostic) {
  std::string message = diagnostic.str();
  switch (diagnostic.getSeverity()) {
  case mlir::DiagnosticSeverity::Error:
    reportError(diagnostic, std::move(message));
    // Notes of an op are dumps of it: of use to nobody but us.
    break;
  case mlir::DiagnosticSeverity::Warning: {
    std::string nodes = describeNodes(diagnostic.getLocation());
    diagnostics.warning((nodes.empty() ? "" : nodes + ": ") + message);
    break;
  }
  case mlir::DiagnosticSeverity::Remark:
    diagnostics.remark(message);
    break;
  case mlir::DiagnosticSeverity::Note:
    break;
  }
}

} // namespace aotc::driver
