// Reads what a planned module says about itself: inputs, outputs, bounded dims, sizes, and the bytes of its constants.
// Prints nothing.
#ifndef AOTC_CODEGEN_CPP_MODULEFACTS_H
#define AOTC_CODEGEN_CPP_MODULEFACTS_H

#include "codegen/cpp/Program.h"
#include "codegen/cpp/Values.h"

namespace aotc::codegen {

/// The one function with a body. Fails, with a diagnostic, where there is none or several.
mlir::FailureOr<mlir::func::FuncOp> plannedFunction(mlir::ModuleOp module);

/// Everything that the function's attributes tell; identifiers are assigned. Offsets of outputs and weights are not
/// known here.
mlir::FailureOr<ModelDescription> describeModule(mlir::func::FuncOp function, const CppOptions &options);

/// Appends the elements of the memref.global `name` to `weights`, dense and little-endian, bools as bytes, and returns
/// their offset in bytes. The attribute must outlive `weights`.
mlir::FailureOr<uint64_t> appendGlobal(mlir::ModuleOp module, llvm::StringRef name, WeightsFile &weights,
                                       mlir::Operation *user);

/// Likewise the defaults of inputs that callers need not give (aotc.default); sets their offsets in `model`.
mlir::LogicalResult appendDefaults(mlir::func::FuncOp function, ModelDescription &model, WeightsFile &weights);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_MODULEFACTS_H
