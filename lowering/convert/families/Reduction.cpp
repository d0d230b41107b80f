// Reductions and softmax as kernels over one run of dimensions, x [outer, length, inner].
#include "ir/kern/Dialect.h"
#include "ir/nn/Dialect.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace aotc::convert {

namespace {

// The dimensions to reduce moved to the end, where they do not form one run already (unit dimensions do not break one).
Value gatherRun(OpBuilder &builder, Location loc, Value x, SmallVector<int64_t> &axes) {
  ArrayRef<int64_t> shape = shapeOf(x);
  bool isRun = true;
  for (int64_t i = axes.front(); i <= axes.back(); ++i)
    isRun &= shape[i] == 1 || llvm::is_contained(axes, i);
  if (isRun)
    return x;
  SmallVector<int64_t> order;
  for (int64_t i = 0; i < static_cast<int64_t>(shape.size()); ++i)
    if (!llvm::is_contained(axes, i))
      order.push_back(i);
  int64_t first = static_cast<int64_t>(order.size());
  llvm::append_range(order, axes);
  axes.assign(llvm::to_vector(llvm::seq<int64_t>(first, first + axes.size())));
  return transpose(builder, loc, x, order);
}

kern::ReduceKind kindOf(nn::ReduceKind kind) {
  switch (kind) {
  case nn::ReduceKind::Sum:
  case nn::ReduceKind::Mean:
    return kern::ReduceKind::Sum;
  case nn::ReduceKind::Max:
    return kern::ReduceKind::Max;
  case nn::ReduceKind::Min:
    return kern::ReduceKind::Min;
  case nn::ReduceKind::Product:
    return kern::ReduceKind::Product;
  }
  llvm_unreachable("every kind has a kernel");
}

struct LowerReduce : OpConversionPattern<nn::ReduceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::ReduceOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    if (!op.getType().getElementType().isF32())
      return op.emitError("only f32 reductions are supported, found ") << op.getType().getElementType();
    if (failed(checkOneBounded(op)))
      return failure();
    SmallVector<int64_t> axes(op.getAxes());
    if (axes.empty()) {
      rewriter.replaceOp(op, adaptor.getX());
      return success();
    }
    Value x = gatherRun(rewriter, loc, adaptor.getX(), axes);
    ArrayRef<int64_t> shape = shapeOf(x);
    int64_t outer = countElements(shape.take_front(axes.front())),
            inner = countElements(shape.drop_front(axes.back() + 1));
    int64_t length = countElements(shape.slice(axes.front(), axes.back() - axes.front() + 1));
    if (ShapedType::isDynamic(length) || ShapedType::isDynamic(inner))
      return op.emitError("a bounded dimension may stand before the reduced ones only");
    Value run = reshape(rewriter, loc, x, {outer, length, inner});
    Value out = emptyTensor(rewriter, loc, {outer, inner}, op.getType().getElementType(), run);
    auto reduce = rewriter.create<kern::ReduceOp>(loc, out.getType(), run, ValueRange(), out, kindOf(op.getKind()),
                                                  rewriter.getArrayAttr({}));
    if (op.getKind() == nn::ReduceKind::Mean)
      divideBy(reduce, length, rewriter);
    rewriter.replaceOp(op, reshape(rewriter, loc, reduce->getResult(0), op.getType().getShape()));
    return success();
  }

private:
  static void divideBy(kern::ReduceOp reduce, int64_t length, OpBuilder &builder) {
    OpBuilder::InsertionGuard guard(builder);
    Location loc = reduce.getLoc();
    Type element = cast<ShapedType>(reduce.getOut().getType()).getElementType();
    Block *block = builder.createBlock(&reduce.getEpilogue(), {}, {element}, {loc});
    Value scale =
        builder.create<arith::ConstantOp>(loc, builder.getFloatAttr(element, 1.0 / static_cast<double>(length)));
    Value mean = builder.create<arith::MulFOp>(loc, block->getArgument(0), scale);
    builder.create<kern::YieldOp>(loc, mean);
  }
};

struct LowerSoftmax : OpConversionPattern<nn::SoftmaxOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::SoftmaxOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    if (!op.getType().getElementType().isF32())
      return op.emitError("only f32 softmax is supported, found ") << op.getType().getElementType();
    if (failed(checkOneBounded(op)))
      return failure();
    ArrayRef<int64_t> shape = op.getType().getShape();
    int64_t axis = op.getAxis();
    SmallVector<int64_t> run{countElements(shape.take_front(axis)), shape[axis],
                             countElements(shape.drop_front(axis + 1))};
    Value x = reshape(rewriter, loc, adaptor.getX(), run);
    Value out = emptyTensor(rewriter, loc, run, op.getType().getElementType(), x);
    Value result = rewriter.create<kern::SoftmaxOp>(loc, out.getType(), x, out, op.getLogarithm())->getResult(0);
    rewriter.replaceOp(op, reshape(rewriter, loc, result, shape));
    return success();
  }
};

} // namespace

void populateReduction(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerReduce, LowerSoftmax>(types, patterns.getContext());
}

} // namespace aotc::convert
