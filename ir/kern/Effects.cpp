#include "ir/kern/Effects.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace aotc::kern {

void destinationEffects(DestinationStyleOpInterface op,
                        SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (op.isDpsInit(&operand))
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
    else
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
  }
}

} // namespace aotc::kern
