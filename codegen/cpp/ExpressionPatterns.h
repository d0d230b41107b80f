// Groups of ops that generated code writes as one call: relu(x) for max(x, 0). Finds them; prints nothing.
#ifndef AOTC_CODEGEN_CPP_EXPRESSIONPATTERNS_H
#define AOTC_CODEGEN_CPP_EXPRESSIONPATTERNS_H

#include "mlir/IR/BuiltinAttributeInterfaces.h"
#include "mlir/IR/Operation.h"

#include <optional>

namespace aotc::codegen {

/// A call of a function of namespace aotc that computes what several ops do.
struct CallPattern {
  llvm::StringRef function;
  mlir::Value operand;                                ///< the first argument
  llvm::SmallVector<mlir::TypedAttr, 2> numbers = {}; ///< further ones, which the function takes as plain numbers
};

/// The pattern whose last op is `op`, if there is one.
std::optional<CallPattern> findPattern(mlir::Operation *op);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_EXPRESSIONPATTERNS_H
