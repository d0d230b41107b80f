#include "codegen/cpp/OperatorTable.h"

#include "llvm/ADT/StringMap.h"

namespace aotc::codegen {

// clang-format off
static constexpr OperatorRow table[] = {
    // floats
    {"arith.addf",     OperatorRow::Infix,   "+",     Precedence::Sum,     "sum",        true},
    {"arith.subf",     OperatorRow::Infix,   "-",     Precedence::Sum,     "difference", true},
    {"arith.mulf",     OperatorRow::Infix,   "*",     Precedence::Product, "product",    true},
    {"arith.divf",     OperatorRow::Infix,   "/",     Precedence::Product, "quotient",   true},
    {"arith.negf",     OperatorRow::Prefix,  "-",     Precedence::Unary,   "negative",   true},
    {"arith.maximumf", OperatorRow::Call,    "max",   Precedence::Primary, "larger",     true},
    {"arith.minimumf", OperatorRow::Call,    "min",   Precedence::Primary, "smaller",    true},
    {"arith.maxnumf",  OperatorRow::Builtin, "fmax",  Precedence::Primary, "larger",     false},
    {"arith.minnumf",  OperatorRow::Builtin, "fmin",  Precedence::Primary, "smaller",    false},
    {"arith.remf",     OperatorRow::Call,    "fmod",  Precedence::Primary, "rest",       true},
    {"math.absf",      OperatorRow::Call,    "abs",   Precedence::Primary, "magnitude",  true},
    {"math.exp",       OperatorRow::Call,    "exp",   Precedence::Primary, "power",      true},
    {"math.log",       OperatorRow::Call,    "log",   Precedence::Primary, "logarithm",  true},
    {"math.sqrt",      OperatorRow::Call,    "sqrt",  Precedence::Primary, "root",       true},
    {"math.rsqrt",     OperatorRow::Call,    "rsqrt", Precedence::Primary, "factor",     true},
    {"math.tanh",      OperatorRow::Call,    "tanh",  Precedence::Primary, "tangent",    true},
    {"math.erf",       OperatorRow::Call,    "erf",   Precedence::Primary, "error",      true},
    {"math.powf",      OperatorRow::Call,    "pow",   Precedence::Primary, "power",      true},
    {"math.floor",     OperatorRow::Call,    "floor", Precedence::Primary, "whole",      true},
    {"math.ceil",      OperatorRow::Call,    "ceil",  Precedence::Primary, "whole",      true},
    {"math.roundeven", OperatorRow::Call,    "round_even", Precedence::Primary, "whole", true},
    {"math.fma",       OperatorRow::Call,    "fma",   Precedence::Primary, "sum",        true},
    {"math.expm1",     OperatorRow::Call,    "expm1", Precedence::Primary, "power",      true},
    {"math.log1p",     OperatorRow::Call,    "log1p", Precedence::Primary, "logarithm",  true},
    {"math.sin",       OperatorRow::Call,    "sin",   Precedence::Primary, "sine",       true},
    {"math.cos",       OperatorRow::Call,    "cos",   Precedence::Primary, "cosine",     true},
    {"math.tan",       OperatorRow::Call,    "tan",   Precedence::Primary, "tangent",    true},
    {"math.asin",      OperatorRow::Call,    "asin",  Precedence::Primary, "angle",      true},
    {"math.acos",      OperatorRow::Call,    "acos",  Precedence::Primary, "angle",      true},
    {"math.atan",      OperatorRow::Call,    "atan",  Precedence::Primary, "angle",      true},
    {"math.sinh",      OperatorRow::Call,    "sinh",  Precedence::Primary, "sine",       true},
    {"math.cosh",      OperatorRow::Call,    "cosh",  Precedence::Primary, "cosine",     true},
    {"math.asinh",     OperatorRow::Call,    "asinh", Precedence::Primary, "area",       true},
    {"math.acosh",     OperatorRow::Call,    "acosh", Precedence::Primary, "area",       true},
    {"math.atanh",     OperatorRow::Call,    "atanh", Precedence::Primary, "area",       true},
    {"math.round",     OperatorRow::Builtin, "round", Precedence::Primary, "whole",      false},
    {"math.trunc",     OperatorRow::Builtin, "trunc", Precedence::Primary, "whole",      false},
    {"math.exp2",      OperatorRow::Builtin, "exp2",  Precedence::Primary, "power",      false},
    {"math.log2",      OperatorRow::Builtin, "log2",  Precedence::Primary, "logarithm",  false},
    {"math.log10",     OperatorRow::Builtin, "log10", Precedence::Primary, "logarithm",  false},
    {"math.cbrt",      OperatorRow::Builtin, "cbrt",  Precedence::Primary, "root",       false},
    {"math.atan2",     OperatorRow::Builtin, "atan2", Precedence::Primary, "angle",      false},
    {"math.copysign",  OperatorRow::Builtin, "copysign", Precedence::Primary, "number",  false},
    // integers
    {"arith.addi",     OperatorRow::Call, "wrapping_add",         Precedence::Primary, "sum",        false},
    {"arith.subi",     OperatorRow::Call, "wrapping_subtract",    Precedence::Primary, "difference", false},
    {"arith.muli",     OperatorRow::Call, "wrapping_multiply",    Precedence::Primary, "product",    false},
    {"arith.divsi",    OperatorRow::Call, "divide",               Precedence::Primary, "quotient",   false},
    {"arith.divui",    OperatorRow::Call, "divide_unsigned",      Precedence::Primary, "quotient",   false},
    {"arith.remsi",    OperatorRow::Call, "remainder_of",         Precedence::Primary, "rest",       false},
    {"arith.remui",    OperatorRow::Call, "remainder_unsigned",   Precedence::Primary, "rest",       false},
    {"arith.maxsi",    OperatorRow::Call, "max",                  Precedence::Primary, "larger",     false},
    {"arith.minsi",    OperatorRow::Call, "min",                  Precedence::Primary, "smaller",    false},
    {"arith.maxui",    OperatorRow::Call, "max_unsigned",         Precedence::Primary, "larger",     false},
    {"arith.minui",    OperatorRow::Call, "min_unsigned",         Precedence::Primary, "smaller",    false},
    {"arith.shli",     OperatorRow::Call, "shift_left",           Precedence::Primary, "shifted",    false},
    {"arith.shrsi",    OperatorRow::Call, "shift_right",          Precedence::Primary, "shifted",    false},
    {"arith.shrui",    OperatorRow::Call, "shift_right_unsigned", Precedence::Primary, "shifted",    false},
    {"math.absi",      OperatorRow::Call, "wrapping_abs",         Precedence::Primary, "magnitude",  false},
};
// clang-format on

const OperatorRow *findOperator(llvm::StringRef opName) {
  static const llvm::StringMap<const OperatorRow *> rows = [] {
    llvm::StringMap<const OperatorRow *> map;
    for (const OperatorRow &row : table)
      map[row.op] = &row;
    return map;
  }();
  return rows.lookup(opName);
}

} // namespace aotc::codegen
