// Memory effects of a destination-passing kernel on memrefs: it reads its inputs and writes its destination.
#ifndef AOTC_IR_KERN_EFFECTS_H
#define AOTC_IR_KERN_EFFECTS_H

#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace aotc::kern {

void destinationEffects(mlir::DestinationStyleOpInterface op,
                        llvm::SmallVectorImpl<mlir::SideEffects::EffectInstance<mlir::MemoryEffects::Effect>> &effects);

} // namespace aotc::kern

#endif
