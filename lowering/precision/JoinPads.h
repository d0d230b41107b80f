// Pads written out in front of convolutions of bytes.
#ifndef AOTC_LOWERING_PRECISION_JOINPADS_H
#define AOTC_LOWERING_PRECISION_JOINPADS_H

#include "mlir/IR/PatternMatch.h"

namespace aotc::precision {

// nn.conv (nn.dequantize (nn.pad %x by the zero point))   ==>   nn.conv (nn.dequantize %x) with larger pads
//
// Kernels write out pads where they copy the rows that they read, so that a padded image of its own only costs memory.
void populateJoinPads(mlir::RewritePatternSet &patterns);

} // namespace aotc::precision

#endif
