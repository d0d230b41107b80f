// Resize along one dimension whose extent, before or behind, only the run knows.
#pragma once

#include "frontend/onnx/NodeBuilder.h"

namespace aotc::frontend {

/// What Resize says of one dimension; the names of modes are ONNX's.
struct Resampling {
  size_t axis = 0;
  mlir::AffineExpr size;      ///< of the result
  std::optional<float> scale; ///< nothing where the size was given
  std::string mode, coordinates, nearest;
  float cubicCoefficient = 0;
  bool excludeOutside = false;
};

/// x, of floats unless the mode is nearest, with that dimension resampled. Null after an error.
mlir::Value createResampled(NodeBuilder &node, mlir::Value x, const Resampling &resampling);

} // namespace aotc::frontend
