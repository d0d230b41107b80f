// Matrix products as kern.matmul on [batch, m, k] x [batch, k, n].
#include "ir/kern/Dialect.h"
#include "ir/nn/Dialect.h"
#include "lowering/convert/Convert.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace aotc::convert {

namespace {

int64_t product(ArrayRef<int64_t> extents) { return ShapedType::getNumElements(extents); }

struct LowerMatMul : OpConversionPattern<nn::MatMulOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::MatMulOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    if (!op.getType().getElementType().isF32())
      return op.emitError("only f32 matrix products are supported, found ") << op.getType().getElementType();
    // Vectors as matrices of one row or one column.
    SmallVector<int64_t> a(shapeOf(adaptor.getA())), b(shapeOf(adaptor.getB()));
    if (a.size() == 1)
      a.insert(a.begin(), 1);
    if (b.size() == 1)
      b.push_back(1);
    int64_t k = a.back(), n = b.back();
    ArrayRef<int64_t> aBatch = ArrayRef<int64_t>(a).drop_back(2), bBatch = ArrayRef<int64_t>(b).drop_back(2);
    int64_t batch = product(bBatch), m = a[a.size() - 2];
    if (batch == 1) { // one matrix for all rows
      m *= product(aBatch);
    } else if (aBatch != bBatch) {
      return op.emitError("leading dimensions that differ are supported only where one operand has none");
    }
    Value left = reshape(rewriter, loc, adaptor.getA(), {batch, m, k});
    Value right = reshape(rewriter, loc, adaptor.getB(), {batch, k, n});
    Value out = emptyTensor(rewriter, loc, {batch, m, n}, op.getType().getElementType());
    Value result = rewriter.create<kern::MatMulOp>(loc, out.getType(), left, right, ValueRange(), out, false,
                                                   rewriter.getArrayAttr({}))->getResult(0);
    rewriter.replaceOp(op, reshape(rewriter, loc, result, op.getType().getShape()));
    return success();
  }
};

} // namespace

void populateLinear(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerMatMul>(types, patterns.getContext());
}

} // namespace aotc::convert
