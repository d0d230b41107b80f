// Bounds that a command line gives to tensors whose extents only a run finds out.
#pragma once

#include "frontend/onnx/Diagnostics.h"

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace aotc::frontend {

/// "NAME=N" as on the command line: the name, and a number from 0 to 2^31 - 1; nothing where it is otherwise.
std::optional<std::pair<std::string, int64_t>> splitOutputBound(llvm::StringRef flag);

class OutputBounds {
public:
  OutputBounds() = default;
  /// Of flags that splitOutputBound() takes.
  explicit OutputBounds(llvm::ArrayRef<std::string> flags);

  /// The bound of a tensor of that name, which is then one that was of use.
  std::optional<int64_t> find(const std::string &name) const;
  /// A usage error for each flag that no tensor had a use for. False if there is one.
  bool checkAllUsed(Diagnostics &diagnostics) const;

private:
  struct Bound {
    int64_t most;
    mutable bool isUsed = false;
  };
  std::map<std::string, Bound> bounds;
};

} // namespace aotc::frontend
