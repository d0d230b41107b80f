// Ops that only limit values to at most or at least some constants: relu, and min and max with a constant.
#ifndef AOTC_LOWERING_PRECISION_LIMIT_H
#define AOTC_LOWERING_PRECISION_LIMIT_H

#include "ir/nn/Dialect.h"
#include "ir/nn/HostTensor.h"
#include <optional>

namespace aotc::precision {

struct Limit {
  mlir::Operation *op;
  unsigned operand;      // which of its operands is limited
  bool isUpper;          // at most the bounds, else at least
  nn::HostTensor bounds; // as they broadcast to the result; none is NaN

  mlir::Value x() const { return op->getOperand(operand); }
  bool isNumber() const { return bounds.size() == 1; }
  bool isZero() const { return isNumber() && bounds.toDouble(0) == 0; }
  // The bound of each channel of an image, so many of them; nothing where it differs within one.
  std::optional<llvm::SmallVector<double>> perChannel(size_t channels) const;
};

// Nothing for other ops, and for null.
std::optional<Limit> limitOf(mlir::Operation *op);

} // namespace aotc::precision

#endif
