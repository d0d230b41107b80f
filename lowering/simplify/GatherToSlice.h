// A gather at indices known ahead of time that lie evenly spaced is a slice, and so a view of its operand.
#ifndef AOTC_LOWERING_SIMPLIFY_GATHERTOSLICE_H
#define AOTC_LOWERING_SIMPLIFY_GATHERTOSLICE_H

#include "mlir/IR/PatternMatch.h"

namespace aotc::simplify {

// nn.gather %x at [3, 4, 5] along 1   ==>   nn.slice %x from 3, then nn.reshape where the indices are no list
void addGatherToSlice(mlir::RewritePatternSet &patterns);

} // namespace aotc::simplify

#endif
