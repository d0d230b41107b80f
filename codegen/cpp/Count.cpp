#include "codegen/cpp/Count.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace aotc::codegen {

Count Count::variable(std::string name, int64_t least, int64_t most) {
  Count count;
  count.addTerm({std::move(name)}, 1);
  count.least = least;
  count.most = most;
  return count;
}

void Count::addTerm(const Variables &variables, int64_t coefficient) {
  int64_t &sum = terms[variables];
  sum += coefficient;
  if (sum == 0)
    terms.erase(variables);
}

std::string Count::text(bool asFactor) const {
  std::string text;
  for (const auto &[variables, coefficient] : terms) {
    const bool isNegative = coefficient < 0;
    text += text.empty() ? (isNegative ? "-" : "") : (isNegative ? " - " : " + ");
    std::string term = llvm::join(variables, " * ");
    if (std::abs(coefficient) != 1 || term.empty())
      term += (term.empty() ? "" : " * ") + std::to_string(std::abs(coefficient));
    text += term;
  }
  if (text.empty())
    return "0";
  return asFactor && terms.size() > 1 ? "(" + text + ")" : text;
}

Count operator+(const Count &a, const Count &b) {
  Count sum = a;
  for (const auto &[variables, coefficient] : b.terms)
    sum.addTerm(variables, coefficient);
  sum.least = a.least + b.least;
  sum.most = a.most + b.most;
  return sum;
}

Count operator*(const Count &a, const Count &b) {
  Count product;
  for (const auto &[left, factor] : a.terms)
    for (const auto &[right, coefficient] : b.terms) {
      Count::Variables variables = left;
      variables.insert(variables.end(), right.begin(), right.end());
      llvm::sort(variables);
      product.addTerm(variables, factor * coefficient);
    }
  std::tie(product.least, product.most) =
      std::minmax({a.least * b.least, a.least * b.most, a.most * b.least, a.most * b.most});
  return product;
}

std::string linearText(llvm::ArrayRef<std::string> indices, llvm::ArrayRef<Count> strides) {
  std::string text;
  for (auto [index, stride] : llvm::zip(indices, strides)) {
    if (stride.is(0))
      continue;
    const bool isNegative = stride.isConstant() && stride.bound() < 0;
    if (!text.empty())
      text += isNegative ? " - " : " + ";
    else if (isNegative)
      text += "-";
    const Count magnitude = isNegative ? Count(-stride.bound()) : stride;
    text += magnitude.is(1) ? index : index + " * " + magnitude.text(true);
  }
  return text.empty() ? "0" : text;
}

} // namespace aotc::codegen
