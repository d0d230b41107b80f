// Convolutions of f32 whose every sum is an integer that f32 holds, so that their results are exact. Nothing may make
// them otherwise: no quantization, no products of halves, no transforms.
#ifndef AOTC_IR_NN_EXACT_H
#define AOTC_IR_NN_EXACT_H

#include "mlir/IR/Operation.h"

namespace aotc::nn {

// On the convolution, and on the kernel that it becomes.
constexpr llvm::StringLiteral exactAttrName = "aotc.exact";

inline bool isExact(mlir::Operation *op) { return op->hasAttr(exactAttrName); }
inline void markExact(mlir::Operation *op) { op->setAttr(exactAttrName, mlir::UnitAttr::get(op->getContext())); }

} // namespace aotc::nn

#endif
