// The geometry of a sliding window, for convolution and pooling alike.
#ifndef AOTC_IR_NN_WINDOW_H
#define AOTC_IR_NN_WINDOW_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"

namespace aotc::nn {

struct Window {
  llvm::ArrayRef<int64_t> kernel, strides, pads, dilations; // pads: all begins, then all ends
  bool ceilMode = false;
};

// The result's spatial extents for `spatial`; errors name the attribute, what it must hold and what was found.
mlir::LogicalResult slide(std::optional<mlir::Location> loc, const Window &window, llvm::ArrayRef<int64_t> spatial,
                          llvm::SmallVectorImpl<int64_t> &result);

// The spatial part of a shape [N, C, spatial…] or [N, spatial…, C].
inline llvm::ArrayRef<int64_t> spatialPart(llvm::ArrayRef<int64_t> shape, bool channelsLast) {
  return channelsLast ? shape.drop_front().drop_back() : shape.drop_front(2);
}
inline int64_t channelPart(llvm::ArrayRef<int64_t> shape, bool channelsLast) {
  return channelsLast ? shape.back() : shape[1];
}
// Puts batch, channels and spatial extents together in the order of the layout.
llvm::SmallVector<int64_t> imageShape(int64_t batch, int64_t channels, llvm::ArrayRef<int64_t> spatial,
                                      bool channelsLast);

} // namespace aotc::nn

#endif
