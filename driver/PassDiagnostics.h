// MLIR's diagnostics in the house form: a location that carries an ONNX node becomes "node 'conv1' (Conv, opset 17):
// …", and a broken invariant is told apart from a model that cannot be compiled. Prints through the front end's
// Diagnostics.
#ifndef AOTC_DRIVER_PASSDIAGNOSTICS_H
#define AOTC_DRIVER_PASSDIAGNOSTICS_H

#include "frontend/onnx/Diagnostics.h"

#include "mlir/IR/Diagnostics.h"

namespace aotc::driver {

/// Catches what is emitted in `context` while it lives.
class PassDiagnostics {
public:
  /// Until expectNoErrors() is called, an error at an op that stands for an ONNX node is about the model, unless it was
  /// emitted by the op's verifier. Everything else is a mistake of ours, exit code 70.
  PassDiagnostics(mlir::MLIRContext *context, frontend::Diagnostics &diagnostics);

  /// From here on the model is known to be fine: each error is a mistake of ours.
  void expectNoErrors() { blame = Blame::compiler; }
  /// From here on each error is about what the target cannot do with the model, at whatever op it is.
  void expectLimits() { blame = Blame::model; }

private:
  void report(mlir::Diagnostic &diagnostic);
  void reportError(mlir::Diagnostic &diagnostic, std::string message);

  frontend::Diagnostics &diagnostics;
  enum class Blame { byPlace, compiler, model } blame = Blame::byPlace;
  mlir::ScopedDiagnosticHandler handler;
};

/// "node 'conv1' (Conv, opset 17)", with the number of others where the location stands for several; "" where it stands
/// for none.
std::string describeNodes(mlir::Location location);

} // namespace aotc::driver

#endif // AOTC_DRIVER_PASSDIAGNOSTICS_H
