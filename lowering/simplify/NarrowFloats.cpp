#include "lowering/simplify/NarrowFloats.h"

#include "ir/nn/Dialect.h"
#include "ir/nn/Halves.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace aotc::simplify {

namespace {

Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

bool isNarrowFloat(Type element) { return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32; }

// Ops whose elements are those of their operands, however they are typed.
bool movesAnyType(Operation *op) {
  return isa<nn::ReshapeOp, nn::TransposeOp, nn::ExpandOp, nn::ConcatOp, nn::SliceOp, nn::GatherOp, nn::WhereOp>(op);
}

// What the importer puts around what it moves: f32 to a narrow float and back.
struct CastThereAndBack : OpRewritePattern<nn::CastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::CastOp op, PatternRewriter &rewriter) const final {
    auto narrowing = op.getX().getDefiningOp<nn::CastOp>();
    if (!narrowing || !elementOf(narrowing.getX()).isF32() || !isNarrowFloat(narrowing.getTo()) || !op.getTo().isF32())
      return failure();
    rewriter.replaceOpWithNewOp<nn::RoundToOp>(op, op.getType(), narrowing.getX(), narrowing.getTo());
    return success();
  }
};

// Widens before elements are moved and not behind, where all readers want f32: then the rounding that a narrow float
// comes from ends the step that computes it, and the move may be a view. A table of constants keeps its size.
struct WidenBeforeMoving : OpRewritePattern<nn::CastOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::CastOp op, PatternRewriter &rewriter) const final {
    Operation *move = op.getX().getDefiningOp();
    if (!move || !movesAnyType(move) || !op.getTo().isF32() || !isNarrowFloat(elementOf(op.getX())) ||
        !llvm::all_of(move->getUsers(), isWidening) || readsTable(move))
      return failure();
    rewriter.setInsertionPoint(move);
    Operation *wide = rewriter.clone(*move);
    rewriter.setInsertionPoint(wide);
    for (OpOperand &operand : wide->getOpOperands())
      if (isNarrowFloat(elementOf(operand.get())))
        operand.set(rewriter.create<nn::CastOp>(op.getLoc(), operand.get(), op.getTo()));
    wide->getResult(0).setType(op.getType());
    rewriter.replaceOp(op, wide);
    return success();
  }

private:
  static bool isWidening(Operation *user) {
    auto cast = dyn_cast<nn::CastOp>(user);
    return cast && cast.getTo().isF32();
  }
  static bool readsTable(Operation *move) {
    auto gather = dyn_cast<nn::GatherOp>(move);
    return gather && matchPattern(gather.getX(), m_Constant());
  }
};

// Whether every element is a number of the type already. Looks at a few ops only, so that the sweep stays linear.
bool isExact(Value value, Type format, int depth = 6) {
  Operation *op = value.getDefiningOp();
  if (!op || depth == 0)
    return false;
  ElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return nn::isHalf(format) && constant.getElementType().isF32() &&
           nn::findInexact(nn::HostTensor::view(constant), format) < 0;
  if (auto rounding = dyn_cast<nn::RoundToOp>(op))
    return rounding.getFormat() == format;
  if (auto cast = dyn_cast<nn::CastOp>(op))
    return elementOf(cast.getX()) == format;
  if (!movesAnyType(op) && !isa<nn::MaxOp, nn::MinOp, nn::ReluOp, nn::NegOp, nn::AbsOp, nn::MaxPoolOp>(op))
    return false;
  return llvm::all_of(op->getOperands(), [&](Value operand) {
    return !isa<FloatType>(elementOf(operand)) || isExact(operand, format, depth - 1);
  });
}

struct RoundOnce : OpRewritePattern<nn::RoundToOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::RoundToOp op, PatternRewriter &rewriter) const final {
    if (!isExact(op.getX(), op.getFormat()))
      return failure();
    rewriter.replaceOp(op, op.getX());
    return success();
  }
};

} // namespace

void addNarrowFloats(RewritePatternSet &patterns) {
  patterns.add<CastThereAndBack, WidenBeforeMoving, RoundOnce>(patterns.getContext());
}

} // namespace aotc::simplify
