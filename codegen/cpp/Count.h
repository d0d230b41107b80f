// Integers of generated code: extents, strides and offsets, most of them constants, some only known at run time. Folds
// constants; knows nothing of where an extent comes from.
#ifndef AOTC_CODEGEN_CPP_COUNT_H
#define AOTC_CODEGEN_CPP_COUNT_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <string>

namespace aotc::codegen {

/// A constant, or a C++ expression of type int. Equal expressions that were built the same way compare equal.
class Count {
public:
  Count(int64_t constant = 0) : atBound(constant) {}
  /// A variable whose largest value is `bound`.
  static Count variable(std::string name, int64_t bound);

  bool isConstant() const { return expression.empty(); }
  bool is(int64_t constant) const { return isConstant() && atBound == constant; }
  /// The value, every variable at its bound.
  int64_t bound() const { return atBound; }
  /// "34", "batch", "batch * 34", "(batch + 1)": fits as a factor of a product where `asFactor`.
  std::string text(bool asFactor = false) const;

  friend Count operator+(const Count &a, const Count &b);
  friend Count operator*(const Count &a, const Count &b);
  friend bool operator==(const Count &a, const Count &b) {
    return a.atBound == b.atBound && a.expression == b.expression;
  }
  friend bool operator!=(const Count &a, const Count &b) { return !(a == b); }

private:
  int64_t atBound;
  std::string expression; ///< empty for a constant
  bool isSum = false;
};

/// `i * 544 + j * 16 + c`, without terms whose stride is 0; "0" where nothing is left.
std::string linearText(llvm::ArrayRef<std::string> indices, llvm::ArrayRef<Count> strides);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_COUNT_H
