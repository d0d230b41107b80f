// Every constant that is still dequantized becomes its real values: nothing computed with its integers.
#include "ir/nn/ConstantFolding.h"
#include "ir/nn/Dialect.h"
#include "ir/nn/LargeConstants.h"
#include "lowering/Passes.h"
#include "mlir/IR/PatternMatch.h"

namespace aotc {

#define GEN_PASS_DEF_DEQUANTIZECONSTANTS
#include "lowering/Passes.h.inc"

using namespace mlir;

namespace {

struct DequantizeConstants : impl::DequantizeConstantsBase<DequantizeConstants> {
  void runOnOperation() final {
    IRRewriter rewriter(&getContext());
    nn::LargeConstants constants(getOperation());
    getOperation().walk([&](nn::DequantizeOp op) {
      rewriter.setInsertionPoint(op);
      if (std::optional<nn::HostTensor> value = nn::dequantized(op))
        rewriter.replaceOpWithNewOp<nn::ConstantOp>(op, value->toAttr());
    });
    constants.freeUnused(getOperation());
  }
};

} // namespace

} // namespace aotc
