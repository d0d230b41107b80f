// Folds nn ops whose operands are constants: shape arithmetic, reordered weights, exporters' detours.
#ifndef AOTC_IR_NN_CONSTANT_FOLDING_H
#define AOTC_IR_NN_CONSTANT_FOLDING_H

#include "ir/nn/HostTensor.h"
#include <optional>

namespace aotc::nn {
class DequantizeOp;
class NNDialect;

// Registers the dialect-wide fold hook. Results are limited in size, so that folding never makes a model larger.
void addConstantFolding(NNDialect &dialect);

// The result of a DequantizeLinear on constants; nothing where one is not. The fold hook leaves them alone: whether the
// integers or their real values are what is computed with is for lowering/precision to say.
std::optional<HostTensor> dequantized(DequantizeOp op);

} // namespace aotc::nn

#endif
