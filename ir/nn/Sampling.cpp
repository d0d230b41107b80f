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
      grid.getDimSize(0) != x.getDimSize(0))
    return emitOptionalError(loc, "grid must have the batch and the rank of ", describe(x),
                             " and a coordinate per spatial dimension, found ", describe(grid));
  if (adaptor.getMode() == GridMode::Cubic && x.getRank() != 4)
    return emitOptionalError(loc, "'mode' cubic is defined for two spatial dimensions, found ", x.getRank() - 2);
  types.push_back(x.clone(imageShape(x.getDimSize(0), x.getDimSize(1), grid.getShape().drop_front().drop_back(),
                                     /*channelsLast=*/false)));
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
  if (batch.getShape() != rois.getShape().take_front(1) || !batch.getElementType().isInteger(64))
    return emitOptionalError(loc, "batch_indices must be i64, one for each region of ", describe(rois), ", found ",
                             describe(batch));
  if (rois.getElementType() != x.getElementType())
    return emitOptionalError(loc, "operands must have one element type, found ", x.getElementType(), " and ",
                             rois.getElementType());
  types.push_back(x.clone({rois.getDimSize(0), x.getDimSize(1), static_cast<int64_t>(adaptor.getHeight()),
                           static_cast<int64_t>(adaptor.getWidth())}));
  return success();
}

// Whether `value` has the shape [n, channels, spatial…].
static LogicalResult checkShape(std::optional<Location> loc, StringRef what, Value value, ArrayRef<int64_t> shape) {
  if (tensorType(value).getShape() == shape)
    return success();
  return emitOptionalError(loc, what, " must have the shape of ", describe(tensorType(value).clone(shape)), ", found ",
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
  SmallVector<int64_t> spatial;
  if (failed(slide(loc, window, x.getShape().drop_front(2), spatial)))
    return failure();
  int64_t taps = weights.getDimSize(2) * weights.getDimSize(3), batch = x.getDimSize(0);
  if (failed(checkShape(loc, "offset", adaptor.getOffset(),
                        imageShape(batch, offsets * taps * 2, spatial, /*channelsLast=*/false))) ||
      (adaptor.getMask() && failed(checkShape(loc, "mask", adaptor.getMask(),
                                              imageShape(batch, offsets * taps, spatial, /*channelsLast=*/false)))))
    return failure();
  for (Value operand : adaptor.getOperands())
    if (tensorType(operand).getElementType() != x.getElementType())
      return emitOptionalError(loc, "operands must have one element type, found ", x.getElementType(), " and ",
                               tensorType(operand).getElementType());
  types.push_back(x.clone(imageShape(batch, weights.getDimSize(0), spatial, /*channelsLast=*/false)));
  return success();
}

} // namespace aotc::nn
