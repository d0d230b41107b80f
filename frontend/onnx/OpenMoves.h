// Moves along a dimension whose extent only the run knows, where they do not go forward through all elements: gathers.
#pragma once

#include "frontend/onnx/NodeBuilder.h"

namespace aotc::frontend {

/// x[::step] along `axis` for a step below 0.
mlir::Value createReversed(NodeBuilder &node, mlir::Value x, size_t axis, int64_t step);

/// `low` elements before and `high` behind those of `axis`, both at least 0, taken from what is there: `mode` is not
/// Constant. An error where there may be too few.
mlir::Value createMirrored(NodeBuilder &node, mlir::Value x, size_t axis, int64_t low, int64_t high, nn::PadMode mode);

} // namespace aotc::frontend
