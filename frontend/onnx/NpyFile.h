// NumPy's .npy files: the shape that one declares, and the array itself. Knows nothing of a model's inputs.
#pragma once

#include "frontend/onnx/Diagnostics.h"

#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace aotc::frontend {

/// The header of a file and, where asked for, what follows it.
struct NpyArray {
  std::string descr; ///< NumPy's name of the element type, as in the file: "<f4", "|b1"
  bool isFortranOrder = false;
  llvm::SmallVector<int64_t, 4> shape;
  std::string bytes; ///< the elements as they lie in the file
};

/// Nothing after an error that names `path`: ErrorClass::file where the system refuses, else content.
std::optional<llvm::SmallVector<int64_t, 4>> readNpyShape(const std::string &path, Diagnostics &diagnostics);
std::optional<NpyArray> readNpyArray(const std::string &path, Diagnostics &diagnostics);

/// The same of the bytes of a file; nothing where they are no .npy file.
std::optional<NpyArray> parseNpy(llvm::StringRef bytes);

/// How NumPy spells an ONNX element type; empty where .npy files have none of that type with its bits as ONNX stores
/// them.
llvm::StringRef npyDescr(int32_t elementType);

} // namespace aotc::frontend
