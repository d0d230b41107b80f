// Every constant that is still dequantized becomes its real values: nothing computed with its integers. Before that
// goes what only led to ops that are computed on integers now.
#include "ir/nn/ConstantFolding.h"
#include "ir/nn/Dialect.h"
#include "ir/nn/LargeConstants.h"
#include "lowering/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace aotc {

#define GEN_PASS_DEF_DEQUANTIZECONSTANTS
#include "lowering/Passes.h.inc"

using namespace mlir;

namespace {

struct DequantizeConstants : impl::DequantizeConstantsBase<DequantizeConstants> {
  void runOnOperation() final {
    IRRewriter rewriter(&getContext());
    nn::LargeConstants constants(getOperation());
    eraseUnread(rewriter);
    getOperation().walk([&](nn::DequantizeOp op) {
      rewriter.setInsertionPoint(op);
      if (std::optional<nn::HostTensor> value = nn::dequantized(op))
        rewriter.replaceOpWithNewOp<nn::ConstantOp>(op, value->toAttr());
    });
    constants.freeUnused(getOperation());
  }

private:
  // Later ops first, and those of regions before the ops that have them.
  void eraseUnread(RewriterBase &rewriter) {
    SmallVector<Operation *> ops;
    getOperation().walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : llvm::reverse(ops))
      if (isOpTriviallyDead(op))
        rewriter.eraseOp(op);
  }
};

} // namespace

} // namespace aotc
