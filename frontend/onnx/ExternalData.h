// Tensor bytes that lie beside the model. Only regular files inside the model's folder are read: no absolute path, no
// "..", no symbolic link that leads out, no file with a second (hard) link. It knows nothing of element types.
#pragma once

#include "frontend/onnx/Diagnostics.h"
#include "frontend/onnx/FileDescriptor.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <memory>
#include <set>
#include <string>

namespace aotc::frontend {

/// Bytes and what keeps them alive (a mapping or a buffer). Freed with the last copy.
struct SharedBytes {
  llvm::ArrayRef<char> bytes;
  std::shared_ptr<const void> owner;
};

/// Where a tensor says that its bytes are.
struct ExternalLocation {
  std::string path; ///< relative to the model's folder, as written in the model
  uint64_t offsetBytes = 0;
  uint64_t lengthBytes = 0;
};

class ExternalData {
public:
  explicit ExternalData(std::string modelFolder) : folder(std::move(modelFolder)) {}

  /// Maps the range (small ranges are read). An error names `what` and returns false.
  bool read(const ExternalLocation &location, llvm::StringRef what, SharedBytes &result, Diagnostics &diagnostics);

  /// The files read so far, as folder/path, sorted: a build must run again when one changes.
  const std::set<std::string> &getFiles() const { return files; }

private:
  bool open(llvm::StringRef path, llvm::StringRef what, Diagnostics &diagnostics);

  std::string folder;
  std::set<std::string> files;
  // The file opened last. Weights of one file are read one after the other, and there may be thousands of files.
  std::string openPath;
  FileDescriptor openFile;
  uint64_t openSizeBytes = 0;
};

} // namespace aotc::frontend
