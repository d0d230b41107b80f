#include "codegen/cpp/OperatorTable.h"

#include "llvm/ADT/StringMap.h"

namespace aotc::codegen {

// clang-format off
static constexpr OperatorRow table[] = {
    // floats
    {"arith.addf",     OperatorRow::Infix,   "+",     Precedence::Sum,     "sum"},
    {"arith.subf",     OperatorRow::Infix,   "-",     Precedence::Sum,     "difference"},
    {"arith.mulf",     OperatorRow::Infix,   "*",     Precedence::Product, "product"},
    {"arith.divf",     OperatorRow::Infix,   "/",     Precedence::Product, "quotient"},
    {"arith.negf",     OperatorRow::Prefix,  "-",     Precedence::Unary,   "negative"},
    {"arith.maximumf", OperatorRow::Call,    "max",   Precedence::Primary, "larger"},
    {"arith.minimumf", OperatorRow::Call,    "min",   Precedence::Primary, "smaller"},
    {"arith.remf",     OperatorRow::Call,    "fmod",  Precedence::Primary, "rest"},
    {"math.absf",      OperatorRow::Call,    "abs",   Precedence::Primary, "magnitude"},
    {"math.exp",       OperatorRow::Call,    "exp",   Precedence::Primary, "power"},
    {"math.log",       OperatorRow::Call,    "log",   Precedence::Primary, "logarithm"},
    {"math.sqrt",      OperatorRow::Call,    "sqrt",  Precedence::Primary, "root"},
    {"math.tanh",      OperatorRow::Call,    "tanh",  Precedence::Primary, "tangent"},
    {"math.erf",       OperatorRow::Call,    "erf",   Precedence::Primary, "error"},
    {"math.powf",      OperatorRow::Call,    "pow",   Precedence::Primary, "power"},
    {"math.floor",     OperatorRow::Call,    "floor", Precedence::Primary, "whole"},
    {"math.ceil",      OperatorRow::Call,    "ceil",  Precedence::Primary, "whole"},
    {"math.roundeven", OperatorRow::Call,    "round_even", Precedence::Primary, "whole"},
    {"math.expm1",     OperatorRow::Call,    "expm1", Precedence::Primary, "power"},
    {"math.log1p",     OperatorRow::Call,    "log1p", Precedence::Primary, "logarithm"},
    {"math.sin",       OperatorRow::Call,    "sin",   Precedence::Primary, "sine"},
    {"math.cos",       OperatorRow::Call,    "cos",   Precedence::Primary, "cosine"},
    {"math.tan",       OperatorRow::Call,    "tan",   Precedence::Primary, "tangent"},
    {"math.asin",      OperatorRow::Call,    "asin",  Precedence::Primary, "angle"},
    {"math.acos",      OperatorRow::Call,    "acos",  Precedence::Primary, "angle"},
    {"math.atan",      OperatorRow::Call,    "atan",  Precedence::Primary, "angle"},
    {"math.sinh",      OperatorRow::Call,    "sinh",  Precedence::Primary, "sine"},
    {"math.cosh",      OperatorRow::Call,    "cosh",  Precedence::Primary, "cosine"},
    {"math.asinh",     OperatorRow::Call,    "asinh", Precedence::Primary, "area"},
    {"math.acosh",     OperatorRow::Call,    "acosh", Precedence::Primary, "area"},
    {"math.atanh",     OperatorRow::Call,    "atanh", Precedence::Primary, "area"},
    // integers
    {"arith.addi",     OperatorRow::Call, "wrapping_add",         Precedence::Primary, "sum"},
    {"arith.subi",     OperatorRow::Call, "wrapping_subtract",    Precedence::Primary, "difference"},
    {"arith.muli",     OperatorRow::Call, "wrapping_multiply",    Precedence::Primary, "product"},
    {"arith.divsi",    OperatorRow::Call, "divide",               Precedence::Primary, "quotient"},
    {"arith.divui",    OperatorRow::Call, "divide_unsigned",      Precedence::Primary, "quotient"},
    {"arith.remsi",    OperatorRow::Call, "remainder_of",         Precedence::Primary, "rest"},
    {"arith.remui",    OperatorRow::Call, "remainder_unsigned",   Precedence::Primary, "rest"},
    {"arith.maxsi",    OperatorRow::Call, "max",                  Precedence::Primary, "larger"},
    {"arith.minsi",    OperatorRow::Call, "min",                  Precedence::Primary, "smaller"},
    {"arith.maxui",    OperatorRow::Call, "max_unsigned",         Precedence::Primary, "larger"},
    {"arith.minui",    OperatorRow::Call, "min_unsigned",         Precedence::Primary, "smaller"},
    {"arith.shli",     OperatorRow::Call, "shift_left",           Precedence::Primary, "shifted"},
    {"arith.shrsi",    OperatorRow::Call, "shift_right",          Precedence::Primary, "shifted"},
    {"arith.shrui",    OperatorRow::Call, "shift_right_unsigned", Precedence::Primary, "shifted"},
    {"math.absi",      OperatorRow::Call, "wrapping_abs",         Precedence::Primary, "magnitude"},
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
