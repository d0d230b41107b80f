// Sequences and optionals while the model is imported: lists of values that are known when compiling. They stand among
// the other values as casts to a type that nothing else has, so that every list of values can hold them; none is left
// once the module is built. An optional with an element is that element.
#pragma once

#include "mlir/IR/Builders.h"

namespace aotc::frontend {

mlir::Value createSequence(mlir::OpBuilder &builder, mlir::Location location, mlir::ValueRange elements);
bool isSequence(mlir::Value value);
llvm::SmallVector<mlir::Value> elementsOf(mlir::Value sequence);

/// An optional without an element.
mlir::Value createNothing(mlir::OpBuilder &builder, mlir::Location location);
bool isNothing(mlir::Value value);

/// Whether the value is neither of these.
bool isTensor(mlir::Value value);

} // namespace aotc::frontend
