// What reads images pixel by pixel, planar: sampling at given places, pooling with indices. All are plain kernels.
#include "ir/nn/Dialect.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/KernelCall.h"
#include "lowering/convert/ThreeDims.h"

using namespace mlir;

namespace aotc::convert {

namespace {

struct LowerGridSample : OpConversionPattern<nn::GridSampleOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::GridSampleOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (failed(checkStatic(op)))
      return failure();
    ArrayRef<int64_t> x = shapeOf(adaptor.getX()), result = op.getType().getShape();
    KernelCall call(rewriter, op.getLoc(), "grid_sample", "grid_sample");
    call.member("batch", x[0]).member("channels", x[1]);
    call.member("points", ShapedType::getNumElements(result.drop_front(2)));
    call.member("rank", static_cast<int64_t>(x.size()) - 2).member("in", threeDims(x.drop_front(2), 1));
    call.member("mode", static_cast<int64_t>(op.getMode())).member("padding", static_cast<int64_t>(op.getPadding()));
    call.member("align_corners", op.getAlignCorners() ? 1 : 0);
    call.input(adaptor.getX()).input("grid", adaptor.getGrid());
    rewriter.replaceOp(op, call.create(op->getResultTypes()));
    return success();
  }
};

struct LowerRoiAlign : OpConversionPattern<nn::RoiAlignOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::RoiAlignOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    if (failed(checkStatic(op)))
      return failure();
    ArrayRef<int64_t> x = shapeOf(adaptor.getX()), result = op.getType().getShape();
    if (x[0] == 0 && result[0] != 0)
      return op.emitError("there is no image for the regions to lie in");
    KernelCall call(rewriter, op.getLoc(), "roi_align", "roi_align");
    call.member("batch", x[0]).member("channels", x[1]).member("height", x[2]).member("width", x[3]);
    call.member("regions", result[0]).member("out_height", result[2]).member("out_width", result[3]);
    call.member("sampling_ratio", static_cast<int64_t>(op.getSamplingRatio()));
    call.member("half_pixel", op.getHalfPixel() ? 1 : 0).member("maximum", op.getMaximum() ? 1 : 0);
    call.input(adaptor.getX()).input("rois", adaptor.getRois()).input("batch_indices", adaptor.getBatchIndices());
    call.argument(op.getSpatialScale().convertToFloat());
    rewriter.replaceOp(op, call.create(op->getResultTypes()));
    return success();
  }
};

struct LowerDeformConv : OpConversionPattern<nn::DeformConvOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::DeformConvOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (failed(checkStatic(op)))
      return failure();
    ArrayRef<int64_t> x = shapeOf(adaptor.getX()), w = shapeOf(adaptor.getWeights()), y = op.getType().getShape();
    auto group = static_cast<int64_t>(op.getGroup());
    KernelCall call(rewriter, op.getLoc(), "deform_conv", "deform_conv");
    call.member("batch", x[0]).member("groups", group).member("channels", w[1]).member("filters", w[0] / group);
    call.member("offset_groups", static_cast<int64_t>(op.getOffsetGroup())).member("has_mask", op.getMask() ? 1 : 0);
    call.member("in_h", x[2]).member("in_w", x[3]).member("out_h", y[2]).member("out_w", y[3]);
    call.member("kernel_h", w[2]).member("kernel_w", w[3]);
    call.member("stride_h", op.getStrides()[0]).member("stride_w", op.getStrides()[1]);
    call.member("dilation_h", op.getDilations()[0]).member("dilation_w", op.getDilations()[1]);
    call.member("pad_top", op.getPads()[0]).member("pad_left", op.getPads()[1]);
    call.input(adaptor.getX()).input("weights", adaptor.getWeights()).input("offset", adaptor.getOffset());
    call.input("mask", op.getMask() ? adaptor.getMask() : adaptor.getOffset()); // not read where there is none
    call.scratch(w[1] * w[2] * w[3] * (op.getType().getElementType().isF64() ? 8 : 4));
    rewriter.replaceOp(op, call.create(op->getResultTypes()));
    return success();
  }
};

struct LowerMaxPoolIndices : OpConversionPattern<nn::MaxPoolIndicesOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::MaxPoolIndicesOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (failed(checkStatic(op)))
      return failure();
    ArrayRef<int64_t> x = shapeOf(adaptor.getX()), y = cast<RankedTensorType>(op.getValues().getType()).getShape();
    SmallVector<int64_t> in = threeDims(x.drop_front(2), 1), strides{in[1] * in[2], in[2], 1};
    if (op.getColumnMajor())
      strides = {1, in[0], in[0] * in[1]};
    KernelCall call(rewriter, op.getLoc(), "pool_indices", "max_pool_indices");
    call.member("images", x[0] * x[1]).member("in", in).member("out", threeDims(y.drop_front(2), 1));
    call.member("kernel", threeDims(op.getKernel(), 1)).member("stride", threeDims(op.getStrides(), 1));
    call.member("dilation", threeDims(op.getDilations(), 1));
    call.member("pad", threeDims(op.getPads().take_front(x.size() - 2), 0)).member("index_stride", strides);
    call.input(adaptor.getX(), op.getX().getType());
    rewriter.replaceOp(op, call.create(op->getResultTypes()));
    return success();
  }
};

struct LowerMaxUnpool : OpConversionPattern<nn::MaxUnpoolOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::MaxUnpoolOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (failed(checkStatic(op)))
      return failure();
    KernelCall call(rewriter, op.getLoc(), "pool_indices", "max_unpool");
    call.member("count", ShapedType::getNumElements(shapeOf(adaptor.getX())));
    call.member("size", op.getType().getNumElements());
    call.input(adaptor.getX(), op.getX().getType()).input("indices", adaptor.getIndices());
    rewriter.replaceOp(op, call.create(op->getResultTypes()));
    return success();
  }
};

} // namespace

void populateSampling(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerGridSample, LowerRoiAlign, LowerDeformConv, LowerMaxPoolIndices, LowerMaxUnpool>(
      types, patterns.getContext());
}

} // namespace aotc::convert
