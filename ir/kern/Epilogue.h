// Building epilogues: the region through which a kernel's results pass before they are stored.
#ifndef AOTC_IR_KERN_EPILOGUE_H
#define AOTC_IR_KERN_EPILOGUE_H

#include "ir/kern/Dialect.h"
#include "mlir/IR/Builders.h"

namespace aotc::kern {

// Fills the empty epilogue of `target` with that of `kernel` followed by `body`, the body of an element-wise
// linalg.generic whose block argument `fusedArgument` stands for the kernel's result. `target` has the kernel's extras
// first, then the generic's other inputs in order. Neither `kernel` nor `body` is changed.
void buildChainedEpilogue(mlir::OpBuilder &builder, EpilogueOp kernel, mlir::Block &body, unsigned fusedArgument,
                          EpilogueOp target);

} // namespace aotc::kern

#endif
