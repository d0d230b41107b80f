// Matrix products on [batch, m, k] x [batch, k, n]: of f32 as kern.matmul, of other types as calls of a plain kernel.
#include "ir/kern/Dialect.h"
#include "ir/nn/Dialect.h"
#include "ir/nn/Scalar.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
#include "lowering/convert/KernelCall.h"
#include "lowering/convert/MatrixStacks.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace aotc::convert {

namespace {

struct LowerMatMul : OpConversionPattern<nn::MatMulOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::MatMulOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    MatrixStacks stacks = stackMatrices(rewriter, loc, adaptor.getA(), adaptor.getB(), op.getType());
    Value out = createDestination(rewriter, loc, {stacks.batch, stacks.m, stacks.n},
                                  scalar::signless(op.getType().getElementType()));
    Value result = op.getType().getElementType().isF32() ? build(rewriter, loc, stacks.left, stacks.right, out)
                                                         : buildCall(rewriter, op, stacks.left, stacks.right, out);
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
    call.input("a", left, op.getA().getType()).input("weights", right, op.getB().getType());
    Extents products = extentsOf(out);
    products.push_back(extentsOf(left)[2]);
    call.macs(products, 1);
    return call.createInto(out, RankedTensorType::get(shapeOf(out), op.getType().getElementType())).front();
  }
};

} // namespace

void populateLinear(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerMatMul>(types, patterns.getContext());
}

} // namespace aotc::convert
