// Element-wise ops: every one is a linalg.generic around its scalar body. Quantization is element-wise too.
#include "ir/nn/Dialect.h"
#include "ir/nn/Scalar.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <limits>

using namespace mlir;

namespace aotc::convert {

Value buildGeneric(OpBuilder &builder, Location loc, Value out, ArrayRef<BroadcastOperand> operands, BodyBuilder body) {
  auto resultType = cast<RankedTensorType>(out.getType());
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (const BroadcastOperand &operand : operands) {
    inputs.push_back(operand.value);
    maps.push_back(operand.map);
  }
  maps.push_back(builder.getMultiDimIdentityMap(resultType.getRank()));
  SmallVector<utils::IteratorType> iterators(resultType.getRank(), utils::IteratorType::parallel);
  auto generic = builder.create<linalg::GenericOp>(
      loc, resultType, inputs, out, maps, iterators, [&](OpBuilder &nested, Location nestedLoc, ValueRange args) {
        nested.create<linalg::YieldOp>(nestedLoc, body(nested, nestedLoc, args.drop_back()));
      });
  return generic.getResult(0);
}

Value broadcast(OpBuilder &builder, Location loc, Value value, ArrayRef<AffineExpr> extents) {
  return buildGeneric(builder, loc, createDestination(builder, loc, extents, elementOf(value)),
                      broadcastOperand(builder, loc, value, nn::shapeOf(extents)),
                      [](OpBuilder &, Location, ValueRange args) { return args[0]; });
}

namespace {

struct LowerElementwise : OpInterfaceConversionPattern<nn::ElementwiseOp> {
  using OpInterfaceConversionPattern::OpInterfaceConversionPattern;
  LogicalResult matchAndRewrite(nn::ElementwiseOp op, ArrayRef<Value> operands,
                                ConversionPatternRewriter &rewriter) const final {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    SmallVector<BroadcastOperand> inputs;
    for (Value operand : operands)
      inputs.push_back(broadcastOperand(rewriter, op.getLoc(), operand, type.getShape()));
    Value out = createDestination(rewriter, op.getLoc(), type);
    rewriter.replaceOp(
        op, buildGeneric(rewriter, op.getLoc(), out, inputs, [&](OpBuilder &builder, Location loc, ValueRange args) {
          return op.buildScalar(builder, loc, args);
        }));
    return success();
  }
};

struct LowerExpand : OpConversionPattern<nn::ExpandOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::ExpandOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOp(op, broadcast(rewriter, op.getLoc(), adaptor.getX(), nn::extentsOf(op.getType())));
    return success();
  }
};

// Reads a scale or zero point from the indices of x: a scalar, a vector along the axis, or what broadcasts to x.
BroadcastOperand perAxis(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> shape, int64_t axis) {
  auto rank = static_cast<unsigned>(shape.size());
  auto type = cast<RankedTensorType>(value.getType());
  if (type.hasStaticShape() && type.getNumElements() == 1)
    return {reshape(builder, loc, value, {}), AffineMap::get(rank, 0, builder.getContext())};
  if (type.getRank() > 1)
    return broadcastOperand(builder, loc, value, shape);
  return {value, AffineMap::get(rank, 0, builder.getAffineDimExpr(axis))};
}

template <class Op>
SmallVector<BroadcastOperand> quantizationOperands(Op op, typename Op::Adaptor adaptor, OpBuilder &builder) {
  ArrayRef<int64_t> shape = op.getType().getShape();
  int64_t rank = op.getType().getRank(), axis = op.getAxis();
  SmallVector<BroadcastOperand> operands{{adaptor.getX(), builder.getMultiDimIdentityMap(rank)}};
  operands.push_back(perAxis(builder, op.getLoc(), adaptor.getScale(), shape, axis));
  if (adaptor.getZeroPoint())
    operands.push_back(perAxis(builder, op.getLoc(), adaptor.getZeroPoint(), shape, axis));
  return operands;
}

// The integer as an i32: wide enough for a value minus a zero point of 8 or 16 bits.
Value widen(OpBuilder &builder, Location loc, Value value, bool isUnsigned) {
  if (value.getType().isInteger(32))
    return value;
  if (isUnsigned)
    return builder.create<arith::ExtUIOp>(loc, builder.getI32Type(), value);
  return builder.create<arith::ExtSIOp>(loc, builder.getI32Type(), value);
}

struct LowerDequantize : OpConversionPattern<nn::DequantizeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::DequantizeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (op.getBlockSize() != 0)
      return op.emitError("'block_size' is supported for constants only");
    bool isUnsigned = cast<RankedTensorType>(op.getX().getType()).getElementType().isUnsignedInteger();
    auto type = op.getType();
    Value out = createDestination(rewriter, op.getLoc(), type);
    rewriter.replaceOp(op, buildGeneric(rewriter, op.getLoc(), out, quantizationOperands(op, adaptor, rewriter),
                                        [&](OpBuilder &builder, Location loc, ValueRange args) -> Value {
                                          Value x = widen(builder, loc, args[0], isUnsigned);
                                          if (args.size() > 2)
                                            x = builder.create<arith::SubIOp>(loc, x,
                                                                              widen(builder, loc, args[2], isUnsigned));
                                          Value real = builder.create<arith::SIToFPOp>(loc, type.getElementType(), x);
                                          return builder.create<arith::MulFOp>(loc, real, args[1]);
                                        }));
    return success();
  }
};

struct LowerQuantize : OpConversionPattern<nn::QuantizeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::QuantizeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    auto integer = dyn_cast<IntegerType>(op.getTo());
    if (op.getBlockSize() != 0 || !integer || integer.getWidth() > 16)
      return op.emitError("only quantization to integers of up to 16 bits is supported, without blocks");
    bool isUnsigned = integer.isUnsigned();
    double least = isUnsigned ? 0.0 : -std::ldexp(1.0, integer.getWidth() - 1);
    double most = std::ldexp(1.0, integer.getWidth() - (isUnsigned ? 0 : 1)) - 1.0;
    auto type = getTypeConverter()->convertType<RankedTensorType>(op.getType());
    Value out = createDestination(rewriter, op.getLoc(), op.getType());
    rewriter.replaceOp(
        op, buildGeneric(rewriter, op.getLoc(), out, quantizationOperands(op, adaptor, rewriter),
                         [&](OpBuilder &builder, Location loc, ValueRange args) -> Value {
                           // saturate(round_half_even(x / scale) + zero_point), in floats: exact for 8 and 16 bits.
                           Type real = args[0].getType();
                           auto number = [&](double value) {
                             return builder.create<arith::ConstantOp>(loc, builder.getFloatAttr(real, value));
                           };
                           Value q = builder.create<math::RoundEvenOp>(
                               loc, builder.create<arith::DivFOp>(loc, args[0], args[1]));
                           if (args.size() > 2)
                             q = builder.create<arith::AddFOp>(
                                 loc, q,
                                 builder.create<arith::SIToFPOp>(loc, real, widen(builder, loc, args[2], isUnsigned)));
                           // NaN becomes the least number.
                           auto limit = [&](arith::CmpFPredicate isWithin, double value) {
                             Value bound = number(value);
                             Value within = builder.create<arith::CmpFOp>(loc, isWithin, q, bound);
                             q = builder.create<arith::SelectOp>(loc, within, q, bound);
                           };
                           limit(arith::CmpFPredicate::OGT, least);
                           limit(arith::CmpFPredicate::OLT, most);
                           Value wide = builder.create<arith::FPToSIOp>(loc, builder.getI32Type(), q);
                           return builder.create<arith::TruncIOp>(loc, type.getElementType(), wide);
                         }));
    return success();
  }
};

} // namespace

void populateElementwise(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerElementwise, LowerExpand, LowerDequantize, LowerQuantize>(types, patterns.getContext());
}

} // namespace aotc::convert
