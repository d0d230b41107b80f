// Floats of 16 bits in bodies and epilogues: vectors of f32 are loaded from halves, stored as halves, and rounded to them.
#include "ir/kern/Vectors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace aotc::kern {

static bool isHalf(Type type) { return type.isF16() || type.isBF16(); }

bool isFloatOfHalf(Operation *op) {
  return isa<arith::ExtFOp>(op) && isHalf(op->getOperand(0).getType()) && op->getResult(0).getType().isF32();
}

bool isHalfOfFloat(Operation *op) {
  return isa<arith::TruncFOp>(op) && op->getOperand(0).getType().isF32() && isHalf(op->getResult(0).getType());
}

} // namespace aotc::kern
