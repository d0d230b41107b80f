// Reductions and softmax as kernels over one run of dimensions, x [outer, length, inner].
#include "ir/kern/Dialect.h"
#include "ir/nn/Dialect.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
#include "lowering/convert/KernelCall.h"
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

// x as [outer, length, inner] around the dimensions first … last.
Value asRun(OpBuilder &builder, Location loc, Value x, int64_t first, int64_t last) {
  ArrayRef<int64_t> shape = shapeOf(x);
  return reshape(builder, loc, x,
                 {countElements(shape.take_front(first)), countElements(shape.slice(first, last - first + 1)),
                  countElements(shape.drop_front(last + 1))});
}

KernelCall &addRun(KernelCall &call, Value run) {
  return call.extent("outer", run, 0).extent("length", run, 1).extent("inner", run, 2);
}

// The functor of templates/kernels/fold.hpp.
StringRef functorOf(nn::ReduceKind kind) {
  switch (kind) {
  case nn::ReduceKind::Sum:
  case nn::ReduceKind::Mean:
    return "aotc::Sum{}";
  case nn::ReduceKind::Max:
    return "aotc::Max{}";
  case nn::ReduceKind::Min:
    return "aotc::Min{}";
  case nn::ReduceKind::Product:
    return "aotc::Product{}";
  }
  llvm_unreachable("every kind has a functor");
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
    Type element = op.getType().getElementType();
    if (element.isInteger(1) || (op.getKind() == nn::ReduceKind::Mean && !element.isF32()))
      return op.emitError("bools cannot be reduced, and only f32 has means, found ") << element;
    if (failed(checkOneBounded(op)))
      return failure();
    SmallVector<int64_t> axes(op.getAxes());
    if (axes.empty()) {
      rewriter.replaceOp(op, adaptor.getX());
      return success();
    }
    Value x = gatherRun(rewriter, loc, adaptor.getX(), axes);
    Value run = asRun(rewriter, loc, x, axes.front(), axes.back());
    if (ShapedType::isDynamic(shapeOf(run)[1]) || ShapedType::isDynamic(shapeOf(run)[2]))
      return op.emitError("a bounded dimension may stand before the reduced ones only");
    Value result = element.isF32() ? build(rewriter, op, run) : buildCall(rewriter, op, run);
    rewriter.replaceOp(op, reshape(rewriter, loc, result, op.getType().getShape()));
    return success();
  }

private:
  // Floats, with an epilogue.
  static Value build(OpBuilder &builder, nn::ReduceOp op, Value run) {
    Location loc = op.getLoc();
    Value out = emptyTensor(builder, loc, {shapeOf(run)[0], shapeOf(run)[2]}, elementOf(run), run);
    auto reduce = builder.create<kern::ReduceOp>(loc, out.getType(), run, ValueRange(), out, kindOf(op.getKind()),
                                                 builder.getArrayAttr({}));
    if (op.getKind() == nn::ReduceKind::Mean)
      divideBy(reduce, shapeOf(run)[1], builder);
    return reduce->getResult(0);
  }

  static Value buildCall(OpBuilder &builder, nn::ReduceOp op, Value run) {
    KernelCall call(builder, op.getLoc(), "reduce", "reduce");
    addRun(call, run).input(run, op.getX().getType()).argument(functorOf(op.getKind()));
    auto type = RankedTensorType::get({shapeOf(run)[0], shapeOf(run)[2]}, op.getType().getElementType());
    return call.create(type, run).front();
  }

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

struct LowerCumulate : OpConversionPattern<nn::CumulateOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::CumulateOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    if (op.getType().getElementType().isInteger(1))
      return op.emitError("bools cannot be added up");
    if (failed(checkOneBounded(op)))
      return failure();
    int64_t axis = op.getAxis();
    Value run = asRun(rewriter, loc, adaptor.getX(), axis, axis);
    KernelCall call(rewriter, loc, "cumulate", "cumulate");
    addRun(call, run).input(run, op.getX().getType()).inPlaceOf(0).argument(functorOf(op.getKind()));
    call.argument(op.getExclusive()).argument(op.getReverse());
    Value result = call.create(op.getType().clone(shapeOf(run)), run).front();
    rewriter.replaceOp(op, reshape(rewriter, loc, result, op.getType().getShape()));
    return success();
  }
};

} // namespace

void populateReduction(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerReduce, LowerCumulate, LowerSoftmax>(types, patterns.getContext());
}

} // namespace aotc::convert
