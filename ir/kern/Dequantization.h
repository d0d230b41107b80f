// Bytes that a kernel reads as the real values they stand for: an attribute on its op, for its first input.
#ifndef AOTC_IR_KERN_DEQUANTIZATION_H
#define AOTC_IR_KERN_DEQUANTIZATION_H

#include "mlir/IR/Operation.h"

#include <optional>

namespace aotc::kern {

// float(x - zeroPoint) * scale, in f32.
struct Dequantization {
  float scale;
  int64_t zeroPoint;
  bool isUnsigned;
};

// Nothing where the op reads its first input as it is.
std::optional<Dequantization> dequantizationOf(mlir::Operation *op);
void setDequantization(mlir::Operation *op, const Dequantization &dequantization);

} // namespace aotc::kern

#endif
