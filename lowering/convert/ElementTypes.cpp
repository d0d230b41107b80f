// Which element types generated code computes with. The others may be moved and converted (the importer widens narrow
// floats that way), but an op that would compute with them when the model runs is refused here, before any pattern
// makes arithmetic of it.
#include "ir/kern/Literal.h"
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"
#include "lowering/convert/Convert.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace aotc::convert {

/// Conversions and selections have a form for all types, quantization for its integers; padding writes one element of
/// its own besides those that it moves.
static bool needsArithmetic(Operation *op) {
  if (isa<nn::CastOp, nn::WhereOp, nn::QuantizeOp, nn::DequantizeOp, nn::IfOp, nn::LoopOp, nn::YieldOp>(op))
    return false;
  if (auto pad = dyn_cast<nn::PadOp>(op))
    return !kern::literal(pad.getValue());
  return !op->hasTrait<nn::MovesElements>();
}

LogicalResult checkElementTypes(ModuleOp module) {
  bool good = true;
  module.walk([&](Operation *op) {
    if (!isa<nn::NNDialect>(op->getDialect()) || !needsArithmetic(op))
      return;
    SmallVector<Type> types(op->getOperandTypes());
    llvm::append_range(types, op->getResultTypes());
    const Type *other =
        llvm::find_if_not(types, [](Type type) { return kern::hasArithmetic(getElementTypeOrSelf(type)); });
    if (other == types.end())
      return;
    op->emitError() << "only float, double, bool and integers of 8 to 64 bits can be computed with, found "
                    << nn::describe(*other);
    good = false;
  });
  return success(good);
}

} // namespace aotc::convert
