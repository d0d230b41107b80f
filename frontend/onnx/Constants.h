// Tensors of the model as MLIR attributes. Large weights become resources on the bytes that are there already: the
// parsed string or the mapped file, without another copy.
#pragma once

#include "frontend/onnx/TensorData.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectResourceBlobManager.h"

#include <map>

namespace aotc::frontend {

/// bool -> i1, int8 … -> i8 …, uint8 … -> ui8 …, floats; null for element types that have no form in the compiler
/// (strings, complex numbers, the newest small floats).
mlir::Type mlirElementType(int32_t elementType, mlir::MLIRContext *context);

/// Makes attributes, and the same resource for the same bytes.
class Constants {
public:
  explicit Constants(mlir::MLIRContext *context) : context(context) {}

  /// Takes the bytes over. Integers, bools and anything up to 1 KiB become dense elements, the rest resources named by
  /// a hash of their content. Null after an error about `what`: an element type without a form in the compiler.
  mlir::ElementsAttr get(TensorData tensor, const std::string &what, Diagnostics &diagnostics);

private:
  mlir::ElementsAttr getResource(mlir::RankedTensorType type, SharedBytes bytes);

  mlir::MLIRContext *context;
  /// By hash; equal hashes are compared byte by byte.
  std::multimap<uint64_t, mlir::DenseResourceElementsHandle> resources;
};

} // namespace aotc::frontend
