// Products and convolutions of integers, exact in 32 bits: by constant weights of bytes as kern ops, others as calls of
// plain kernels.
#include "ir/kern/Dialect.h"
#include "ir/nn/Dialect.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
#include "lowering/convert/KernelCall.h"
#include "lowering/convert/MatrixStacks.h"
#include "lowering/convert/ThreeDims.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace aotc::convert {

namespace {

struct LowerIntegerMatMul : OpConversionPattern<nn::IntegerMatMulOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::IntegerMatMulOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    MatrixStacks stacks = stackMatrices(rewriter, loc, adaptor.getA(), adaptor.getB(), op.getType());
    KernelCall call(rewriter, loc, "integer_matmul", "integer_matmul");
    call.extent("batch", stacks.batch).extent("m", stacks.m).extent("n", stacks.n).extent("k", stacks.k);
    addStride(call, "a_matrix", stacks.leftBatch, stacks.m, stacks.k);
    addStride(call, "b_matrix", stacks.batch, stacks.k, stacks.n);
    call.extent("a_zeros", adaptor.getAZeroPoint(), 0).extent("b_zeros", adaptor.getBZeroPoint(), 0);
    call.input("a", stacks.left, op.getA().getType()).input("b", stacks.right, op.getB().getType());
    call.input("a_zero", adaptor.getAZeroPoint(), op.getAZeroPoint().getType());
    call.input("b_zero", adaptor.getBZeroPoint(), op.getBZeroPoint().getType());
    call.macs({stacks.batch, stacks.m, stacks.n, stacks.k}, 1);
    Value out = createDestination(rewriter, loc, {stacks.batch, stacks.m, stacks.n}, rewriter.getI32Type());
    Value result = call.createInto(out, TypeRange(out.getType())).front();
    rewriter.replaceOp(op, reshapeTo(rewriter, loc, result, nn::extentsOf(op.getType())));
    return success();
  }

private:
  // From one matrix of a stack to the next; 0 where there is one.
  static void addStride(KernelCall &call, StringRef name, AffineExpr count, AffineExpr rows, AffineExpr columns) {
    nn::isNumber(count, 1) ? call.member(name, 0) : call.extent(name, nn::product(rows, columns));
  }
};

struct LowerQuantizedMatMul : OpConversionPattern<nn::QuantizedMatMulOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::QuantizedMatMulOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    MatrixStacks stacks = stackMatrices(rewriter, loc, adaptor.getX(), adaptor.getWeights(), op.getType());
    Value out = createDestination(rewriter, loc, {stacks.batch, stacks.m, stacks.n}, rewriter.getF32Type());
    auto columns = shapeOf(adaptor.getWeights()).back();
    auto noSums = DenseElementsAttr::get(RankedTensorType::get({columns}, rewriter.getI32Type()), int32_t{0});
    Value sums = rewriter.create<arith::ConstantOp>(loc, noSums);
    auto product = rewriter.create<kern::IntegerMatMulOp>(
        loc, out.getType(), stacks.left, stacks.right, sums, adaptor.getXZeroPoint(), ValueRange(), out,
        cast<RankedTensorType>(op.getX().getType()).getElementType().isUnsignedInteger(), rewriter.getArrayAttr({}));
    rewriter.replaceOp(op, reshapeTo(rewriter, loc, product->getResult(0), nn::extentsOf(op.getType())));
    return success();
  }
};

struct LowerIntegerConv : OpConversionPattern<nn::IntegerConvOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::IntegerConvOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    ArrayRef<int64_t> x = shapeOf(adaptor.getX()), filter = shapeOf(adaptor.getWeights());
    int64_t rank = static_cast<int64_t>(x.size()) - 2, group = static_cast<int64_t>(op.getGroup());
    if (rank > 3)
      return op.emitError("at most 3 spatial dimensions are supported, found ") << rank;
    KernelCall call(rewriter, op.getLoc(), "integer_conv_nd", "integer_conv_nd");
    call.extent("batch", adaptor.getX(), 0).member("groups", group);
    call.member("channels", filter[1]).member("filters", filter[0] / group);
    Extents in = nn::extentsOf(op.getX()), out = nn::extentsOf(op.getType());
    AffineExpr one = rewriter.getAffineConstantExpr(1);
    call.extentList("in", threeDims(ArrayRef<AffineExpr>(in).drop_front(2), one));
    call.extentList("out", threeDims(ArrayRef<AffineExpr>(out).drop_front(2), one));
    call.member("kernel", threeDims(filter.drop_front(2), 1)).member("stride", threeDims(op.getStrides(), 1));
    call.member("dilation", threeDims(op.getDilations(), 1));
    call.member("pad", threeDims(op.getPads().take_front(rank), 0));
    call.macs(out, countElements(filter.drop_front()));
    call.extent("w_zeros", adaptor.getWeightsZeroPoint(), 0);
    call.input(adaptor.getX(), op.getX().getType()).input("weights", adaptor.getWeights(), op.getWeights().getType());
    call.input("x_zero", adaptor.getXZeroPoint(), op.getXZeroPoint().getType());
    call.input("weights_zero", adaptor.getWeightsZeroPoint(), op.getWeightsZeroPoint().getType());
    rewriter.replaceOp(op, call.create(op->getResultTypes()));
    return success();
  }
};

} // namespace

void populateIntegerProducts(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerIntegerMatMul, LowerQuantizedMatMul, LowerIntegerConv>(types, patterns.getContext());
}

} // namespace aotc::convert
