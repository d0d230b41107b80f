// Searches along one dimension, as calls of plain kernels.
#include "ir/nn/Dialect.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
#include "lowering/convert/KernelCall.h"

using namespace mlir;

namespace aotc::convert {

namespace {

struct LowerTopK : OpConversionPattern<nn::TopKOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::TopKOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    KernelCall call(rewriter, op.getLoc(), "top_k", "top_k");
    AffineExpr k = nn::extentsOf(op.getValues())[op.getAxis()];
    call.run(adaptor.getX(), op.getAxis()).extent("k", k).input(adaptor.getX(), op.getX().getType());
    call.argument(op.getLargest() ? "aotc::Largest{}" : "aotc::Smallest{}");
    rewriter.replaceOp(op, call.create(op.getResultTypes()));
    return success();
  }
};

struct LowerArgReduce : OpConversionPattern<nn::ArgReduceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::ArgReduceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    KernelCall call(rewriter, op.getLoc(), "arg_reduce", "arg_reduce");
    call.run(adaptor.getX(), op.getAxis()).input(adaptor.getX(), op.getX().getType());
    call.argument(op.getLargest() ? "aotc::ArgMax{}" : "aotc::ArgMin{}").argument(op.getLast());
    if (ShapedType::isDynamic(shapeOf(op.getX())[op.getAxis()]))
      call.canFail("index_out_of_range"); // where it is empty, nothing can be found
    rewriter.replaceOp(op, call.create(op->getResultTypes()));
    return success();
  }
};

} // namespace

void populateSearch(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerTopK, LowerArgReduce>(types, patterns.getContext());
}

} // namespace aotc::convert
