#include "lowering/simplify/NeutralOperands.h"

#include "ir/nn/Dialect.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace aotc::simplify {

namespace {

bool isOne(Value value) {
  DenseElementsAttr elements;
  if (!matchPattern(value, m_Constant(&elements)) || !elements.isSplat())
    return false;
  auto one = elements.getSplatValue<Attribute>();
  if (auto number = dyn_cast<FloatAttr>(one))
    return number.getValue().isExactlyValue(1.0);
  auto integer = dyn_cast<IntegerAttr>(one);
  return integer && integer.getValue().isOne();
}

// Replaces `op` by `operand` where the other one is 1 and widens nothing.
LogicalResult replaceBy(Value operand, Value other, Operation *op, PatternRewriter &rewriter) {
  if (!isOne(other) || operand.getType() != op->getResult(0).getType())
    return failure();
  rewriter.replaceOp(op, operand);
  return success();
}

struct TimesOne : OpRewritePattern<nn::MulOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::MulOp op, PatternRewriter &rewriter) const final {
    return success(succeeded(replaceBy(op.getX(), op.getY(), op, rewriter)) ||
                   succeeded(replaceBy(op.getY(), op.getX(), op, rewriter)));
  }
};

struct DividedByOne : OpRewritePattern<nn::DivOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(nn::DivOp op, PatternRewriter &rewriter) const final {
    return replaceBy(op.getX(), op.getY(), op, rewriter);
  }
};

} // namespace

void addNeutralOperands(RewritePatternSet &patterns) { patterns.add<TimesOne, DividedByOne>(patterns.getContext()); }

} // namespace aotc::simplify
