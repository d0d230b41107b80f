// Tensors cut into parts along one dimension, and put together again. Extents along that dimension are known when
// compiling.
#pragma once

#include "frontend/onnx/NodeBuilder.h"

namespace aotc::frontend {

/// The slices [begin, end) of `x` along `axis`; x itself where those are all.
mlir::Value createPart(NodeBuilder &node, mlir::Value x, int64_t axis, int64_t begin, int64_t end);

/// Slice `index` of `x` along `axis`, without that dimension.
mlir::Value createSlot(NodeBuilder &node, mlir::Value x, int64_t axis, int64_t index);

/// Values of one type put together along a new dimension `axis`. An error where the types differ; there is at least
/// one.
mlir::Value createStack(NodeBuilder &node, llvm::ArrayRef<mlir::Value> values, int64_t axis);

} // namespace aotc::frontend
