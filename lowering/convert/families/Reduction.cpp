// Reductions and softmax as kernels over one run of dimensions, x [outer, length, inner]; softmax along the last one has
// no inner.
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
    SmallVector<int64_t> axes(op.getAxes());
    if (axes.empty()) {
      rewriter.replaceOp(op, adaptor.getX());
      return success();
    }
    Value x = gatherRun(rewriter, loc, adaptor.getX(), axes);
    Extents run = runAround(extentsOf(x), axes.front(), axes.back() - axes.front() + 1);
    x = reshapeTo(rewriter, loc, x, run);
    Value out = createDestination(rewriter, loc, {run[0], run[2]}, scalar::signless(element));
    Value result = element.isF32() ? build(rewriter, op, x, out) : buildCall(rewriter, op, x, out);
    rewriter.replaceOp(op, reshapeTo(rewriter, loc, result, nn::extentsOf(op.getType())));
    return success();
  }

private:
  // Floats, with an epilogue.
  static Value build(OpBuilder &builder, nn::ReduceOp op, Value run, Value out) {
    Location loc = op.getLoc();
    auto reduce = builder.create<kern::ReduceOp>(loc, out.getType(), run, ValueRange(), out, kindOf(op.getKind()),
                                                 builder.getArrayAttr({}));
    Value result = reduce->getResult(0);
    if (op.getKind() != nn::ReduceKind::Mean)
      return result;
    AffineExpr length = extentsOf(run)[1];
    if (!nn::numberOf(length))
      return divideBy(builder, loc, result, extentValues(builder, loc, length));
    divideBy(reduce, *nn::numberOf(length), builder);
    return result;
  }

  static Value buildCall(OpBuilder &builder, nn::ReduceOp op, Value run, Value out) {
    KernelCall call(builder, op.getLoc(), "reduce", "reduce");
    addRun(call, run).input(run, op.getX().getType()).argument(functorOf(op.getKind()));
    return call.createInto(out, RankedTensorType::get(shapeOf(out), op.getType().getElementType())).front();
  }

  // By a length that only the run knows, one i64.
  static Value divideBy(OpBuilder &builder, Location loc, Value sum, Value length) {
    BroadcastOperand operands[] = {broadcastOperand(builder, loc, sum, shapeOf(sum)),
                                   broadcastOperand(builder, loc, length, shapeOf(sum))};
    Value out = createDestination(builder, loc, extentsOf(sum), elementOf(sum));
    return buildGeneric(builder, loc, out, operands, [&](OpBuilder &nested, Location at, ValueRange args) -> Value {
      Value count = nested.create<arith::SIToFPOp>(at, args[0].getType(), args[1]);
      return nested.create<arith::DivFOp>(at, args[0], count);
    });
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
    Extents extents = nn::extentsOf(op.getType()), run = runAround(extents, op.getAxis(), 1);
    if (nn::isNumber(run[2], 1))
      run.pop_back();
    Value x = reshapeTo(rewriter, loc, adaptor.getX(), run);
    Value out = createDestination(rewriter, loc, run, op.getType().getElementType());
    auto softmax = rewriter.create<kern::SoftmaxOp>(loc, out.getType(), x, ValueRange(), out, op.getLogarithm(),
                                                    rewriter.getArrayAttr({}));
    Value result = softmax->getResult(0);
    rewriter.replaceOp(op, reshapeTo(rewriter, loc, result, extents));
    return success();
  }
};

struct LowerCumulate : OpConversionPattern<nn::CumulateOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::CumulateOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    if (op.getType().getElementType().isInteger(1))
      return op.emitError("bools cannot be added up");
    Value run = reshapeTo(rewriter, loc, adaptor.getX(), runAround(extentsOf(adaptor.getX()), op.getAxis(), 1));
    KernelCall call(rewriter, loc, "cumulate", "cumulate");
    addRun(call, run).input(run, op.getX().getType()).inPlaceOf(0).argument(functorOf(op.getKind()));
    call.argument(op.getExclusive()).argument(op.getReverse());
    Type element = op.getType().getElementType();
    Value out = createDestination(rewriter, loc, extentsOf(run), scalar::signless(element));
    Value result = call.createInto(out, RankedTensorType::get(shapeOf(out), element)).front();
    rewriter.replaceOp(op, reshapeTo(rewriter, loc, result, nn::extentsOf(op.getType())));
    return success();
  }
};

} // namespace

void populateReduction(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerReduce, LowerCumulate, LowerSoftmax>(types, patterns.getContext());
}

} // namespace aotc::convert
