// What the passes that fuse element-wise steps ask of them, and do to them, alike.
#ifndef AOTC_LOWERING_FUSE_ELEMENTWISE_H
#define AOTC_LOWERING_FUSE_ELEMENTWISE_H

#include "ir/kern/Dialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/PatternMatch.h"

namespace aotc::fuse {

// Of a fused region, in ops: beyond that registers spill and compile times grow.
constexpr size_t largestRegion = 64;

inline size_t regionSize(mlir::Block &block) { return llvm::range_size(block.getOperations()); }

// Whether element i of each result depends on what is read at i alone, and is stored at i.
bool isElementwise(mlir::linalg::GenericOp op);

// Whether the op may become the end of the kernel's epilogue, once it reads the kernel's result where it lies: sums are
// of one type, and are stored as they are or as bytes. Bytes that an epilogue ends with are made real values again only
// where no element-wise step would do that, which may make bytes of them once more.
bool canEndIn(kern::EpilogueOp kernel, mlir::linalg::GenericOp op);

void eraseInput(mlir::linalg::GenericOp op, unsigned input);

// Reads once what the op reads twice in the same way, as x * sigmoid(x) does once its parts are fused: a kernel that
// feeds both operands then has one reader.
void mergeEqualInputs(mlir::linalg::GenericOp op);

// The op without the results that nobody reads.
mlir::linalg::GenericOp eraseUnusedResults(mlir::RewriterBase &rewriter, mlir::linalg::GenericOp op);

} // namespace aotc::fuse

#endif
