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

LogicalResult slide(std::optional<Location> loc, const Window &window, ArrayRef<int64_t> spatial,
                    SmallVectorImpl<int64_t> &result) {
  size_t rank = spatial.size();
  if (failed(checkList(loc, "kernel_shape", window.kernel, rank, 1)) ||
      failed(checkList(loc, "strides", window.strides, rank, 1)) ||
      failed(checkList(loc, "dilations", window.dilations, rank, 1)) ||
      failed(checkList(loc, "pads", window.pads, 2 * rank, 0)))
    return failure();
  for (size_t i = 0; i < rank; ++i) {
    if (ShapedType::isDynamic(spatial[i])) {
      result.push_back(ShapedType::kDynamic);
      continue;
    }
    int64_t reach = (window.kernel[i] - 1) * window.dilations[i] + 1;
    int64_t padded = spatial[i] + window.pads[i] + window.pads[rank + i];
    int64_t room = padded - reach;
    if (room < 0)
      return emitOptionalError(loc, "the window spans ", reach, " elements of spatial dimension ", i, ", found ",
                               padded, " with padding");
    int64_t extent = (room + (window.ceilMode ? window.strides[i] - 1 : 0)) / window.strides[i] + 1;
    // A window that starts in the end padding or beyond does not count.
    if (window.ceilMode && (extent - 1) * window.strides[i] >= spatial[i] + window.pads[i])
      --extent;
    result.push_back(extent);
  }
  return success();
}

SmallVector<int64_t> imageShape(int64_t batch, int64_t channels, ArrayRef<int64_t> spatial, bool channelsLast) {
  SmallVector<int64_t> shape{batch};
  if (!channelsLast)
    shape.push_back(channels);
  shape.append(spatial.begin(), spatial.end());
  if (channelsLast)
    shape.push_back(channels);
  return shape;
}

} // namespace aotc::nn
