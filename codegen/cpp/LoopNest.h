// The loops of a linalg op: extents, and how far every operand steps along each loop. Makes the nest as shallow as its
// operands' strides allow. Prints nothing.
#ifndef AOTC_CODEGEN_CPP_LOOPNEST_H
#define AOTC_CODEGEN_CPP_LOOPNEST_H

#include "codegen/cpp/Values.h"

#include "mlir/IR/AffineMap.h"

namespace mlir::linalg {
class LinalgOp;
} // namespace mlir::linalg

namespace aotc::codegen {

/// A memref operand, stepping by `strides[loop]` elements; `place.offset` is where it starts.
struct NestOperand {
  Place place;
  llvm::SmallVector<Count> strides;
};

struct LoopNest {
  llvm::SmallVector<Count> extents; ///< outermost first
  llvm::SmallVector<bool> isReduction;
  std::vector<NestOperand> operands; ///< memref operands, in order, the destinations last
  /// Which loop a dimension of the op has become; -1 for one of extent 1, which is always at 0.
  llvm::SmallVector<int> loopOfDim;
};

/// The steps of `map`, whose results are sums of multiples of loops, over a memref: stride of each loop, and the
/// offset. Fails, without a diagnostic, on other maps.
mlir::FailureOr<NestOperand> stepAlong(mlir::AffineMap map, const Place &place);

/// Of any linalg op on memrefs; scalar operands are left out. Fails, with a diagnostic, where an index is no sum of
/// multiples of loops.
mlir::FailureOr<LoopNest> loopNestOf(mlir::linalg::LinalgOp op, BufferTable &buffers);
/// Of a copy: source, destination.
LoopNest copyNest(const Place &source, const Place &target);

/// Drops loops of extent 1, orders parallel loops by the last operand's strides, outermost the largest, reductions
/// inside, and joins neighbours where every operand steps through both as through one. With `keepLoops` nothing is
/// joined: the op asks for its indices.
void simplify(LoopNest &nest, bool keepLoops = false);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_LOOPNEST_H
