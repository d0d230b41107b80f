// The equation of an Einsum: which dimensions of its operands and its result are one and the same. Knows nothing of
// extents or of how the result is computed.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>

namespace aotc::frontend {

/// Dimensions with one label run together: the letter's code, or `ellipsisLabel` + k for dimension k of all that the
/// ellipses stand for, which are aligned at their ends.
using Labels = llvm::SmallVector<int64_t, 6>;
constexpr int64_t ellipsisLabel = 256;

struct EinsumEquation {
  llvm::SmallVector<Labels, 2> operands; ///< one label per dimension; one that comes twice is a diagonal
  Labels result;                         ///< each once

  /// Reads "bij,bjk->bik", or "ij,jk", whose result has what comes once in alphabetical order. An empty text is
  /// success, anything else says what is wrong.
  std::string parse(llvm::StringRef text, llvm::ArrayRef<int64_t> ranks);
};

/// "i", or "..." for labels of an ellipsis.
std::string labelText(int64_t label);

} // namespace aotc::frontend
