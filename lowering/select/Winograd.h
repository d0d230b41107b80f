// Which convolutions are computed by Winograd's algorithm, F(4x4, 3x3): 36 products for 16 results instead of 144, for
// four times the weights and scratch memory. Decides; packs and changes nothing.
#ifndef AOTC_LOWERING_SELECT_WINOGRAD_H
#define AOTC_LOWERING_SELECT_WINOGRAD_H

#include "ir/kern/Dialect.h"
#include "lowering/select/LiveBytes.h"

namespace aotc::select {

// Whether the kernel can compute `conv`, whose weights are [o, i, 3, 3], is faster at it than the direct one, and has
// scratch memory that lets the largest sum of live bytes grow by no more than a quarter.
bool prefersWinograd(kern::Conv2DOp conv, const LiveBytes &live);

} // namespace aotc::select

#endif
