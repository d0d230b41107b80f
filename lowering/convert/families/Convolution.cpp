// Convolution and pooling: channels-last images of two spatial dimensions. One spatial dimension is an image of
// height 1. Images of f32 with constant weights take the fast kernels, whose epilogues fuse with what follows; others
// take plain ones.
#include "ir/kern/Dialect.h"
#include "ir/nn/Dialect.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/KernelCall.h"
#include "lowering/convert/ThreeDims.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace aotc::convert {

namespace {

// Window attributes of one or two spatial dimensions as those of two.
struct Window2D {
  SmallVector<int64_t> kernel, strides, pads, dilations;
};

// `values` per spatial dimension, with `missing` for the height of a 1-D window.
SmallVector<int64_t> twoDims(ArrayRef<int64_t> values, int64_t missing) {
  SmallVector<int64_t> result(values);
  if (result.size() == 1)
    result.insert(result.begin(), missing);
  return result;
}

// Begins and ends per dimension as top, left, bottom, right.
SmallVector<int64_t> twoDimPads(ArrayRef<int64_t> pads) {
  return pads.size() == 2 ? SmallVector<int64_t>{0, pads[0], 0, pads[1]} : SmallVector<int64_t>(pads);
}

Window2D windowOf(ArrayRef<int64_t> kernel, ArrayRef<int64_t> strides, ArrayRef<int64_t> pads,
                  ArrayRef<int64_t> dilations) {
  return {twoDims(kernel, 1), twoDims(strides, 1), twoDimPads(pads), twoDims(dilations, 1)};
}

// [n, w, c] as [n, 1, w, c].
SmallVector<int64_t> imageShape(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> result(shape);
  if (result.size() == 3)
    result.insert(result.begin() + 1, 1);
  return result;
}

// [n, c, w] as [n, c, 1, w].
SmallVector<int64_t> planarShape(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> result(shape);
  if (result.size() == 3)
    result.insert(result.begin() + 2, 1);
  return result;
}

// The planar image behind a transpose that only made it channels-last, where it has few enough channels: the kernel
// reads such an image in place, element by element in any case.
Value planarSource(nn::ConvOp conv, ConversionPatternRewriter &rewriter) {
  constexpr int64_t mostChannels = 4;
  auto transpose = conv.getX().getDefiningOp<nn::TransposeOp>();
  if (!transpose || conv.getGroup() != 1 || conv.getType().getRank() < 3)
    return {};
  ArrayRef<int64_t> order = transpose.getPermutation();
  bool movesChannels = order.front() == 0 && order.back() == 1 && llvm::is_sorted(order.drop_back());
  if (!movesChannels || shapeOf(transpose.getX())[1] > mostChannels)
    return {};
  return rewriter.getRemappedValue(transpose.getX());
}

// Checks what every image op needs here.
LogicalResult checkShape(Operation *op, RankedTensorType x, bool channelsLast) {
  assert(channelsLast && "the layout pass makes image ops channels-last");
  (void)channelsLast;
  if (x.getRank() < 3 || x.getRank() > 4)
    return op->emitError("1 or 2 spatial dimensions are supported, found ") << x.getRank() - 2;
  if (llvm::any_of(x.getShape().drop_front(), ShapedType::isDynamic))
    return op->emitError("only the batch of an image may be bounded, its other extents must be known");
  return success();
}

// The plain kernel, whose weights are [kernel…, C / group, O]: reordered when compiling where they are constant.
LogicalResult lowerPlainConv(nn::ConvOp op, nn::ConvOp::Adaptor adaptor, ConversionPatternRewriter &rewriter) {
  auto x = cast<RankedTensorType>(op.getX().getType());
  int64_t rank = x.getRank() - 2;
  if (rank > 3)
    return op.emitError("at most 3 spatial dimensions are supported, found ") << rank;
  if (failed(checkStatic(op)))
    return failure();
  if (!x.getElementType().isF32() && !x.getElementType().isF64())
    return op.emitError("only f32 and f64 images are supported, found ") << x.getElementType();
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(2, rank + 2));
  order.append({1, 0});
  Value weights = rewriter.createOrFold<nn::TransposeOp>(op.getLoc(), op.getWeights(), order);
  ArrayRef<int64_t> filter = shapeOf(op.getWeights()), shape = x.getShape();
  auto group = static_cast<int64_t>(op.getGroup());
  KernelCall call(rewriter, op.getLoc(), "conv_nd", op.getBias() ? "conv_nd_bias" : "conv_nd");
  call.member("batch", shape[0]).member("groups", group);
  call.member("channels", filter[1]).member("filters", filter[0] / group);
  call.member("in", threeDims(shape.drop_front().drop_back(), 1));
  call.member("out", threeDims(op.getType().getShape().drop_front().drop_back(), 1));
  call.member("kernel", threeDims(filter.drop_front(2), 1)).member("stride", threeDims(op.getStrides(), 1));
  call.member("dilation", threeDims(op.getDilations(), 1));
  call.member("pad", threeDims(op.getPads().take_front(rank), 0));
  call.input(adaptor.getX()).input(weights);
  if (op.getBias())
    call.input(adaptor.getBias());
  rewriter.replaceOp(op, call.create(op->getResultTypes()));
  return success();
}

struct LowerConv : OpConversionPattern<nn::ConvOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::ConvOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    auto x = cast<RankedTensorType>(op.getX().getType());
    if (x.getRank() > 4 || !x.getElementType().isF32() || !adaptor.getWeights().getDefiningOp<arith::ConstantOp>())
      return lowerPlainConv(op, adaptor, rewriter);
    if (failed(checkShape(op, x, op.getChannelsLast())))
      return failure();
    ArrayRef<int64_t> filter = shapeOf(adaptor.getWeights());
    Window2D window = windowOf(filter.drop_front(2), op.getStrides(), op.getPads(), op.getDilations());
    SmallVector<int64_t> weightShape{filter[0], filter[1], window.kernel[0], window.kernel[1]};
    Value planar = planarSource(op, rewriter);
    Value image = planar ? reshape(rewriter, loc, planar, planarShape(shapeOf(planar)))
                         : reshape(rewriter, loc, adaptor.getX(), imageShape(x.getShape()));
    Value weights = reshape(rewriter, loc, adaptor.getWeights(), weightShape);
    Value out = emptyTensor(rewriter, loc, imageShape(op.getType().getShape()), x.getElementType(), image);
    SmallVector<Value> extras;
    SmallVector<Attribute> maps;
    if (adaptor.getBias()) {
      extras.push_back(adaptor.getBias());
      maps.push_back(AffineMapAttr::get(AffineMap::get(4, 0, rewriter.getAffineDimExpr(3))));
    }
    auto conv = rewriter.create<kern::Conv2DOp>(loc, out.getType(), image, weights, extras, out, window.kernel,
                                                window.strides, window.pads, window.dilations, op.getGroup(),
                                                kern::ConvKind::Direct, planar != nullptr, /*x_unsigned=*/false,
                                                /*x_zero_point=*/0, rewriter.getArrayAttr(maps));
    if (adaptor.getBias())
      addBias(conv, rewriter);
    rewriter.replaceOp(op, reshape(rewriter, loc, conv->getResult(0), op.getType().getShape()));
    return success();
  }

private:
  static void addBias(kern::Conv2DOp conv, OpBuilder &builder) {
    OpBuilder::InsertionGuard guard(builder);
    Type element = cast<ShapedType>(conv.getOut().getType()).getElementType();
    Block *block = builder.createBlock(&conv.getEpilogue(), {}, {element, element}, {conv.getLoc(), conv.getLoc()});
    Value sum = builder.create<arith::AddFOp>(conv.getLoc(), block->getArgument(0), block->getArgument(1));
    builder.create<kern::YieldOp>(conv.getLoc(), sum);
  }
};

// The requantization is the kernel's epilogue.
struct LowerQuantizedConv : OpConversionPattern<nn::QuantizedConvOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::QuantizedConvOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    auto x = cast<RankedTensorType>(op.getX().getType());
    if (failed(checkShape(op, x, op.getChannelsLast())))
      return failure();
    ArrayRef<int64_t> filter = shapeOf(adaptor.getWeights());
    Window2D window = windowOf(filter.drop_front(2), op.getStrides(), op.getPads(), op.getDilations());
    Value image = reshape(rewriter, loc, adaptor.getX(), imageShape(x.getShape()));
    Value weights = reshape(rewriter, loc, adaptor.getWeights(),
                            SmallVector<int64_t>{filter[0], filter[1], window.kernel[0], window.kernel[1]});
    Type element = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType())).getElementType();
    Value out = emptyTensor(rewriter, loc, imageShape(op.getType().getShape()), element, image);
    Attribute perChannel = AffineMapAttr::get(AffineMap::get(4, 0, rewriter.getAffineDimExpr(3)));
    auto conv = rewriter.create<kern::Conv2DOp>(
        loc, out.getType(), image, weights, ValueRange{adaptor.getOffset(), adaptor.getScale()}, out, window.kernel,
        window.strides, window.pads, window.dilations, op.getGroup(), kern::ConvKind::Integer, /*planar_input=*/false,
        x.getElementType().isUnsignedInteger(), op.getXZeroPoint(), rewriter.getArrayAttr({perChannel, perChannel}));
    requantize(conv, op, rewriter);
    rewriter.replaceOp(op, reshape(rewriter, loc, conv->getResult(0), op.getType().getShape()));
    return success();
  }

private:
  static void requantize(kern::Conv2DOp conv, nn::QuantizedConvOp op, OpBuilder &builder) {
    OpBuilder::InsertionGuard guard(builder);
    Location loc = op.getLoc();
    Type real = builder.getF32Type();
    Block *block = builder.createBlock(&conv.getEpilogue(), {}, {real, real, real}, {loc, loc, loc});
    auto number = [&](int64_t value) {
      return builder.create<arith::ConstantOp>(loc, builder.getF32FloatAttr(static_cast<float>(value)));
    };
    Value sum = builder.create<arith::AddFOp>(loc, block->getArgument(0), block->getArgument(1));
    Value value =
        builder.create<math::RoundEvenOp>(loc, builder.create<arith::MulFOp>(loc, sum, block->getArgument(2)));
    if (op.getZeroPoint() != 0)
      value = builder.create<arith::AddFOp>(loc, value, number(static_cast<int64_t>(op.getZeroPoint())));
    value = builder.create<arith::MaximumFOp>(loc, value, number(static_cast<int64_t>(op.getLow())));
    value = builder.create<arith::MinimumFOp>(loc, value, number(static_cast<int64_t>(op.getHigh())));
    builder.create<kern::YieldOp>(loc, value);
  }
};

template <class Op, class KernelOp> struct LowerPool : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    auto x = cast<RankedTensorType>(op.getX().getType());
    if (failed(checkShape(op, x, op.getChannelsLast())))
      return failure();
    Window2D window = windowOf(op.getKernel(), op.getStrides(), op.getPads(), op.getDilations());
    Value image = reshape(rewriter, loc, adaptor.getX(), imageShape(x.getShape()));
    if (!x.getElementType().isF32()) {
      Value result = buildCall(rewriter, op, window, image);
      rewriter.replaceOp(op, reshape(rewriter, loc, result, op.getType().getShape()));
      return success();
    }
    Value out = emptyTensor(rewriter, loc, imageShape(op.getType().getShape()), x.getElementType(), image);
    Value result = build(rewriter, op, window, image, out);
    rewriter.replaceOp(op, reshape(rewriter, loc, result, op.getType().getShape()));
    return success();
  }

private:
  // Other element types: the same kernel without an epilogue.
  static Value buildCall(OpBuilder &builder, Op op, const Window2D &w, Value image) {
    constexpr bool isAverage = std::is_same_v<KernelOp, kern::AveragePool2DOp>;
    SmallVector<int64_t> in(shapeOf(image)), out = imageShape(op.getType().getShape());
    KernelCall call(builder, op.getLoc(), "pool2d", isAverage ? "average_pool2d" : "max_pool2d");
    call.extent("batch", image, 0).member("in_h", in[1]).member("in_w", in[2]).member("in_channels", in[3]);
    call.member("out_h", out[1]).member("out_w", out[2]);
    call.member("kernel_h", w.kernel[0]).member("kernel_w", w.kernel[1]);
    call.member("stride_h", w.strides[0]).member("stride_w", w.strides[1]);
    call.member("dilation_h", w.dilations[0]).member("dilation_w", w.dilations[1]);
    call.member("pad_top", w.pads[0]).member("pad_left", w.pads[1]);
    call.member("in_image", in[1] * in[2] * in[3]).member("in_row", in[2] * in[3]).member("in_pixel", in[3]);
    call.member("out_image", out[1] * out[2] * out[3]).member("out_row", out[2] * out[3]).member("out_pixel", out[3]);
    if constexpr (isAverage)
      call.member("count_include_pad", op.getCountIncludePad() ? 1 : 0)
          .member("pad_bottom", w.pads[2])
          .member("pad_right", w.pads[3]);
    call.input(image, op.getX().getType());
    return call.create(RankedTensorType::get(out, op.getType().getElementType()), image).front();
  }

  static Value build(OpBuilder &builder, Op op, const Window2D &w, Value image, Value out) {
    ArrayAttr noMaps = builder.getArrayAttr({});
    if constexpr (std::is_same_v<KernelOp, kern::AveragePool2DOp>)
      return builder
          .create<KernelOp>(op.getLoc(), out.getType(), image, ValueRange(), out, w.kernel, w.strides, w.pads,
                            w.dilations, op.getCountIncludePad(), noMaps)
          ->getResult(0);
    else
      return builder
          .create<KernelOp>(op.getLoc(), out.getType(), image, ValueRange(), out, w.kernel, w.strides, w.pads,
                            w.dilations, noMaps)
          ->getResult(0);
  }
};

} // namespace

void populateConvolution(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerConv, LowerQuantizedConv, LowerPool<nn::MaxPoolOp, kern::MaxPool2DOp>,
               LowerPool<nn::AveragePoolOp, kern::AveragePool2DOp>>(types, patterns.getContext());
}

} // namespace aotc::convert
