// Scaled dot-product attention on [batch, heads, length, size of a head], for the operators of several domains.
#pragma once

#include "frontend/onnx/NodeBuilder.h"

namespace aotc::frontend {

/// [batch, length, heads * size] as [batch, heads, length, size]. Null after an error.
mlir::Value splitHeads(NodeBuilder &node, mlir::Value x, int64_t heads);
/// And back.
mlir::Value joinHeads(NodeBuilder &node, mlir::Value x);

struct AttentionOperands {
  mlir::Value q, k, v; ///< each key's head is that of as many query heads as there are more of these
  mlir::Value bias;    ///< added to the scores, -infinity where a query must not see a key; null where there is none
  double scale = 1, softcap = 0;
  mlir::FloatType precision; ///< that the probabilities are rounded to; null for that of the operands
};

/// The result, and what it passed through: scaled products, those with a soft cap, with the bias, probabilities.
/// Queries that see no key have probabilities and results of 0.
struct AttentionResults {
  mlir::Value result, products, capped, biased, probabilities;
};
AttentionResults attend(NodeBuilder &node, const AttentionOperands &operands);

} // namespace aotc::frontend
