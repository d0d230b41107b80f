// Convolution and pooling: channels-last images of two spatial dimensions. One spatial dimension is an image of
// height 1. Images of f32 with constant weights take the fast kernels, whose epilogues fuse with what follows; others
// take plain ones.
#include "ir/kern/Dialect.h"
#include "ir/nn/Dialect.h"
#include "ir/nn/Exact.h"
#include "ir/nn/Window.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
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
Extents imageExtents(Extents extents) {
  if (extents.size() == 3)
    extents.insert(extents.begin() + 1, getAffineConstantExpr(1, extents.front().getContext()));
  return extents;
}

// [n, c, w] as [n, c, 1, w].
Extents planarExtents(Extents extents) {
  if (extents.size() == 3)
    extents.insert(extents.begin() + 2, getAffineConstantExpr(1, extents.front().getContext()));
  return extents;
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
LogicalResult checkRank(Operation *op, RankedTensorType x, bool channelsLast) {
  assert(channelsLast && "the layout pass makes image ops channels-last");
  (void)channelsLast;
  if (x.getRank() < 3 || x.getRank() > 4)
    return op->emitError("1 or 2 spatial dimensions are supported, found ") << x.getRank() - 2;
  return success();
}

// The plain kernel, whose weights are [kernel…, C / group, O]: reordered when compiling where they are constant.
LogicalResult lowerPlainConv(nn::ConvOp op, nn::ConvOp::Adaptor adaptor, ConversionPatternRewriter &rewriter) {
  auto x = cast<RankedTensorType>(op.getX().getType());
  int64_t rank = x.getRank() - 2;
  if (rank > 3)
    return op.emitError("at most 3 spatial dimensions are supported, found ") << rank;
  if (!x.getElementType().isF32() && !x.getElementType().isF64())
    return op.emitError("only f32 and f64 images are supported, found ") << x.getElementType();
  SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(2, rank + 2));
  order.append({1, 0});
  Value weights = rewriter.createOrFold<nn::TransposeOp>(op.getLoc(), op.getWeights(), order);
  ArrayRef<int64_t> filter = shapeOf(op.getWeights());
  Extents in = nn::extentsOf(x), out = nn::extentsOf(op.getType());
  auto group = static_cast<int64_t>(op.getGroup());
  KernelCall call(rewriter, op.getLoc(), "conv_nd", op.getBias() ? "conv_nd_bias" : "conv_nd");
  call.extent("batch", in[0]).member("groups", group);
  call.member("channels", filter[1]).member("filters", filter[0] / group);
  AffineExpr one = rewriter.getAffineConstantExpr(1);
  call.extentList("in", threeDims<AffineExpr>(ArrayRef<AffineExpr>(in).drop_front().drop_back(), one));
  call.extentList("out", threeDims<AffineExpr>(ArrayRef<AffineExpr>(out).drop_front().drop_back(), one));
  call.member("kernel", threeDims(filter.drop_front(2), 1)).member("stride", threeDims(op.getStrides(), 1));
  call.member("dilation", threeDims(op.getDilations(), 1));
  call.member("pad", threeDims(op.getPads().take_front(rank), 0));
  call.macs(out, countElements(filter.drop_front()));
  call.input(adaptor.getX()).input("weights", weights);
  if (op.getBias())
    call.input("bias", adaptor.getBias());
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
    if (failed(checkRank(op, x, op.getChannelsLast())))
      return failure();
    ArrayRef<int64_t> filter = shapeOf(adaptor.getWeights());
    Window2D window = windowOf(filter.drop_front(2), op.getStrides(), op.getPads(), op.getDilations());
    SmallVector<int64_t> weightShape{filter[0], filter[1], window.kernel[0], window.kernel[1]};
    Value planar = planarSource(op, rewriter);
    Value image = planar ? reshapeTo(rewriter, loc, planar, planarExtents(extentsOf(planar)))
                         : reshapeTo(rewriter, loc, adaptor.getX(), imageExtents(extentsOf(adaptor.getX())));
    Value weights = reshape(rewriter, loc, adaptor.getWeights(), weightShape);
    Value out = createDestination(rewriter, loc, imageExtents(nn::extentsOf(op.getType())), x.getElementType());
    SmallVector<Value> extras;
    SmallVector<Attribute> maps;
    if (adaptor.getBias()) {
      extras.push_back(adaptor.getBias());
      maps.push_back(AffineMapAttr::get(AffineMap::get(4, 0, rewriter.getAffineDimExpr(3))));
    }
    auto conv = rewriter.create<kern::Conv2DOp>(loc, out.getType(), image, weights, extras, out, window.kernel,
                                                window.strides, window.pads, window.dilations, op.getGroup(),
                                                kern::ConvKind::Direct, planar != nullptr, rewriter.getArrayAttr(maps));
    if (adaptor.getBias())
      addBias(conv, rewriter);
    if (nn::isExact(op))
      nn::markExact(conv);
    rewriter.replaceOp(op, reshapeTo(rewriter, loc, conv->getResult(0), nn::extentsOf(op.getType())));
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

// What is done with the sums is the kernel's epilogue.
struct LowerQuantizedConv : OpConversionPattern<nn::QuantizedConvOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::QuantizedConvOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    auto x = cast<RankedTensorType>(op.getX().getType());
    assert(nn::isIntegerImage(x) && "who makes the op asks for that");
    ArrayRef<int64_t> filter = shapeOf(adaptor.getWeights());
    Window2D window = windowOf(filter.drop_front(2), op.getStrides(), op.getPads(), op.getDilations());
    Value image = reshapeTo(rewriter, loc, adaptor.getX(), imageExtents(extentsOf(adaptor.getX())));
    Value weights = reshape(rewriter, loc, adaptor.getWeights(),
                            SmallVector<int64_t>{filter[0], filter[1], window.kernel[0], window.kernel[1]});
    Type element = cast<RankedTensorType>(getTypeConverter()->convertType(op.getType())).getElementType();
    Value out = createDestination(rewriter, loc, imageExtents(nn::extentsOf(op.getType())), element);
    Attribute perChannel = AffineMapAttr::get(AffineMap::get(4, 0, rewriter.getAffineDimExpr(3)));
    SmallVector<Value> extras;
    if (isScaled(op))
      extras.push_back(adaptor.getScale());
    if (adaptor.getShift())
      extras.push_back(adaptor.getShift());
    auto conv = rewriter.create<kern::IntegerConv2DOp>(
        loc, out.getType(), image, weights, adaptor.getBias(), adaptor.getXZero(), extras, out, window.kernel,
        window.strides, window.pads, window.dilations, op.getGroup(), kern::IntegerConvKind::Direct,
        x.getElementType().isUnsignedInteger(), op.getXZeroPoint(), /*block_rows=*/1, /*joins_taps=*/false,
        /*widens_rows=*/false, rewriter.getArrayAttr(SmallVector<Attribute>(extras.size(), perChannel)));
    finishSums(conv, op, rewriter);
    rewriter.replaceOp(op, reshapeTo(rewriter, loc, conv->getResult(0), nn::extentsOf(op.getType())));
    return success();
  }

private:
  static bool isScaled(nn::QuantizedConvOp op) {
    DenseElementsAttr scale;
    return !matchPattern(op.getScale(), m_Constant(&scale)) || !scale.isSplat() ||
           !scale.getSplatValue<APFloat>().isExactlyValue(1);
  }
  static void finishSums(kern::IntegerConv2DOp conv, nn::QuantizedConvOp op, OpBuilder &builder) {
    OpBuilder::InsertionGuard guard(builder);
    Location loc = op.getLoc();
    Type real = builder.getF32Type();
    size_t count = 1 + conv.getExtras().size();
    Block *block =
        builder.createBlock(&conv.getEpilogue(), {}, SmallVector<Type>(count, real), SmallVector<Location>(count, loc));
    Value scaled = block->getArgument(0);
    if (isScaled(op))
      scaled = builder.create<arith::MulFOp>(loc, scaled, block->getArgument(1));
    if (op.getShift())
      scaled = builder.create<arith::AddFOp>(loc, scaled, block->getArguments().back());
    builder.create<kern::YieldOp>(loc, op.getTo().isF32() ? scaled : quantized(scaled, op, builder));
  }
  static Value quantized(Value real, nn::QuantizedConvOp op, OpBuilder &builder) {
    Value zero = builder.create<arith::ConstantOp>(
        op.getLoc(), builder.getF32FloatAttr(static_cast<float>(static_cast<int64_t>(op.getZeroPoint()))));
    return builder.create<kern::QuantizeOp>(op.getLoc(), builder.getI8Type(), real, zero, op.getLow(), op.getHigh());
  }
};

template <class Op, class KernelOp> struct LowerPool : OpConversionPattern<Op> {
  using OpConversionPattern<Op>::OpConversionPattern;
  LogicalResult matchAndRewrite(Op op, typename Op::Adaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    auto x = cast<RankedTensorType>(op.getX().getType());
    if (failed(checkRank(op, x, op.getChannelsLast())))
      return failure();
    Window2D window = windowOf(op.getKernel(), op.getStrides(), op.getPads(), op.getDilations());
    Value image = reshapeTo(rewriter, loc, adaptor.getX(), imageExtents(extentsOf(adaptor.getX())));
    if (!x.getElementType().isF32()) {
      Value result = buildCall(rewriter, op, window, image);
      rewriter.replaceOp(op, reshapeTo(rewriter, loc, result, nn::extentsOf(op.getType())));
      return success();
    }
    Value out = createDestination(rewriter, loc, imageExtents(nn::extentsOf(op.getType())), x.getElementType());
    Value result = build(rewriter, op, window, image, out);
    rewriter.replaceOp(op, reshapeTo(rewriter, loc, result, nn::extentsOf(op.getType())));
    return success();
  }

private:
  // Other element types: the same kernel without an epilogue.
  static Value buildCall(OpBuilder &builder, Op op, const Window2D &w, Value image) {
    constexpr bool isAverage = std::is_same_v<KernelOp, kern::AveragePool2DOp>;
    Extents in = extentsOf(image), out = imageExtents(nn::extentsOf(op.getType()));
    KernelCall call(builder, op.getLoc(), "pool2d", isAverage ? "average_pool2d" : "max_pool2d");
    call.extent("batch", in[0]).extent("in_h", in[1]).extent("in_w", in[2]).extent("in_channels", in[3]);
    call.extent("out_h", out[1]).extent("out_w", out[2]);
    call.member("kernel_h", w.kernel[0]).member("kernel_w", w.kernel[1]);
    call.member("stride_h", w.strides[0]).member("stride_w", w.strides[1]);
    call.member("dilation_h", w.dilations[0]).member("dilation_w", w.dilations[1]);
    call.member("pad_top", w.pads[0]).member("pad_left", w.pads[1]);
    addDistances(call, "in", in);
    addDistances(call, "out", out);
    if constexpr (isAverage)
      call.member("count_include_pad", op.getCountIncludePad() ? 1 : 0)
          .member("pad_bottom", w.pads[2])
          .member("pad_right", w.pads[3]);
    call.input(image, op.getX().getType());
    return call.create(nn::tensorOf(out, op.getType().getElementType())).front();
  }

  // Of images, rows and pixels of a dense [n, h, w, c].
  static void addDistances(KernelCall &call, StringRef name, const Extents &extents) {
    AffineExpr row = nn::product(extents[2], extents[3]);
    call.extent((name + "_image").str(), nn::product(extents[1], row)).extent((name + "_row").str(), row);
    call.extent((name + "_pixel").str(), extents[3]);
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
