// Floats narrower than f32 between two computations: nothing moves them as what they are, and nothing rounds them twice.
#ifndef AOTC_LOWERING_SIMPLIFY_NARROWFLOATS_H
#define AOTC_LOWERING_SIMPLIFY_NARROWFLOATS_H

#include "mlir/IR/PatternMatch.h"

namespace aotc::simplify {

// nn.cast to f32 of nn.transpose of nn.cast %x to f16   ==>   nn.transpose of nn.round_to %x {f16}
// nn.round_to {f16} of nn.max of numbers that are f16   ==>   nn.max
void addNarrowFloats(mlir::RewritePatternSet &patterns);

} // namespace aotc::simplify

#endif
