// Conversion between element types, for Cast and for what ends with one.
#pragma once

#include "frontend/onnx/NodeBuilder.h"

namespace aotc::frontend {

/// x as elements of type `to`. The node's 'saturate' says what 8-bit floats do with what is too large for them.
mlir::Value convertElements(NodeBuilder &node, mlir::Value x, mlir::Type to);

} // namespace aotc::frontend
