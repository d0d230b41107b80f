// Folds constants, drops what has no effect, multiplies by one or rounds what is round, and makes gathers slices where it
// can, in one greedy sweep over nn.
//
//   %a = nn.constant 2        ==>   %c = nn.constant 5
//   %b = nn.constant 3
//   %c = nn.add %a, %b
#include "ir/nn/Dialect.h"
#include "ir/nn/LargeConstants.h"
#include "lowering/Passes.h"
#include "lowering/simplify/GatherToSlice.h"
#include "lowering/simplify/NarrowFloats.h"
#include "lowering/simplify/NeutralOperands.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace aotc {

#define GEN_PASS_DEF_SIMPLIFY
#include "lowering/Passes.h.inc"

using namespace mlir;

namespace {

struct Simplify : impl::SimplifyBase<Simplify> {
  void runOnOperation() final {
    // Folding and dead code removal come with the driver; top-down so that operands are folded before their users.
    GreedyRewriteConfig config;
    config.useTopDownTraversal = true;
    config.maxIterations = GreedyRewriteConfig::kNoLimit;
    RewritePatternSet patterns(&getContext());
    simplify::addGatherToSlice(patterns);
    simplify::addNeutralOperands(patterns);
    simplify::addNarrowFloats(patterns);
    nn::LargeConstants constants(getOperation());
    if (failed(applyPatternsAndFoldGreedily(getOperation(), std::move(patterns), config)))
      return signalPassFailure();
    constants.freeUnused(getOperation()); // what was folded away
  }
};

} // namespace

} // namespace aotc
