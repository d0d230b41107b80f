// Moves a reshape from before an element-wise op to after it, so that the op meets the kernel that feeds it.
#ifndef AOTC_LOWERING_FUSE_SINK_RESHAPES_H
#define AOTC_LOWERING_FUSE_SINK_RESHAPES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace aotc::fuse {

//   %1 = tensor.collapse_shape %kernel : 1x8x64 -> 8x64    ==>    %2 = linalg.generic ins(%kernel, %bias) : 1x8x64
//   %2 = linalg.generic ins(%1, %bias) : 8x64                     %3 = tensor.collapse_shape %2 : 8x64
//
// Returns the generic that now stands for `op`: a new one where a reshape was moved, else `op` itself.
mlir::linalg::GenericOp sinkReshapes(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op);

} // namespace aotc::fuse

#endif
