// Matrix products as kern.matmul on [batch, m, k] x [batch, k, n].
#include "ir/kern/Dialect.h"
#include "ir/nn/Dialect.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace aotc::convert {

namespace {

// The leading dimensions of a stack of matrices, without units in front.
SmallVector<int64_t> batchOf(ArrayRef<int64_t> shape) {
  return SmallVector<int64_t>(shape.drop_back(2).drop_while([](int64_t extent) { return extent == 1; }));
}

// The operand with the batch dimensions written out where they are broadcast; null where that would take a bounded dim.
Value withBatch(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> shape, ArrayRef<int64_t> batch) {
  if (ArrayRef<int64_t>(batchOf(shape)) == batch)
    return value;
  SmallVector<int64_t> full(batch);
  llvm::append_range(full, shape.take_back(2));
  if (llvm::any_of(full, ShapedType::isDynamic))
    return {};
  SmallVector<int64_t> matrices(batchOf(shape));
  llvm::append_range(matrices, shape.take_back(2));
  return broadcast(builder, loc, reshape(builder, loc, value, matrices), full);
}

struct LowerMatMul : OpConversionPattern<nn::MatMulOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::MatMulOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    if (!op.getType().getElementType().isF32())
      return op.emitError("only f32 matrix products are supported, found ") << op.getType().getElementType();
    if (failed(checkOneBounded(op)))
      return failure();
    // Vectors as matrices of one row or one column.
    SmallVector<int64_t> a(shapeOf(adaptor.getA())), b(shapeOf(adaptor.getB()));
    if (a.size() == 1)
      a.insert(a.begin(), 1);
    if (b.size() == 1)
      b.push_back(1);
    int64_t k = a.back(), n = b.back();
    SmallVector<int64_t> aBatch = batchOf(a), bBatch = batchOf(b);
    Value left = adaptor.getA(), right = adaptor.getB();
    int64_t leftBatch = countElements(aBatch), batch = countElements(bBatch), m = a[a.size() - 2];
    if (batch == 1) { // one matrix for all rows
      m = countElements(ArrayRef<int64_t>(a).drop_back());
      leftBatch = 1;
    } else if (leftBatch != 1 && aBatch != bBatch) { // otherwise one matrix, shared by all batches
      SmallVector<int64_t> both = batchOf(op.getType().getShape());
      left = withBatch(rewriter, loc, left, a, both);
      right = withBatch(rewriter, loc, right, b, both);
      if (!left || !right)
        return op.emitError("leading dimensions must be equal where one is bounded");
      leftBatch = batch = countElements(both);
    }
    left = reshape(rewriter, loc, left, {leftBatch, m, k});
    right = reshape(rewriter, loc, right, {batch, k, n});
    Value out = emptyTensor(rewriter, loc, {batch, m, n}, op.getType().getElementType(),
                            leftBatch == 1 && batch != 1 ? right : left);
    Value result = rewriter
                       .create<kern::MatMulOp>(loc, out.getType(), left, right, ValueRange(), out, false,
                                               rewriter.getArrayAttr({}))
                       ->getResult(0);
    rewriter.replaceOp(op, reshape(rewriter, loc, result, op.getType().getShape()));
    return success();
  }
};

} // namespace

void populateLinear(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerMatMul>(types, patterns.getContext());
}

} // namespace aotc::convert
