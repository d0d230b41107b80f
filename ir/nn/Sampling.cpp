// Shape rules of the ops that sample images.
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"
#include "ir/nn/Window.h"

using namespace mlir;

namespace aotc::nn {

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

LogicalResult GridSampleOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(adaptor.getX()), grid = tensorType(adaptor.getGrid());
  if (x.getRank() < 4 || x.getRank() > 5)
    return emitOptionalError(loc, "input must have a rank of 4 or 5, found ", describe(x));
  if (grid.getRank() != x.getRank() || grid.getShape().back() != x.getRank() - 2 ||
      extentsOf(grid)[0] != extentsOf(x)[0])
    return emitOptionalError(loc, "grid must have the batch and the rank of ", describe(x),
                             " and a coordinate per spatial dimension, found ", describe(grid));
  if (adaptor.getMode() == GridMode::Cubic && x.getRank() != 4)
    return emitOptionalError(loc, "'mode' cubic is defined for two spatial dimensions, found ", x.getRank() - 2);
  Extents image = extentsOf(x), points = extentsOf(grid);
  types.push_back(tensorOf(imageShape(image[0], image[1], ArrayRef<AffineExpr>(points).drop_front().drop_back(),
                                      /*channelsLast=*/false),
                           x.getElementType()));
  return success();
}

LogicalResult RoiAlignOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(adaptor.getX()), rois = tensorType(adaptor.getRois());
  RankedTensorType batch = tensorType(adaptor.getBatchIndices());
  if (x.getRank() != 4)
    return emitOptionalError(loc, "input must have a rank of 4, found ", describe(x));
  if (rois.getRank() != 2 || rois.getDimSize(1) != 4)
    return emitOptionalError(loc, "rois must have the shape [regions, 4], found ", describe(rois));
  Extents image = extentsOf(x), regions = extentsOf(rois);
  regions.resize(1);
  if (extentsOf(batch) != regions || !batch.getElementType().isInteger(64))
    return emitOptionalError(loc, "batch_indices must be i64, one for each region of ", describe(rois), ", found ",
                             describe(batch));
  if (rois.getElementType() != x.getElementType())
    return emitOptionalError(loc, "operands must have one element type, found ", x.getElementType(), " and ",
                             rois.getElementType());
  auto number = [&](uint64_t value) { return getAffineConstantExpr(static_cast<int64_t>(value), x.getContext()); };
  types.push_back(
      tensorOf({regions[0], image[1], number(adaptor.getHeight()), number(adaptor.getWidth())}, x.getElementType()));
  return success();
}

// Whether `value` has the shape [n, channels, spatial…].
static LogicalResult checkShape(std::optional<Location> loc, StringRef what, Value value, const Extents &shape) {
  if (extentsOf(value) == shape)
    return success();
  return emitOptionalError(loc, what, " must have the shape of ",
                           describe(tensorOf(shape, tensorType(value).getElementType())), ", found ",
                           describe(value.getType()));
}

LogicalResult DeformConvOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(adaptor.getX()), weights = tensorType(adaptor.getWeights());
  if (x.getRank() != 4 || weights.getRank() != 4)
    return emitOptionalError(loc, "two spatial dimensions are supported, found ", describe(x), " and ",
                             describe(weights));
  int64_t group = adaptor.getGroup(), offsets = adaptor.getOffsetGroup(), channels = x.getDimSize(1);
  if (group < 1 || channels != weights.getDimSize(1) * group || weights.getDimSize(0) % group != 0)
    return emitOptionalError(loc, "input ", describe(x), " and weights ", describe(weights), " do not fit 'group' ",
                             group);
  if (offsets < 1 || channels % offsets != 0)
    return emitOptionalError(loc, "'offset_group' must divide the ", channels, " channels, found ", offsets);
  Window window{weights.getShape().drop_front(2), adaptor.getStrides(), adaptor.getPads(), adaptor.getDilations()};
  Extents image = extentsOf(x), spatial;
  if (failed(slide(loc, window, ArrayRef<AffineExpr>(image).drop_front(2), spatial)))
    return failure();
  int64_t taps = weights.getDimSize(2) * weights.getDimSize(3);
  auto planes = [&](int64_t count) {
    return imageShape(image[0], getAffineConstantExpr(count, x.getContext()), spatial, /*channelsLast=*/false);
  };
  if (failed(checkShape(loc, "offset", adaptor.getOffset(), planes(offsets * taps * 2))) ||
      (adaptor.getMask() && failed(checkShape(loc, "mask", adaptor.getMask(), planes(offsets * taps)))))
    return failure();
  for (Value operand : adaptor.getOperands())
    if (tensorType(operand).getElementType() != x.getElementType())
      return emitOptionalError(loc, "operands must have one element type, found ", x.getElementType(), " and ",
                               tensorType(operand).getElementType());
  types.push_back(tensorOf(planes(weights.getDimSize(0)), x.getElementType()));
  return success();
}

} // namespace aotc::nn
