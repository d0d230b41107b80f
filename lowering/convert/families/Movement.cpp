// Data movement: views where tensors allow it (reshape, slice, concat as slices of one destination), copies elsewhere.
#include "ir/kern/Dialect.h"
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
#include "lowering/convert/KernelCall.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace aotc::convert {

namespace {

SmallVector<OpFoldResult> attributes(OpBuilder &builder, ArrayRef<int64_t> values) {
  return getAsIndexOpFoldResult(builder.getContext(), values);
}

// `source` written into `destination` at `offsets`.
Value insertSlice(OpBuilder &builder, Location loc, Value source, Value destination, ArrayRef<OpFoldResult> offsets) {
  SmallVector<int64_t> ones(offsets.size(), 1);
  return builder.create<tensor::InsertSliceOp>(loc, source, destination, offsets,
                                               buildMixed(builder, loc, extentsOf(source)), attributes(builder, ones));
}

struct LowerReshape : OpConversionPattern<nn::ReshapeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::ReshapeOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOp(op, reshapeTo(rewriter, op.getLoc(), adaptor.getX(), nn::extentsOf(op.getType())));
    return success();
  }
};

struct LowerTranspose : OpConversionPattern<nn::TransposeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::TransposeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    // Moving unit dimensions moves no element.
    ArrayRef<int64_t> shape = shapeOf(adaptor.getX());
    SmallVector<int64_t> moving;
    for (int64_t from : op.getPermutation())
      if (shape[from] != 1)
        moving.push_back(from);
    if (llvm::is_sorted(moving))
      rewriter.replaceOp(op, reshapeTo(rewriter, op.getLoc(), adaptor.getX(), nn::extentsOf(op.getType())));
    else
      rewriter.replaceOp(op, transpose(rewriter, op.getLoc(), adaptor.getX(), op.getPermutation()));
    return success();
  }
};

struct LowerConcat : OpConversionPattern<nn::ConcatOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::ConcatOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Value result = createDestination(rewriter, loc, op.getType());
    size_t axis = op.getAxis();
    Extents offsets(static_cast<size_t>(op.getType().getRank()), getAffineConstantExpr(0, getContext()));
    for (Value input : adaptor.getInputs()) {
      result = insertSlice(rewriter, loc, input, result, buildMixed(rewriter, loc, offsets));
      offsets[axis] = nn::sum(offsets[axis], extentsOf(input)[axis]);
    }
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct LowerSlice : OpConversionPattern<nn::SliceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::SliceOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    Value x = adaptor.getX();
    Extents both = op.getStartsAndSizes();
    SmallVector<int64_t> steps(op.getSteps());
    size_t rank = steps.size();
    for (size_t axis = 0; axis < rank; ++axis) {
      if (steps[axis] > 0)
        continue;
      // Backwards: the elements in their new order, then all of them.
      SmallVector<int32_t> indices;
      for (int64_t i = 0; i < op.getSizes()[axis]; ++i)
        indices.push_back(static_cast<int32_t>(op.getStarts()[axis] + i * steps[axis]));
      x = select(rewriter, loc, x, axis, indices);
      both[axis] = getAffineConstantExpr(0, getContext());
      steps[axis] = 1;
    }
    rewriter.replaceOpWithNewOp<tensor::ExtractSliceOp>(
        op, x, buildMixed(rewriter, loc, ArrayRef<AffineExpr>(both).take_front(rank)),
        buildMixed(rewriter, loc, ArrayRef<AffineExpr>(both).drop_front(rank)), attributes(rewriter, steps));
    return success();
  }
};

// The source index of each element of a padded axis, for the modes that repeat elements.
SmallVector<int32_t> sourceIndices(int64_t extent, int64_t low, int64_t high, nn::PadMode mode) {
  SmallVector<int32_t> indices;
  for (int64_t i = -low; i < extent + high; ++i) {
    int64_t index = i;
    if (mode == nn::PadMode::Edge)
      index = std::clamp<int64_t>(i, 0, extent - 1);
    else if (mode == nn::PadMode::Wrap)
      index = ((i % extent) + extent) % extent;
    else if (extent > 1) { // reflect: period 2 * (extent - 1)
      int64_t period = 2 * (extent - 1), folded = ((i % period) + period) % period;
      index = folded < extent ? folded : period - folded;
    } else {
      index = 0;
    }
    indices.push_back(static_cast<int32_t>(index));
  }
  return indices;
}

struct LowerPad : OpConversionPattern<nn::PadOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::PadOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    SmallVector<int64_t> low(op.getLow()), high(op.getHigh());
    Value x = cut(rewriter, loc, adaptor.getX(), low, high);
    if (op.getMode() == nn::PadMode::Constant)
      rewriter.replaceOp(op, padConstant(rewriter, op, x, low));
    else
      rewriter.replaceOp(op, repeat(rewriter, op, x, low, high));
    return success();
  }

private:
  // Negative pads cut first; what is left in `low` and `high` is not negative.
  static Value cut(OpBuilder &builder, Location loc, Value x, SmallVectorImpl<int64_t> &low,
                   SmallVectorImpl<int64_t> &high) {
    SmallVector<int64_t> starts, ones(low.size(), 1);
    Extents sizes;
    for (auto [extent, before, after] : llvm::zip(extentsOf(x), low, high)) {
      starts.push_back(std::max<int64_t>(0, -before));
      sizes.push_back(nn::sum(extent, std::min<int64_t>(0, before) + std::min<int64_t>(0, after)));
      before = std::max<int64_t>(0, before);
      after = std::max<int64_t>(0, after);
    }
    if (sizes == extentsOf(x))
      return x;
    return builder.create<tensor::ExtractSliceOp>(loc, x, attributes(builder, starts), buildMixed(builder, loc, sizes),
                                                  attributes(builder, ones));
  }

  static Value padConstant(OpBuilder &builder, nn::PadOp op, Value x, ArrayRef<int64_t> low) {
    Location loc = op.getLoc();
    Value empty = createDestination(builder, loc, op.getType());
    Attribute border = op.getValue();
    if (auto integer = dyn_cast<IntegerAttr>(border)) // of an unsigned image: memory is signless
      border = IntegerAttr::get(elementOf(x), integer.getValue());
    Value value = builder.create<arith::ConstantOp>(loc, cast<TypedAttr>(border));
    Value filled = builder.create<linalg::FillOp>(loc, value, empty).getResult(0);
    return insertSlice(builder, loc, x, filled, attributes(builder, low));
  }

  static Value repeat(OpBuilder &builder, nn::PadOp op, Value x, ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
    for (size_t axis = 0; axis < low.size(); ++axis)
      if (low[axis] || high[axis])
        x = select(builder, op.getLoc(), x, axis, sourceIndices(shapeOf(x)[axis], low[axis], high[axis], op.getMode()));
    return x;
  }
};

struct LowerGather : OpConversionPattern<nn::GatherOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::GatherOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    if (failed(checkConstantIndices(op, adaptor)))
      return failure();
    rewriter.replaceOp(op, gather(rewriter, op.getLoc(), adaptor.getX(), op.getAxis(), adaptor.getIndices()));
    return success();
  }

private:
  static LogicalResult checkConstantIndices(nn::GatherOp op, OpAdaptor adaptor) {
    auto constant = adaptor.getIndices().getDefiningOp<arith::ConstantOp>();
    if (!constant)
      return success();
    int64_t extent = cast<RankedTensorType>(op.getX().getType()).getDimSize(op.getAxis());
    if (ShapedType::isDynamic(extent)) // the importer has held them against the least extent
      return success();
    for (APInt index : cast<DenseElementsAttr>(constant.getValue()).getValues<APInt>())
      if (index.sge(extent) || index.slt(-extent))
        return op.emitError("indices must lie in [")
               << -extent << ", " << extent - 1 << "], found " << index.getSExtValue();
    return success();
  }
};

struct LowerExtents : OpConversionPattern<nn::ExtentsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::ExtentsOp op, OpAdaptor, ConversionPatternRewriter &rewriter) const final {
    rewriter.replaceOp(op, extentValues(rewriter, op.getLoc(), op.getValues().getResults()));
    return success();
  }
};

} // namespace

Value extentValues(OpBuilder &builder, Location loc, ArrayRef<AffineExpr> extents) {
  auto type = RankedTensorType::get({static_cast<int64_t>(extents.size())}, builder.getI64Type());
  KernelCall call(builder, loc, "extents", "write_extents");
  call.member("count", type.getDimSize(0)).extentList("values", extents);
  return call.create(type).front();
}

void populateMovement(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerReshape, LowerTranspose, LowerConcat, LowerSlice, LowerPad, LowerGather, LowerExtents>(
      types, patterns.getContext());
}

} // namespace aotc::convert
