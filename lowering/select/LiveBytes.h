// Roughly how much memory is in use while each op of a function runs, before the planner has ordered and placed
// anything: enough to tell what scratch memory a kernel may ask for.
#ifndef AOTC_LOWERING_SELECT_LIVEBYTES_H
#define AOTC_LOWERING_SELECT_LIVEBYTES_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace aotc::select {

class LiveBytes {
public:
  // Of the function's tensors in the order in which its ops stand. Bounded extents count as one; what happens in a
  // branch counts as the branch.
  explicit LiveBytes(mlir::func::FuncOp function);

  // Bytes of the tensors alive while `op`, or the branch that holds it, runs: what it reads and writes included.
  int64_t during(mlir::Operation *op) const;
  // The largest of them.
  int64_t peak() const { return peakBytes; }

private:
  mlir::Block &body;
  llvm::DenseMap<mlir::Operation *, int64_t> bytes;
  int64_t peakBytes = 0;
};

} // namespace aotc::select

#endif
