#include "ir/nn/Window.h"

#include "mlir/IR/Diagnostics.h"

using namespace mlir;

namespace aotc::nn {

static LogicalResult checkList(std::optional<Location> loc, StringRef name, ArrayRef<int64_t> values, size_t count,
                               int64_t least) {
  if (values.size() != count)
    return emitOptionalError(loc, "'", name, "' must have ", count, " values, found ", values.size());
  for (int64_t value : values)
    if (value < least)
      return emitOptionalError(loc, "'", name, "' must be at least ", least, ", found ", value);
  return success();
}

// How many places the window has, where only the run knows. With ceil_mode the last one may hang over the end, unless
// it starts beyond the elements and the padding in front of them: the smaller of two counts, both of the form
// (extent + c) / stride + 1.
static AffineExpr placesOf(AffineExpr extent, int64_t before, int64_t after, int64_t reach, int64_t stride,
                           bool ceils) {
  int64_t room = before + after - reach;
  if (ceils)
    room = std::min(room + stride - 1, before - 1);
  return sum(quotient(sum(extent, room), stride), 1);
}

LogicalResult slide(std::optional<Location> loc, const Window &window, ArrayRef<AffineExpr> spatial, Extents &result) {
  size_t rank = spatial.size();
  if (failed(checkList(loc, "kernel_shape", window.kernel, rank, 1)) ||
      failed(checkList(loc, "strides", window.strides, rank, 1)) ||
      failed(checkList(loc, "dilations", window.dilations, rank, 1)) ||
      failed(checkList(loc, "pads", window.pads, 2 * rank, 0)))
    return failure();
  for (size_t i = 0; i < rank; ++i) {
    int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1, pads = window.pads[i] + window.pads[rank + i];
    std::optional<int64_t> known = numberOf(spatial[i]);
    if (!known) {
      result.push_back(placesOf(spatial[i], window.pads[i], window.pads[rank + i], reach, window.strides[i],
                                window.ceilMode && window.strides[i] != 1));
      continue;
    }
    int64_t padded = *known + pads;
    int64_t room = padded - reach;
    if (room < 0)
      return emitOptionalError(loc, "the window spans ", reach, " elements of spatial dimension ", i, ", found ",
                               padded, " with padding");
    int64_t extent = (room + (window.ceilMode ? window.strides[i] - 1 : 0)) / window.strides[i] + 1;
    // A window that starts in the end padding or beyond does not count.
    if (window.ceilMode && (extent - 1) * window.strides[i] >= *known + window.pads[i])
      --extent;
    result.push_back(getAffineConstantExpr(extent, spatial[i].getContext()));
  }
  return success();
}

bool isIntegerImage(RankedTensorType type) {
  return type.getRank() <= 4 && llvm::none_of(type.getShape().drop_front(), ShapedType::isDynamic);
}

Extents imageShape(AffineExpr batch, AffineExpr channels, ArrayRef<AffineExpr> spatial, bool channelsLast) {
  Extents shape{batch};
  if (!channelsLast)
    shape.push_back(channels);
  shape.append(spatial.begin(), spatial.end());
  if (channelsLast)
    shape.push_back(channels);
  return shape;
}

} // namespace aotc::nn
