// The shapes that a model is compiled for: what it declares, what `--input-dim` and `--like` add to that.
#pragma once

#include "frontend/onnx/Graph.h"

#include <optional>

namespace aotc::frontend {

struct ShapeFlags {
  /// "NAME=4", "NAME=1..8", "INPUT:AXIS=4", "INPUT:AXIS=1..8", as on the command line.
  std::vector<std::string> inputDims;
  /// Paths of .npy files; the K-th gives the shape of the K-th input that is no constant.
  std::vector<std::string> likes;
  /// "NAME=1x3x224x224": all extents of an input.
  std::vector<std::string> inputShapes;
};

/// One extent of an input: known (lower == upper), or set by the caller before a run within the bounds.
struct Extent {
  int64_t lower = 0;
  int64_t upper = 0;
  /// The model's name for it, or "INPUT:AXIS". Extents of one name are always equal.
  std::string symbol;

  bool isKnown() const { return lower == upper; }
};

struct InputShape {
  ValueId value = absentValue;
  int32_t elementType = 0;
  llvm::SmallVector<Extent, 4> extents;
};

/// One per input of the main graph, in order. Nothing after errors: usage for flags that do not fit the model, content
/// for what the model leaves open. Open leading extents become 1, with one warning that names the flags.
std::optional<std::vector<InputShape>> resolveInputShapes(const Model &model, const ShapeFlags &flags,
                                                          Diagnostics &diagnostics);

} // namespace aotc::frontend
