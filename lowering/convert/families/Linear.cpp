// Matrix products on [batch, m, k] x [batch, k, n]: of f32 as kern.matmul, of other types as calls of a plain kernel.
#include "ir/kern/Dialect.h"
#include "ir/nn/Dialect.h"
#include "ir/nn/Scalar.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
#include "lowering/convert/KernelCall.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace aotc::convert {

namespace {

// The leading dimensions of a stack of matrices, without units in front.
Extents batchOf(ArrayRef<AffineExpr> extents) {
  return Extents(extents.drop_back(2).drop_while([](AffineExpr extent) { return nn::isNumber(extent, 1); }));
}

// The operand with the batch dimensions written out where they are broadcast.
Value withBatch(OpBuilder &builder, Location loc, Value value, ArrayRef<AffineExpr> extents,
                ArrayRef<AffineExpr> batch) {
  Extents matrices = batchOf(extents), full(batch);
  if (matrices == Extents(batch))
    return value;
  llvm::append_range(matrices, extents.take_back(2));
  llvm::append_range(full, extents.take_back(2));
  return broadcast(builder, loc, reshapeTo(builder, loc, value, matrices), full);
}

struct LowerMatMul : OpConversionPattern<nn::MatMulOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::MatMulOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    MLIRContext *context = getContext();
    // Vectors as matrices of one row or one column.
    AffineExpr one = getAffineConstantExpr(1, context);
    Extents a = extentsOf(adaptor.getA()), b = extentsOf(adaptor.getB());
    if (a.size() == 1)
      a.insert(a.begin(), one);
    if (b.size() == 1)
      b.push_back(one);
    AffineExpr k = a.back(), n = b.back(), m = a[a.size() - 2];
    Extents aBatch = batchOf(a), bBatch = batchOf(b);
    Value left = adaptor.getA(), right = adaptor.getB();
    AffineExpr leftBatch = nn::product(aBatch, context), batch = nn::product(bBatch, context);
    if (batch == one) { // one matrix for all rows
      m = nn::product(ArrayRef<AffineExpr>(a).drop_back(), context);
      leftBatch = one;
    } else if (leftBatch != one && aBatch != bBatch) { // otherwise one matrix, shared by all batches
      Extents result = nn::extentsOf(op.getType());
      size_t matrixRank = (shapeOf(adaptor.getA()).size() > 1) + (shapeOf(adaptor.getB()).size() > 1);
      result.resize(result.size() - matrixRank);
      result.append({one, one});
      Extents both = batchOf(result);
      left = withBatch(rewriter, loc, left, a, both);
      right = withBatch(rewriter, loc, right, b, both);
      leftBatch = batch = nn::product(both, context);
    }
    left = reshapeTo(rewriter, loc, left, {leftBatch, m, k});
    right = reshapeTo(rewriter, loc, right, {batch, k, n});
    Value out = createDestination(rewriter, loc, {batch, m, n}, scalar::signless(op.getType().getElementType()));
    Value result = op.getType().getElementType().isF32() ? build(rewriter, loc, left, right, out)
                                                         : buildCall(rewriter, op, left, right, out);
    rewriter.replaceOp(op, reshapeTo(rewriter, loc, result, nn::extentsOf(op.getType())));
    return success();
  }

private:
  // left [1 or batch, m, k], right [1 or batch, k, n]
  static Value build(OpBuilder &builder, Location loc, Value left, Value right, Value out) {
    return builder
        .create<kern::MatMulOp>(loc, out.getType(), left, right, ValueRange(), out, false, builder.getArrayAttr({}))
        ->getResult(0);
  }

  // Types other than f32.
  static Value buildCall(OpBuilder &builder, nn::MatMulOp op, Value left, Value right, Value out) {
    KernelCall call(builder, op.getLoc(), "matmul_any", "matmul_any");
    call.extent("batch", out, 0).extent("m", left, 1).extent("k", left, 2).extent("n", right, 2);
    call.member("a_shared", shapeOf(left)[0] == 1 && shapeOf(out)[0] != 1).member("b_shared", shapeOf(right)[0] == 1);
    call.input(left, op.getA().getType()).input(right, op.getB().getType());
    return call.createInto(out, RankedTensorType::get(shapeOf(out), op.getType().getElementType())).front();
  }
};

} // namespace

void populateLinear(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerMatMul>(types, patterns.getContext());
}

} // namespace aotc::convert
