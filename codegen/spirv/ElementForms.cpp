// Looks at the element types of the step first, then at its body op by op: types, functions without an instruction for
// them, and instructions that are too inexact.
#include "codegen/spirv/ElementForms.h"

#include "codegen/spirv/ExpandMath.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace aotc::codegen {

// Elements of four bits are one to a byte everywhere but in shaders.
static bool hasForm(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (auto integer = dyn_cast<IntegerType>(element))
    return llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return element.isIndex() || element.isF16() || element.isF32() || element.isF64();
}

static bool isOnDoubles(Operation *op) {
  return llvm::any_of(op->getOperandTypes(), [](Type type) { return type.isF64(); });
}

// The instructions for all other functions take no doubles.
static bool takesDoubles(Operation *op) {
  return isa<math::AbsFOp, math::CeilOp, math::FloorOp, math::RoundEvenOp, math::SqrtOp, math::RsqrtOp, math::FmaOp>(
      op);
}

static bool isPartOfIntegerPower(Operation *op) {
  auto user = op->hasOneUse() ? dyn_cast<arith::TruncFOp>(*op->user_begin()) : nullptr;
  return user && isIntegerPower(user);
}

static bool hasInstructions(Operation *op) {
  const bool isFunction = isa_and_nonnull<math::MathDialect>(op->getDialect());
  return !isFunction || !isOnDoubles(op) || takesDoubles(op) || isPartOfIntegerPower(op);
}

// Access to halves makes 16 bits of integers something that cannot be computed with.
static bool mixesHalves(Operation *step) {
  auto has = [&](auto isKind) {
    return llvm::any_of(step->getOperandTypes(), [&](Type type) { return isKind(getElementTypeOrSelf(type)); });
  };
  return has([](Type type) { return type.isF16(); }) && has([](Type type) { return type.isInteger(16); });
}

static bool hasTypes(Operation *op) {
  return llvm::all_of(op->getOperandTypes(), hasForm) && llvm::all_of(op->getResultTypes(), hasForm);
}

StringRef missingForm(Operation *step) {
  StringRef missing = mixesHalves(step) ? "these element types" : "";
  step->walk([&](Operation *op) {
    if (!hasTypes(op) || !hasInstructions(op))
      missing = "these element types";
    else if (isa<arith::RemFOp>(op))
      missing = "remainders of floats"; // OpFRem is far off where the quotient is large
  });
  return missing;
}

} // namespace aotc::codegen
