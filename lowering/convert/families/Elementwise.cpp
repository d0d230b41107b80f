// Element-wise ops: every one is a linalg.generic around its scalar body. Quantization is element-wise too.
#include "ir/kern/Dialect.h"
#include "ir/nn/Dialect.h"
#include "ir/nn/HostTensor.h"
#include "ir/nn/Scalar.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
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

// Scale or zero point: a number where it is constant and the same for the whole tensor, else read beside x.
struct QuantizationTerm {
  std::optional<double> number;
  Value operand;
};

QuantizationTerm termOf(Value original, Value converted) {
  ElementsAttr elements;
  if (!original || !matchPattern(original, m_Constant(&elements)) || elements.getNumElements() != 1)
    return {std::nullopt, converted};
  return {nn::HostTensor::view(elements).toDouble(0), {}};
}

// An element-wise step of x, a scale and a zero point, of which those that are no numbers are read from memory.
// body(builder, loc, x, scale, zero point) gets the last two as what they are read as.
struct QuantizationStep {
  QuantizationTerm scale, zero;
  SmallVector<BroadcastOperand> operands;

  template <class Op>
  QuantizationStep(Op op, typename Op::Adaptor adaptor, OpBuilder &builder)
      : scale(termOf(op.getScale(), adaptor.getScale())), zero(termOf(op.getZeroPoint(), adaptor.getZeroPoint())) {
    ArrayRef<int64_t> shape = op.getType().getShape();
    operands.push_back({adaptor.getX(), builder.getMultiDimIdentityMap(op.getType().getRank())});
    for (const QuantizationTerm *term : {&scale, &zero})
      if (term->operand)
        operands.push_back(perAxis(builder, op.getLoc(), term->operand, shape, op.getAxis()));
  }
  Value scaleIn(OpBuilder &builder, Location loc, ValueRange args, FloatType type) const {
    if (scale.number)
      return builder.create<arith::ConstantOp>(loc, builder.getFloatAttr(type, *scale.number));
    return args[1];
  }
  // As it is in memory; null where it is a number or not there.
  Value zeroIn(ValueRange args) const { return zero.operand ? args[scale.operand ? 2 : 1] : Value(); }
};

// The integer in floats, exact for those of up to 24 bits.
Value toFloat(OpBuilder &builder, Location loc, Value value, FloatType type, bool isUnsigned) {
  if (isUnsigned)
    return builder.create<arith::UIToFPOp>(loc, type, value);
  return builder.create<arith::SIToFPOp>(loc, type, value);
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
    auto integer = cast<IntegerType>(cast<RankedTensorType>(op.getX().getType()).getElementType());
    auto real = cast<FloatType>(op.getType().getElementType());
    Value out = createDestination(rewriter, op.getLoc(), op.getType());
    QuantizationStep step(op, adaptor, rewriter);
    rewriter.replaceOp(op, buildGeneric(rewriter, op.getLoc(), out, step.operands,
                                        [&](OpBuilder &builder, Location loc, ValueRange args) -> Value {
                                          Value difference = subtractZero(builder, loc, args, step, integer, real);
                                          if (step.scale.number == 1.0)
                                            return difference;
                                          return builder.create<arith::MulFOp>(loc, difference,
                                                                               step.scaleIn(builder, loc, args, real));
                                        }));
    return success();
  }

private:
  // x - zero point, exact: in floats that hold it, which vectors can do.
  static Value subtractZero(OpBuilder &builder, Location loc, ValueRange args, const QuantizationStep &step,
                            IntegerType integer, FloatType real) {
    bool isUnsigned = integer.isUnsigned();
    if (Value zero = step.zeroIn(args)) {
      if (integer.getWidth() < real.getFPMantissaWidth())
        return builder.create<arith::SubFOp>(loc, toFloat(builder, loc, args[0], real, isUnsigned),
                                             toFloat(builder, loc, zero, real, isUnsigned));
      Value difference = builder.create<arith::SubIOp>(loc, widen(builder, loc, args[0], isUnsigned),
                                                       widen(builder, loc, zero, isUnsigned));
      return builder.create<arith::SIToFPOp>(loc, real, difference);
    }
    double zero = step.zero.number.value_or(0);
    if (zero != 0 && integer.getWidth() > 16) {
      Value number =
          builder.create<arith::ConstantOp>(loc, builder.getIntegerAttr(args[0].getType(), static_cast<int64_t>(zero)));
      return builder.create<arith::SIToFPOp>(loc, real, builder.create<arith::SubIOp>(loc, args[0], number));
    }
    Value x = toFloat(builder, loc, args[0], real, isUnsigned);
    if (zero == 0)
      return x;
    if (zero < 0) // the same, and easier to read
      return builder.create<arith::AddFOp>(loc, x,
                                           builder.create<arith::ConstantOp>(loc, builder.getFloatAttr(real, -zero)));
    return builder.create<arith::SubFOp>(loc, x,
                                         builder.create<arith::ConstantOp>(loc, builder.getFloatAttr(real, zero)));
  }
};

struct LowerQuantize : OpConversionPattern<nn::QuantizeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::QuantizeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    auto integer = dyn_cast<IntegerType>(op.getTo());
    if (op.getBlockSize() != 0 || !integer || integer.getWidth() > 16)
      return op.emitError("only quantization to integers of up to 16 bits is supported, without blocks");
    auto real = cast<FloatType>(cast<RankedTensorType>(op.getX().getType()).getElementType());
    Value out = createDestination(rewriter, op.getLoc(), op.getType());
    QuantizationStep step(op, adaptor, rewriter);
    bool isByte = integer.getWidth() == 8 && real.isF32();
    auto body = [&](OpBuilder &builder, Location loc, ValueRange args) -> Value {
      Value scaled = args[0];
      if (step.scale.number.value_or(0) != 1)
        scaled = builder.create<arith::DivFOp>(loc, scaled, step.scaleIn(builder, loc, args, real));
      Value zero = zeroIn(builder, loc, step, args, integer, real);
      if (!isByte)
        return quantize(builder, loc, scaled, zero, integer);
      int64_t low = integer.isUnsigned() ? 0 : -128;
      return builder.create<kern::QuantizeOp>(loc, builder.getI8Type(), scaled, zero, low, low + 255);
    };
    rewriter.replaceOp(op, buildGeneric(rewriter, op.getLoc(), out, step.operands, body));
    return success();
  }

private:
  static Value zeroIn(OpBuilder &builder, Location loc, const QuantizationStep &step, ValueRange args,
                      IntegerType integer, FloatType real) {
    if (Value zero = step.zeroIn(args))
      return toFloat(builder, loc, zero, real, integer.isUnsigned());
    return builder.create<arith::ConstantOp>(loc, builder.getFloatAttr(real, step.zero.number.value_or(0)));
  }

  // saturate(round_half_even(scaled) + zero_point), in floats: exact for 8 and 16 bits. NaN becomes the least number.
  static Value quantize(OpBuilder &builder, Location loc, Value scaled, Value zero, IntegerType integer) {
    auto number = [&](double value) {
      return builder.create<arith::ConstantOp>(loc, builder.getFloatAttr(scaled.getType(), value));
    };
    double least = integer.isUnsigned() ? 0.0 : -std::ldexp(1.0, static_cast<int>(integer.getWidth()) - 1);
    double most = least + std::ldexp(1.0, static_cast<int>(integer.getWidth())) - 1.0;
    Value q = builder.create<arith::AddFOp>(loc, builder.create<math::RoundEvenOp>(loc, scaled), zero);
    auto limit = [&](arith::CmpFPredicate isWithin, double value) {
      Value bound = number(value);
      Value within = builder.create<arith::CmpFOp>(loc, isWithin, q, bound);
      q = builder.create<arith::SelectOp>(loc, within, q, bound);
    };
    limit(arith::CmpFPredicate::OGT, least);
    limit(arith::CmpFPredicate::OLT, most);
    Value wide = builder.create<arith::FPToSIOp>(loc, builder.getI32Type(), q);
    return builder.create<arith::TruncIOp>(loc, builder.getIntegerType(integer.getWidth()), wide);
  }
};

} // namespace

void populateElementwise(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerElementwise, LowerExpand, LowerDequantize, LowerQuantize>(types, patterns.getContext());
}

} // namespace aotc::convert
