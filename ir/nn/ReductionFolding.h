// Reductions, sums along an axis and searches for extrema of constants: what ConstantFolding.cpp has no scalar body
// for.
#ifndef AOTC_IR_NN_REDUCTION_FOLDING_H
#define AOTC_IR_NN_REDUCTION_FOLDING_H

#include "ir/nn/Dialect.h"
#include "ir/nn/HostTensor.h"

namespace aotc::nn {

// Integers wrap around, sums of floats are rounded once, NaN as in templates/kernels.
std::optional<HostTensor> evaluate(ReduceOp op, llvm::ArrayRef<HostTensor> operands);
std::optional<HostTensor> evaluate(CumulateOp op, llvm::ArrayRef<HostTensor> operands);
std::optional<HostTensor> evaluate(ArgReduceOp op, llvm::ArrayRef<HostTensor> operands);

} // namespace aotc::nn

#endif
