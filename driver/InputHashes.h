// The sha256 of the files that a model is read from, worked out on a thread of its own: they may be gigabytes.
#ifndef AOTC_DRIVER_INPUTHASHES_H
#define AOTC_DRIVER_INPUTHASHES_H

#include "llvm/Support/Error.h"

#include <future>
#include <string>
#include <utility>
#include <vector>

namespace aotc::driver {

class InputHashes {
public:
  explicit InputHashes(std::vector<std::string> paths);
  InputHashes(InputHashes &&) = default;
  /// Waits for the thread.
  ~InputHashes();

  /// File name (no folder) and sha256 of each path, in their order. Called once at most; fails with a FileError.
  llvm::Expected<std::vector<std::pair<std::string, std::string>>> take();

private:
  std::vector<std::string> paths;
  std::future<std::vector<llvm::Expected<std::string>>> hashes; ///< as many as paths
};

} // namespace aotc::driver

#endif // AOTC_DRIVER_INPUTHASHES_H
