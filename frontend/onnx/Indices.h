// What operators that index have in common: the type of indices, and the range of those that are known when compiling.
#pragma once

#include "frontend/onnx/NodeBuilder.h"

namespace aotc::frontend {

/// Whether input `index` is of int32 or int64; an error where it is not.
bool areIndices(NodeBuilder &node, size_t index);

/// An error where an element of input `index` is known and lies outside [-extent, extent). In rows of `extents.size()`
/// elements, each has an extent of its own. Unknown extents are not held against anything.
void checkKnownIndices(NodeBuilder &node, size_t index, llvm::ArrayRef<int64_t> extents);

/// The one element of input `index`, which must be known when compiling: a scalar or a tensor of one element.
/// `byDefault` where the input is left out or after an error.
int64_t readInt(NodeBuilder &node, size_t index, int64_t byDefault);

} // namespace aotc::frontend
