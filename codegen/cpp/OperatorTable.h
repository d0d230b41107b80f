// How each arith and math op is spelled in C++: one row per op. What needs more than a row (comparisons, casts,
// selections, constants) is in Expressions.cpp.
#ifndef AOTC_CODEGEN_CPP_OPERATORTABLE_H
#define AOTC_CODEGEN_CPP_OPERATORTABLE_H

#include "codegen/cpp/Expressions.h"

namespace aotc::codegen {

struct OperatorRow {
  enum Form {
    Infix,   ///< text is the operator
    Prefix,  ///< likewise
    Call,    ///< text is a function of namespace aotc
    Builtin, ///< text is a function of the C library, called as __builtin_<text>, with an f for f32
  };
  const char *op;
  Form form;
  const char *text;
  Precedence precedence;
  const char *noun; ///< name for a local that holds the result
  bool onVectors;
};

/// The row of an op, or null.
const OperatorRow *findOperator(llvm::StringRef opName);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_OPERATORTABLE_H
