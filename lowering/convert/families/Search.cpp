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
    if (failed(checkStatic(op)))
      return failure();
    KernelCall call(rewriter, op.getLoc(), "top_k", "top_k");
    call.run(adaptor.getX(), op.getAxis()).member("k", op.getK()).input(adaptor.getX(), op.getX().getType());
    call.argument(op.getLargest() ? "aotc::Largest{}" : "aotc::Smallest{}");
    rewriter.replaceOp(op, call.create(op.getResultTypes()));
    return success();
  }
};

struct LowerArgReduce : OpConversionPattern<nn::ArgReduceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::ArgReduceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    if (failed(checkOneBounded(op)))
      return failure();
    ArrayRef<int64_t> shape = op.getX().getType().getShape();
    int64_t axis = op.getAxis(), outer = countElements(shape.take_front(axis));
    int64_t inner = countElements(shape.drop_front(axis + 1));
    Value run = reshape(rewriter, loc, adaptor.getX(), {outer, shape[axis], inner});
    KernelCall call(rewriter, loc, "arg_reduce", "arg_reduce");
    call.extent("outer", run, 0).extent("length", run, 1).extent("inner", run, 2).input(run, op.getX().getType());
    call.argument(op.getLargest() ? "aotc::ArgMax{}" : "aotc::ArgMin{}").argument(op.getLast());
    Value places = call.create(op.getType().clone(ArrayRef<int64_t>{outer, 1, inner}), run).front();
    rewriter.replaceOp(op, reshape(rewriter, loc, places, op.getType().getShape()));
    return success();
  }
};

} // namespace

void populateSearch(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerTopK, LowerArgReduce>(types, patterns.getContext());
}

} // namespace aotc::convert
