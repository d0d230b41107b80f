// Matrix products on [batch, m, k] x [batch, k, n]: of f32 as kern.matmul, of other types as calls of a plain kernel.
#include "ir/kern/Dialect.h"
#include "ir/nn/Dialect.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
#include "lowering/convert/KernelCall.h"
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
    Value result = op.getType().getElementType().isF32() ? build(rewriter, loc, left, right)
                                                         : buildCall(rewriter, op, left, right);
    rewriter.replaceOp(op, reshape(rewriter, loc, result, op.getType().getShape()));
    return success();
  }

private:
  // left [1 or batch, m, k], right [1 or batch, k, n]
  static Value build(OpBuilder &builder, Location loc, Value left, Value right) {
    int64_t batch = shapeOf(right)[0];
    Value out = emptyTensor(builder, loc, {batch, shapeOf(left)[1], shapeOf(right)[2]}, elementOf(left),
                            withBatches(left, right));
    return builder
        .create<kern::MatMulOp>(loc, out.getType(), left, right, ValueRange(), out, false, builder.getArrayAttr({}))
        ->getResult(0);
  }

  // Types other than f32.
  static Value buildCall(OpBuilder &builder, nn::MatMulOp op, Value left, Value right) {
    KernelCall call(builder, op.getLoc(), "matmul_any", "matmul_any");
    Value batches = withBatches(left, right);
    call.extent("batch", batches, 0).extent("m", left, 1).extent("k", left, 2).extent("n", right, 2);
    call.member("a_shared", batches != left).member("b_shared", shapeOf(right)[0] == 1);
    call.input(left, op.getA().getType()).input(right, op.getB().getType());
    auto type =
        RankedTensorType::get({shapeOf(right)[0], shapeOf(left)[1], shapeOf(right)[2]}, op.getType().getElementType());
    return call.create(type, batches).front();
  }

  // The operand that has as many matrices as the result.
  static Value withBatches(Value left, Value right) {
    return shapeOf(left)[0] == 1 && shapeOf(right)[0] != 1 ? right : left;
  }
};

} // namespace

void populateLinear(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerMatMul>(types, patterns.getContext());
}

} // namespace aotc::convert
