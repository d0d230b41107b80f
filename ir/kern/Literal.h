// What C++ has for element types: literals and arithmetic. Prints no expressions.
#ifndef AOTC_IR_KERN_LITERAL_H
#define AOTC_IR_KERN_LITERAL_H

#include "mlir/IR/BuiltinAttributes.h"

#include <optional>
#include <string>

namespace aotc::kern {

// The literal whose value and type are exactly those of `value`, a float or integer attribute: "0.1f", "-infinity",
// "std::int8_t{-128}". `infinity` and `not_a_number` are those of templates/kernels/scalar.hpp. Nothing where C++ has
// no literal of the type.
std::optional<std::string> literal(mlir::TypedAttr value);

// Whether C++ computes with elements of this type: float, double, bool and integers of 8 to 64 bits.
bool hasArithmetic(mlir::Type element);

} // namespace aotc::kern

#endif
