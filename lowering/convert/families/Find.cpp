// Ops that find out how much they give, as calls of kernels that return it.
#include "ir/nn/Dialect.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
#include "lowering/convert/KernelCall.h"

using namespace mlir;

namespace aotc::convert {

namespace {

struct LowerNonzero : OpConversionPattern<nn::NonzeroOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::NonzeroOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    Extents extents = extentsOf(adaptor.getX());
    KernelCall call(rewriter, op.getLoc(), "find", "nonzero");
    call.member("rank", static_cast<int64_t>(extents.size())).extentList("extent", extents);
    call.input(adaptor.getX(), op.getX().getType()).finds(op.getFound().getResult(0));
    rewriter.replaceOp(op, call.create(op->getResultTypes()));
    return success();
  }
};

struct LowerCompress : OpConversionPattern<nn::CompressOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::CompressOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    KernelCall call(rewriter, op.getLoc(), "find", "compress");
    call.run(adaptor.getX(), op.getAxis()).extent("flags", adaptor.getCondition(), 0);
    call.input(adaptor.getX(), op.getX().getType())
        .input("condition", adaptor.getCondition())
        .finds(op.getFound().getResult(0));
    rewriter.replaceOp(op, call.create(op->getResultTypes()));
    return success();
  }
};

// Scratch memory for a number of ints for each element of an extent.
int64_t intsFor(Operation *op, AffineExpr extent, int64_t count) {
  return nn::boundsOf(extent, boundsOfDims(op)).most * count * static_cast<int64_t>(sizeof(int32_t));
}

struct LowerUnique : OpConversionPattern<nn::UniqueOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::UniqueOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    KernelCall call(rewriter, op.getLoc(), "unique", "unique");
    call.run(adaptor.getX(), op.getAxis()).member("sorted", op.getSorted() ? 1 : 0);
    call.input(adaptor.getX(), op.getX().getType()).finds(op.getFound().getResult(0));
    call.scratch(intsFor(op, extentsOf(adaptor.getX())[op.getAxis()], 3));
    rewriter.replaceOp(op, call.create(op->getResultTypes()));
    return success();
  }
};

struct LowerNonMaxSuppression : OpConversionPattern<nn::NonMaxSuppressionOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::NonMaxSuppressionOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Extents scores = extentsOf(adaptor.getScores());
    KernelCall call(rewriter, op.getLoc(), "non_max_suppression", "non_max_suppression");
    call.extent("batch", scores[0]).extent("classes", scores[1]).extent("boxes", scores[2]);
    call.member("centered", op.getCentered() ? 1 : 0);
    for (Value operand : adaptor.getOperands())
      call.input(operand);
    call.finds(op.getFound().getResult(0)).scratch(intsFor(op, scores[2], 2));
    rewriter.replaceOp(op, call.create(op->getResultTypes()));
    return success();
  }
};

struct LowerReadExtent : OpConversionPattern<nn::ReadExtentOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::ReadExtentOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    KernelCall call(rewriter, op.getLoc(), "extents", "read_extent");
    call.extent("limit", op.getLimit().getResult(0)).input(adaptor.getValue());
    call.finds(op.getFound().getResult(0)).canFail("bound_exceeded").create({});
    rewriter.eraseOp(op);
    return success();
  }
};

struct LowerCountSteps : OpConversionPattern<nn::CountStepsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::CountStepsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    KernelCall call(rewriter, op.getLoc(), "extents", "count_steps");
    call.inputs(adaptor.getOperands(), op->getOperandTypes());
    call.finds(op.getFound().getResult(0)).canFail("bound_exceeded").create({});
    rewriter.eraseOp(op);
    return success();
  }
};

} // namespace

void populateFind(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerNonzero, LowerCompress, LowerUnique, LowerNonMaxSuppression, LowerReadExtent, LowerCountSteps>(
      types, patterns.getContext());
}

} // namespace aotc::convert
