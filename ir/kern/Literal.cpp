#include "ir/kern/Literal.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallString.h"

#include <charconv>

using namespace mlir;

namespace aotc::kern {

// The fewest digits that read back as the same number.
template <class T> static std::string shortest(T value) {
  char digits[64];
  std::to_chars_result end = std::to_chars(std::begin(digits), std::end(digits), value);
  std::string text(digits, end.ptr);
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}

static std::string special(const APFloat &value, bool isDouble) {
  std::string text = value.isNaN() ? "not_a_number" : "infinity";
  if (isDouble)
    text = "double{" + text + "}";
  return value.isNegative() && !value.isNaN() ? "-" + text : text;
}

static std::optional<std::string> floatLiteral(FloatAttr attribute) {
  APFloat value = attribute.getValue();
  Type type = attribute.getType();
  std::string bits = "{" + std::to_string(value.bitcastToAPInt().getZExtValue()) + "}";
  if (type.isF16())
    return "aotc::Float16" + bits;
  if (type.isBF16())
    return "aotc::BFloat16" + bits;
  if (!type.isF32() && !type.isF64())
    return std::nullopt;
  if (!value.isFinite())
    return special(value, type.isF64());
  return type.isF32() ? shortest(value.convertToFloat()) + "f" : shortest(value.convertToDouble());
}

static std::optional<std::string> integerLiteral(IntegerAttr attribute) {
  APInt value = attribute.getValue();
  Type type = attribute.getType();
  if (type.isInteger(1))
    return value.getBoolValue() ? "true" : "false";
  if (type.isIndex())
    return std::to_string(value.getSExtValue());
  unsigned width = value.getBitWidth();
  if (width != 8 && width != 16 && width != 32 && width != 64)
    return std::nullopt;
  bool isUnsigned = type.isUnsignedInteger();
  llvm::SmallString<24> digits;
  value.toString(digits, 10, !isUnsigned);
  std::string bits = std::to_string(width);
  if (!isUnsigned && width >= 32 && value.isMinSignedValue())
    return "INT" + bits + "_MIN"; // the digits alone would be the negation of a number that does not fit
  if (!isUnsigned && width == 32)
    return digits.str().str();
  return (isUnsigned ? "std::uint" : "std::int") + bits + "_t{" + digits.str().str() + (isUnsigned ? "u}" : "}");
}

std::optional<std::string> literal(TypedAttr value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return floatLiteral(number);
  if (auto number = dyn_cast<IntegerAttr>(value))
    return integerLiteral(number);
  return std::nullopt;
}

bool hasArithmetic(Type element) {
  if (auto integer = dyn_cast<IntegerType>(element))
    return llvm::is_contained({1u, 8u, 16u, 32u, 64u}, integer.getWidth());
  return element.isF32() || element.isF64();
}

} // namespace aotc::kern
