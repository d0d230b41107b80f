// Kernels that take strides read and write transposed tensors where they are, such as the heads of attention beside
// each other in a row.
//
//   linalg.transpose ins(%x) outs(%t)          ==>   %t = memref.reinterpret_cast %x
//   kern.attention ins(%t, ...)                      kern.attention ins(%t, ...)
//
//   kern.attention ins(..., %y)                ==>   %y = memref.reinterpret_cast %t
//   linalg.transpose ins(%y) outs(%t)                kern.attention ins(..., %y)
#ifndef AOTC_LOWERING_PLAN_ELIDETRANSPOSES_H
#define AOTC_LOWERING_PLAN_ELIDETRANSPOSES_H

#include "mlir/IR/Block.h"

namespace aotc::plan {

// All allocations of `block` stand before `anchor`, where views of them are built.
void elideTransposes(mlir::Block &block, mlir::Operation *anchor);

} // namespace aotc::plan

#endif
