#include "ir/kern/Vectors.h"

#include "ir/kern/Dialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace aotc::kern {

bool isFloatOfByte(Operation *op) {
  return isa<arith::SIToFPOp, arith::UIToFPOp>(op) && op->getOperand(0).getType().isInteger(8) &&
         op->getResult(0).getType().isF32();
}

bool isNot(Operation *op) {
  return isa<arith::XOrIOp>(op) && op->getResult(0).getType().isInteger(1) && matchPattern(op->getOperand(1), m_One());
}

bool isRounding(Operation *op) {
  auto narrowing = isa<arith::ExtFOp>(op) ? op->getOperand(0).getDefiningOp<arith::TruncFOp>() : nullptr;
  return narrowing && op->getResult(0).getType().isF32() && narrowing.getIn().getType().isF32();
}

// A narrowing that is only half of a rounding, or is what stores of halves do.
static bool isNarrowingOfVectors(Operation &op) {
  bool isStorable = isHalfOfFloat(&op);
  return isa<arith::TruncFOp>(op) && llvm::all_of(op.getUsers(), [&](Operation *user) {
           return isRounding(user) || (isStorable && user->hasTrait<OpTrait::IsTerminator>());
         });
}

// What makes f32 of another type, or something that vectors of f32 stand for.
static bool isConversion(Operation &op) {
  return isFloatOfByte(&op) || isa<QuantizeOp>(op) || isFloatOfHalf(&op) || isRounding(&op) || isNarrowingOfVectors(op);
}

static bool fitsVectors(Operation &op, Type element) {
  if (isConversion(op)) // of what is no vector itself, a number wherever it stands, there is no vector
    return element.isF32() && !matchPattern(op.getOperand(0), m_Constant());
  auto fits = [&](Type type) { return type == element || type.isInteger(1); };
  if (!llvm::all_of(op.getOperandTypes(), fits) || !llvm::all_of(op.getResultTypes(), fits))
    return false;
  // A known truth is no vector, unless as the one that inverts another.
  if (isa<arith::ConstantOp>(op))
    return op.getResult(0).getType() == element || llvm::all_of(op.getUsers(), isNot);
  return isa<arith::CmpFOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op) || op.getResult(0).getType() == element;
}

bool isVectorBody(Block &body, Type element) {
  auto isRead = [&](BlockArgument read) {
    return read.getType() == element || llvm::all_of(read.getUsers(), isFloatOfByte) ||
           llvm::all_of(read.getUsers(), isFloatOfHalf);
  };
  return (element.isF32() || element.isF64()) && llvm::all_of(body.getArguments(), isRead) &&
         llvm::all_of(body.without_terminator(), [&](Operation &op) { return fitsVectors(op, element); });
}

} // namespace aotc::kern
