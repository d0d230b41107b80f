// Makes image ops channels-last and moves the transposes that this needs towards the outputs, where they meet their
// inverses and vanish. Those that remain are real copies: of a planar input, or of an output that the model wants
// planar.
//
//   %1 = nn.conv %x                         ==>   %0 = nn.transpose %x [0, 2, 3, 1]
//   %2 = nn.relu %1                               %1 = nn.conv %0 {channels_last}
//                                                 %2 = nn.relu %1
//                                                 %3 = nn.transpose %2 [0, 3, 1, 2]
//
// One sweep in program order: when an op is reached, the transposes before it have come down to its operands.
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"
#include "lowering/Passes.h"
#include "lowering/layout/MoveTransposes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/TypeSwitch.h"

namespace aotc {

#define GEN_PASS_DEF_CHANNELSLAST
#include "lowering/Passes.h.inc"

using namespace mlir;

namespace {

// [0, 2, …, rank - 1, 1]: planar to channels-last. And back: [0, rank - 1, 1, …, rank - 2].
SmallVector<int64_t> toChannelsLast(int64_t rank) {
  SmallVector<int64_t> permutation{0};
  llvm::append_range(permutation, llvm::seq<int64_t>(2, rank));
  permutation.push_back(1);
  return permutation;
}
SmallVector<int64_t> toPlanar(int64_t rank) {
  SmallVector<int64_t> permutation{0, rank - 1};
  llvm::append_range(permutation, llvm::seq<int64_t>(1, rank - 1));
  return permutation;
}

// The op on a channels-last image, its result transposed back.
template <class Op> void makeChannelsLast(RewriterBase &rewriter, Op op) {
  int64_t rank = op.getType().getRank();
  rewriter.setInsertionPoint(op);
  SmallVector<Value> operands(op->getOperands());
  operands[0] = layout::transposed(rewriter, op.getLoc(), operands[0], toChannelsLast(rank));
  NamedAttrList attributes(op->getAttrs());
  attributes.set(op.getChannelsLastAttrName(), rewriter.getUnitAttr());
  nn::Extents extents = nn::permuted<AffineExpr>(nn::extentsOf(op.getType()), toChannelsLast(rank));
  OperationState state(op.getLoc(), op->getName(), operands, nn::tensorOf(extents, op.getType().getElementType()),
                       attributes);
  Value result = rewriter.create(state)->getResult(0);
  rewriter.replaceOp(op, layout::transposed(rewriter, op.getLoc(), result, toPlanar(rank)));
}

// A reduction that drops its dimensions is one that keeps them, reshaped: only the latter lets a transpose through.
void keepDimensions(RewriterBase &rewriter, nn::ReduceOp op) {
  if (op.getKeepdims())
    return;
  rewriter.setInsertionPoint(op);
  auto kept = rewriter.create<nn::ReduceOp>(op.getLoc(), op.getX(), op.getKind(), op.getAxes(), true);
  Value reshaped = nn::reshaped(rewriter, op.getLoc(), kept, nn::extentsOf(op.getType()));
  rewriter.replaceOp(op, reshaped);
  layout::moveThrough(rewriter, kept);
  if (Operation *after = reshaped.getDefiningOp(); after && after != kept)
    layout::moveThrough(rewriter, after);
}

void visit(RewriterBase &rewriter, Operation *op) {
  llvm::TypeSwitch<Operation *>(op)
      .Case<nn::ConvOp, nn::QuantizedConvOp, nn::MaxPoolOp, nn::AveragePoolOp>([&](auto image) {
        if (!image.getChannelsLast())
          makeChannelsLast(rewriter, image);
      })
      .Case([&](nn::ReduceOp reduce) {
        reduce.getKeepdims() ? layout::moveThrough(rewriter, reduce) : keepDimensions(rewriter, reduce);
      })
      .Case([&](nn::DynamicScaleOp scale) { // whatever the order of the elements
        if (auto transpose = scale.getX().getDefiningOp<nn::TransposeOp>())
          rewriter.modifyOpInPlace(scale, [&] { scale.getXMutable().assign(transpose.getX()); });
      })
      .Default([&](Operation *other) { layout::moveThrough(rewriter, other); });
}

struct ChannelsLast : impl::ChannelsLastBase<ChannelsLast> {
  void runOnOperation() final {
    IRRewriter rewriter(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      SmallVector<Operation *> ops;
      function.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
      for (Operation *op : ops)
        visit(rewriter, op);
    }
  }
};

} // namespace

} // namespace aotc
