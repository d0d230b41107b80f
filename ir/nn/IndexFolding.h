// Gathers and scatters whose operands are constants: indices into shapes, and tables that exporters put together.
#ifndef AOTC_IR_NN_INDEX_FOLDING_H
#define AOTC_IR_NN_INDEX_FOLDING_H

#include "ir/nn/HostTensor.h"
#include "mlir/IR/Operation.h"
#include <optional>

namespace aotc::nn {

// The result of an op of Indexing.td; nothing for other ops, and where an index is out of range, which the run reports.
std::optional<HostTensor> evaluateIndexing(mlir::Operation *op, llvm::ArrayRef<HostTensor> operands);

} // namespace aotc::nn

#endif
