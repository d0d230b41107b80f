// The attributes that convolution and pooling share.
#pragma once

#include "frontend/onnx/OpTable.h"

namespace aotc::frontend {

/// One entry per spatial dimension; `pads` holds all begins, then all ends.
struct WindowAttributes {
  IntList strides, dilations, pads;
};

/// Reads strides, dilations, pads and auto_pad, with their defaults. `spatial` are the input's extents, `kernel` the
/// window's. Wrong numbers of entries, entries below their least value or above 2^31 are errors.
WindowAttributes readWindow(NodeBuilder &node, llvm::ArrayRef<int64_t> spatial, llvm::ArrayRef<int64_t> kernel);

/// What convolutions read of x [N, C, spatial…] and weights [O, C / group, spatial…]. Ranks that differ or are below 3,
/// a 'kernel_shape' that is not the weights' and a 'group' that is no number of channels are errors.
struct ConvolutionAttributes : WindowAttributes {
  int64_t group = 1;
};
ConvolutionAttributes readConvolution(NodeBuilder &node, mlir::RankedTensorType x, mlir::RankedTensorType weights);

/// What AveragePool makes of input 0 with the node's attributes. Null after an error.
mlir::Value averagePooled(NodeBuilder &node);

/// "[1,2,3]".
std::string listText(llvm::ArrayRef<int64_t> values);

} // namespace aotc::frontend
