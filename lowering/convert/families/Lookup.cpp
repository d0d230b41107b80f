// Tables, as calls of plain kernels.
#include "ir/nn/Dialect.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
#include "lowering/convert/KernelCall.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace aotc::convert {

namespace {

struct LowerTopClass : OpConversionPattern<nn::TopClassOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::TopClassOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    int64_t classes = static_cast<int64_t>(op.getLabels().size());
    auto type = RankedTensorType::get({classes}, rewriter.getI64Type());
    Value labels = rewriter.create<arith::ConstantOp>(op.getLoc(), DenseElementsAttr::get(type, op.getLabels()));
    KernelCall call(rewriter, op.getLoc(), "lookup", "top_class");
    call.extent("rows", adaptor.getX(), 0).member("classes", classes).input(adaptor.getX()).input("labels", labels);
    rewriter.replaceOp(op, call.create(op->getResultTypes(), adaptor.getX()));
    return success();
  }
};

struct LowerLookup : OpConversionPattern<nn::LookupOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::LookupOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    ArrayRef<int64_t> shape = shapeOf(adaptor.getX());
    int64_t columns = shape.empty() ? 1 : countElements(shape.drop_front());
    if (ShapedType::isDynamic(columns))
      return op.emitError("only the leading extent may be bounded");
    KernelCall call(rewriter, op.getLoc(), "lookup", "lookup");
    if (shape.empty())
      call.member("rows", 1);
    else
      call.extent("rows", adaptor.getX(), 0);
    call.member("columns", columns)
        .member("keys", shapeOf(adaptor.getKeys())[0])
        .input(adaptor.getX(), op.getX().getType())
        .input("keys", adaptor.getKeys(), op.getKeys().getType())
        .input("values", adaptor.getValues(), op.getValues().getType());
    rewriter.replaceOp(op, call.create(op->getResultTypes(), adaptor.getX()));
    return success();
  }
};

} // namespace

void populateLookup(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerTopClass, LowerLookup>(types, patterns.getContext());
}

} // namespace aotc::convert
