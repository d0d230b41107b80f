// What several operators do along axes. All return null after an error.
#pragma once

#include "frontend/onnx/NodeBuilder.h"

namespace aotc::frontend {

/// exp(x) / sum(exp(x)), or the logarithm of that.
mlir::Value createSoftmax(NodeBuilder &node, mlir::Value x, int64_t axis, bool logarithm);

/// Of integers it is cut off. An error where the number of elements is known at run time only, unless they are f32.
mlir::Value createMean(NodeBuilder &node, mlir::Value x, llvm::ArrayRef<int64_t> axes, bool keepDims);

/// The extent of dimension 1 of x [N, C, …]. Nothing, and an error, where it is known at run time only.
std::optional<int64_t> channelsOf(NodeBuilder &node, mlir::Value x);

/// The numbers 0 … count - 1 (i64) along dimension `axis` of `rank`, the other extents being 1.
mlir::Value createPlaces(NodeBuilder &node, int64_t count, int64_t axis, int64_t rank);

} // namespace aotc::frontend
