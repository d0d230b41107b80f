// Bytes, type and shape of a TensorProto, checked against each other. It makes no MLIR attribute (Constants.h does).
#pragma once

#include "frontend/onnx/ElementType.h"
#include "frontend/onnx/ExternalData.h"

#include "llvm/ADT/SmallVector.h"

#include <onnx/onnx_pb.h>

#include <optional>
#include <vector>

namespace aotc::frontend {

/// A constant. `data.bytes` are little-endian, C-ordered and exactly as many as type and dims ask for (4- and 2-bit
/// elements are packed, low bits first); they may be unaligned. Strings are in `strings`, their bytes are empty.
struct TensorData {
  int32_t elementType = ElementType::undefined;
  llvm::SmallVector<int64_t, 4> dims;
  SharedBytes data;
  std::vector<std::string> strings;

  /// The product of dims, known not to overflow.
  int64_t getElementCount() const;
};

/// The number of elements, or nothing where a dim is negative or the product of the dims that are not 0 reaches 2^31:
/// generated code counts in int.
std::optional<int64_t> elementCount(llvm::ArrayRef<int64_t> dims);

/// Takes the contents out of `tensor` (its fields are empty afterwards). `what` names the tensor in errors:
/// "initializer 'w'". Returns nothing after an error.
std::optional<TensorData> takeTensorData(onnx::TensorProto &tensor, const std::string &what, ExternalData &external,
                                         Diagnostics &diagnostics);

} // namespace aotc::frontend
