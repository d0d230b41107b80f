// Tensors cut into parts along one dimension, whose extent is known when compiling, and put together again; positions
// along a dimension.
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

/// The most positions that are numbered.
constexpr int64_t mostCounted = 1 << 26;

/// 0, 1, … `count` - 1 as i64, along dimension `dim` of `rank`: those of the largest count there may be, cut to the
/// run's.
mlir::Value createCounts(NodeBuilder &node, mlir::AffineExpr count, size_t dim, size_t rank);

} // namespace aotc::frontend
