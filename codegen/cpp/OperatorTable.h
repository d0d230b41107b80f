// How each arith and math op is spelled in C++: one row per op. What needs more than a row (comparisons, casts,
// selections, constants) is in Expressions.cpp.
#ifndef AOTC_CODEGEN_CPP_OPERATORTABLE_H
#define AOTC_CODEGEN_CPP_OPERATORTABLE_H

#include "codegen/cpp/Expressions.h"

namespace aotc::codegen {

/// All of those that compute floats work on vectors, those that compute integers on single elements.
struct OperatorRow {
  enum Form {
    Infix,  ///< text is the operator
    Prefix, ///< likewise
    Call,   ///< text is a function of namespace aotc
  };
  const char *op;
  Form form;
  const char *text;
  Precedence precedence;
  const char *noun; ///< name for a local that holds the result
};

/// The row of an op, or null.
const OperatorRow *findOperator(llvm::StringRef opName);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_OPERATORTABLE_H
