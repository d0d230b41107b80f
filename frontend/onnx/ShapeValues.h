// Integers that the graph computes from the extents of its tensors: what the "shape arithmetic" of exporters comes to.
#pragma once

#include "ir/nn/Extents.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

namespace aotc::frontend {

/// Evaluates small integer and bool tensors (a bool is 0 or 1) as expressions of the dims of the run.
class ShapeValues {
public:
  /// Of the function that is being built, whose dims count; blocks of branches hang in the air until these are
  /// complete.
  void setEntry(mlir::Block *block) { entry = block; }
  mlir::Block *getEntry() const { return entry; }

  /// Drops what is remembered of values: some of them are gone.
  void forget() { known.clear(); }

  /// The elements of `value` in row-major order; nothing where one of them depends on more than extents, or on what
  /// extents are within their bounds.
  std::optional<nn::Extents> evaluate(mlir::Value value);

private:
  std::optional<nn::Extents> evaluateOp(mlir::Operation *op);
  std::optional<nn::Extents> evaluateElementwise(mlir::Operation *op);
  mlir::AffineExpr combine(mlir::Operation *op, llvm::ArrayRef<mlir::AffineExpr> operands);

  llvm::DenseMap<mlir::Value, std::optional<nn::Extents>> known;
  llvm::SmallVector<nn::Dim> dims; ///< of the function
  mlir::Block *entry = nullptr;
};

} // namespace aotc::frontend
