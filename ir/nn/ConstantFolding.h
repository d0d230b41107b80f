// Folds nn ops whose operands are constants: shape arithmetic, reordered or dequantized weights, exporters' detours.
#ifndef AOTC_IR_NN_CONSTANT_FOLDING_H
#define AOTC_IR_NN_CONSTANT_FOLDING_H

namespace aotc::nn {
class NNDialect;

// Registers the dialect-wide fold hook. Results are limited in size, so that folding never makes a model larger.
void addConstantFolding(NNDialect &dialect);

} // namespace aotc::nn

#endif
