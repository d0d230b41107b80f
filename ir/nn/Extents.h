// Extents that only the run knows, as expressions of its dims. The type of a tensor that has some carries all of its
// extents as an encoding, so that types tell one unknown extent from another; extent k of the map is that of dimension
// k, symbol i the i-th dim of the function (see dimsOf):
//
//   tensor<?x3x?xf32, affine_map<()[s0, s1] -> (s0, 3, s1 * 4)>>
//
// Expressions are polynomials of dims and of rounded quotients, in a form of which equal ones have one.
#ifndef AOTC_IR_NN_EXTENTS_H
#define AOTC_IR_NN_EXTENTS_H

#include "mlir/IR/AffineExpr.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <optional>
#include <string>

namespace aotc::nn {

using Extents = llvm::SmallVector<mlir::AffineExpr>;

// ---------------------------------------------------------------------------------------------------------- of types
// The extents of a tensor. Null in the place of unknown ones whose type has no encoding.
Extents extentsOf(mlir::RankedTensorType type);
inline Extents extentsOf(mlir::Value tensor) { return extentsOf(llvm::cast<mlir::RankedTensorType>(tensor.getType())); }
// The tensor type with these extents. Null ones make the type one of unknown extents without an encoding, which no
// importer accepts.
mlir::RankedTensorType tensorOf(llvm::ArrayRef<mlir::AffineExpr> extents, mlir::Type element);
// Whether the encoding says what the shape says, and is there where it must be.
bool hasValidExtents(mlir::RankedTensorType type);
// `extents` as numbers, kDynamic in the place of those that are none.
llvm::SmallVector<int64_t> shapeOf(llvm::ArrayRef<mlir::AffineExpr> extents);
// The map of an op's attribute; null where all extents are numbers.
mlir::AffineMapAttr mapOf(llvm::ArrayRef<mlir::AffineExpr> extents);
// Numbers, and where `map` is there, its results.
Extents extentsOf(llvm::ArrayRef<int64_t> shape, mlir::AffineMapAttr map, mlir::MLIRContext *context);

// ---------------------------------------------------------------------------------------------------- of expressions
// The one form of all equal expressions. Null stays null.
mlir::AffineExpr simplified(mlir::AffineExpr extent);
std::optional<int64_t> numberOf(mlir::AffineExpr extent);
bool isNumber(mlir::AffineExpr extent, int64_t number);
// Null where one of them is.
mlir::AffineExpr sum(mlir::AffineExpr x, mlir::AffineExpr y);
mlir::AffineExpr sum(mlir::AffineExpr x, int64_t y);
mlir::AffineExpr difference(mlir::AffineExpr x, mlir::AffineExpr y);
mlir::AffineExpr product(mlir::AffineExpr x, mlir::AffineExpr y);
mlir::AffineExpr product(llvm::ArrayRef<mlir::AffineExpr> extents, mlir::MLIRContext *context);
// Rounded down. `y` is positive.
mlir::AffineExpr quotient(mlir::AffineExpr x, mlir::AffineExpr y);
mlir::AffineExpr quotient(mlir::AffineExpr x, int64_t y);
// x / y where that leaves no rest, whatever the dims are; null elsewhere.
mlir::AffineExpr exactQuotient(mlir::AffineExpr x, mlir::AffineExpr y);

// ----------------------------------------------------------------------------------------------------------- of dims
// A dim of the run: set by the caller before it, or found by a step of it.
struct Dim {
  std::string name;
  int64_t minimum = 1, maximum = 1;
  bool isFound = false;
};
struct Interval {
  int64_t least, most;
};

// Those of a function: the bounded dims of its arguments (nn.symbols), in the order in which they come, then those that
// its ops find (nn.found).
llvm::SmallVector<Dim> dimsOf(mlir::Operation *function);
// Declares a dim that an op of the function around `block` finds, between 0 and `most`. The name is made unique.
mlir::AffineExpr addFoundDim(mlir::Block *block, llvm::StringRef name, int64_t most);
// The dims that ops of the function around `block` find, as one attribute, null where there are none; and set to what
// was got before: for ops that are taken back.
mlir::Attribute getFoundDims(mlir::Block *block);
void setFoundDims(mlir::Block *block, mlir::Attribute dims);
// Declares for `function` the dims that ops of `other` find too, and makes all of `other` speak of those: it may be
// moved there then. Both have the same dims of arguments.
void joinFoundDims(mlir::Operation *function, mlir::Operation *other);
// Those of the function around a value or a block.
llvm::SmallVector<Dim> dimsAround(mlir::Value value);
llvm::SmallVector<Dim> dimsAround(mlir::Block *block);
// Between which numbers an extent lies: no tighter than its terms tell.
Interval boundsOf(mlir::AffineExpr extent, llvm::ArrayRef<Dim> dims);
// "batch", "2 * batch + 1", "(height + 1) / 2".
std::string textOf(mlir::AffineExpr extent, llvm::ArrayRef<Dim> dims);

} // namespace aotc::nn

#endif
