// Integers of generated code: extents, strides and offsets, most of them constants, some only known at run time. Folds
// constants; knows nothing of where an extent comes from.
#ifndef AOTC_CODEGEN_CPP_COUNT_H
#define AOTC_CODEGEN_CPP_COUNT_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace aotc::codegen {

/// A constant, or a polynomial in variables, each of which lies between two values. Equal polynomials compare equal.
class Count {
public:
  Count(int64_t constant = 0) : least(constant), most(constant) { addTerm({}, constant); }
  /// A variable between two values, both included.
  static Count variable(std::string name, int64_t least, int64_t most);

  bool isConstant() const { return terms.empty() || (terms.size() == 1 && terms.begin()->first.empty()); }
  bool is(int64_t constant) const { return isConstant() && most == constant; }
  /// The smallest and the largest value that it may have.
  int64_t lowest() const { return least; }
  int64_t bound() const { return most; }
  /// A C++ expression of type int: "34", "batch", "batch * 34", "batch + 1"; in parentheses where it is a sum and
  /// `asFactor`.
  std::string text(bool asFactor = false) const;

  friend Count operator+(const Count &a, const Count &b);
  friend Count operator*(const Count &a, const Count &b);
  friend bool operator==(const Count &a, const Count &b) { return a.terms == b.terms; }
  friend bool operator!=(const Count &a, const Count &b) { return !(a == b); }

private:
  using Variables = std::vector<std::string>; ///< sorted, with repetition: the factors of a term
  void addTerm(const Variables &variables, int64_t coefficient);

  int64_t least, most;
  std::map<Variables, int64_t, std::greater<>> terms; ///< none of them 0; the constant one is last
};

/// `i * 544 + j * 16 + c`, without terms whose stride is 0; "0" where nothing is left.
std::string linearText(llvm::ArrayRef<std::string> indices, llvm::ArrayRef<Count> strides);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_COUNT_H
