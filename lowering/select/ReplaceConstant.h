// Puts other bytes in the place of a constant that an op reads.
#ifndef AOTC_LOWERING_SELECT_REPLACECONSTANT_H
#define AOTC_LOWERING_SELECT_REPLACECONSTANT_H

#include "ir/nn/HostTensor.h"
#include "ir/nn/LargeConstants.h"

#include "mlir/IR/Value.h"

namespace aotc::select {

// The operand becomes a constant of `value`. The original's bytes are freed at once where nobody else reads them: all
// weights twice would be most of the compiler's memory.
void replaceConstant(mlir::OpOperand &operand, nn::HostTensor value, nn::LargeConstants &constants);

} // namespace aotc::select

#endif
