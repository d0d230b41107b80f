// Modules that are run only to be looked at: copies of a model that return tensors from within it.
#ifndef AOTC_DRIVER_CALIBRATION_INSTRUMENT_H
#define AOTC_DRIVER_CALIBRATION_INSTRUMENT_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace aotc::driver {

/// The function of a model.
mlir::func::FuncOp mainOf(mlir::ModuleOp module);

/// A copy of the module whose function returns `results`, tensors of it, in a context of its own: the passes free
/// weights as soon as they are done with them, and the module still needs its own.
mlir::OwningOpRef<mlir::ModuleOp> copyReturning(mlir::ModuleOp module, llvm::ArrayRef<mlir::Value> results,
                                                mlir::MLIRContext &context);

/// Makes `first` compute what `second` does too, from the same arguments; its results come first. Both are of one
/// context and have equal arguments; `second` is empty afterwards.
void joinModules(mlir::ModuleOp first, mlir::ModuleOp second);

} // namespace aotc::driver

#endif // AOTC_DRIVER_CALIBRATION_INSTRUMENT_H
