// Products and quotients by one are what they multiply or divide: exporters leave them behind where a factor is folded
// into weights.
#ifndef AOTC_LOWERING_SIMPLIFY_NEUTRALOPERANDS_H
#define AOTC_LOWERING_SIMPLIFY_NEUTRALOPERANDS_H

#include "mlir/IR/PatternMatch.h"

namespace aotc::simplify {

// nn.mul %x, 1   ==>   %x, and nn.div likewise. Sums with zero stay: -0 + 0 is 0.
void addNeutralOperands(mlir::RewritePatternSet &patterns);

} // namespace aotc::simplify

#endif
