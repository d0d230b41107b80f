// What tensors are quantized by when the model runs, as two calls of plain kernels.
#include "ir/nn/Dialect.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/KernelCall.h"

using namespace mlir;

namespace aotc::convert {

namespace {

struct LowerDynamicScale : OpConversionPattern<nn::DynamicScaleOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::DynamicScaleOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    constexpr int64_t parts = 16; // least_units of templates/kernels/split.hpp
    Value x = adaptor.getX();
    KernelCall extremes(rewriter, op.getLoc(), "dynamic_scale", "extremes");
    extremes.run(x, 0).member("parts", parts).input(x);
    Value ends = extremes.create(RankedTensorType::get({2, parts}, rewriter.getF32Type()))[0];
    KernelCall scale(rewriter, op.getLoc(), "dynamic_scale", "dynamic_scale");
    scale.run(x, 0).member("parts", parts).input(ends);
    rewriter.replaceOp(op, scale.create(op->getResultTypes()));
    return success();
  }
};

} // namespace

void populateQuantization(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerDynamicScale>(types, patterns.getContext());
}

} // namespace aotc::convert
