#include "codegen/cpp/Count.h"

#include "llvm/ADT/STLExtras.h"

namespace aotc::codegen {

Count Count::variable(std::string name, int64_t bound) {
  Count count(bound);
  count.expression = std::move(name);
  return count;
}

std::string Count::text(bool asFactor) const {
  if (isConstant())
    return std::to_string(atBound);
  return asFactor && isSum ? "(" + expression + ")" : expression;
}

Count operator+(const Count &a, const Count &b) {
  if (a.is(0))
    return b;
  if (b.is(0))
    return a;
  Count sum(a.atBound + b.atBound);
  if (a.isConstant() && b.isConstant())
    return sum;
  sum.expression = a.text() + " + " + b.text();
  sum.isSum = true;
  return sum;
}

Count operator*(const Count &a, const Count &b) {
  if (a.is(0) || b.is(0))
    return 0;
  if (a.is(1))
    return b;
  if (b.is(1))
    return a;
  Count product(a.atBound * b.atBound);
  if (!a.isConstant() || !b.isConstant())
    product.expression = a.text(true) + " * " + b.text(true);
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
