// The shape that a NumPy .npy file declares. The array itself is not read.
#pragma once

#include "frontend/onnx/Diagnostics.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace aotc::frontend {

/// Nothing after an error that names `path`: ErrorClass::file where the system refuses, else content.
std::optional<llvm::SmallVector<int64_t, 4>> readNpyShape(const std::string &path, Diagnostics &diagnostics);

} // namespace aotc::frontend
