// The geometry of a sliding window, for convolution and pooling alike.
#ifndef AOTC_IR_NN_WINDOW_H
#define AOTC_IR_NN_WINDOW_H

#include "ir/nn/Extents.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Location.h"

namespace aotc::nn {

struct Window {
  llvm::ArrayRef<int64_t> kernel, strides, pads, dilations; // pads: all begins, then all ends
  bool ceilMode = false;
};

// The result's spatial extents for `spatial`; errors name the attribute, what it must hold and what was found.
mlir::LogicalResult slide(std::optional<mlir::Location> loc, const Window &window,
                          llvm::ArrayRef<mlir::AffineExpr> spatial, Extents &result);

// The spatial part of a shape [N, C, spatial…] or [N, spatial…, C].
template <class T> llvm::ArrayRef<T> spatialPart(llvm::ArrayRef<T> shape, bool channelsLast) {
  return channelsLast ? shape.drop_front().drop_back() : shape.drop_front(2);
}
template <class T> T channelPart(llvm::ArrayRef<T> shape, bool channelsLast) {
  return channelsLast ? shape.back() : shape[1];
}
// Whether the kernels of integers take an image of this type: up to two spatial dimensions, all extents but the batch
// known.
bool isIntegerImage(mlir::RankedTensorType type);
// Puts batch, channels and spatial extents together in the order of the layout.
Extents imageShape(mlir::AffineExpr batch, mlir::AffineExpr channels, llvm::ArrayRef<mlir::AffineExpr> spatial,
                   bool channelsLast);

} // namespace aotc::nn

#endif
