#include "codegen/cpp/LoopNest.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/AffineExpr.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using llvm::SmallVector;

namespace aotc::codegen {

//===-- maps ------------------------------------------------------------------------------------------------------===//

// Adds `factor` * expression to coefficients (one per loop) and constant; false if the expression is not linear.
static bool addLinear(AffineExpr expression, int64_t factor, SmallVectorImpl<int64_t> &coefficients,
                      int64_t &constant) {
  if (auto dim = dyn_cast<AffineDimExpr>(expression)) {
    coefficients[dim.getPosition()] += factor;
    return true;
  }
  if (auto number = dyn_cast<AffineConstantExpr>(expression)) {
    constant += factor * number.getValue();
    return true;
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(expression);
  if (!binary)
    return false;
  if (binary.getKind() == AffineExprKind::Add)
    return addLinear(binary.getLHS(), factor, coefficients, constant) &&
           addLinear(binary.getRHS(), factor, coefficients, constant);
  auto number = dyn_cast<AffineConstantExpr>(binary.getRHS());
  if (binary.getKind() != AffineExprKind::Mul || !number)
    return false;
  return addLinear(binary.getLHS(), factor * number.getValue(), coefficients, constant);
}

FailureOr<NestOperand> stepAlong(AffineMap map, const Place &place) {
  NestOperand operand{place, SmallVector<Count>(map.getNumDims(), 0)};
  for (auto [i, result] : llvm::enumerate(map.getResults())) {
    SmallVector<int64_t> coefficients(map.getNumDims(), 0);
    int64_t constant = 0;
    if (!addLinear(result, 1, coefficients, constant))
      return failure();
    operand.place.offset = operand.place.offset + Count(constant) * place.strides[i];
    for (auto [loop, coefficient] : llvm::enumerate(coefficients))
      operand.strides[loop] = operand.strides[loop] + Count(coefficient) * place.strides[i];
  }
  return operand;
}

// Each loop runs over a dimension of some operand that it indexes alone.
static bool findExtents(ArrayRef<AffineMap> maps, ArrayRef<Place> places, LoopNest &nest) {
  SmallVector<bool> known(nest.extents.size(), false);
  for (auto [map, place] : llvm::zip(maps, places))
    for (auto [i, result] : llvm::enumerate(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(result); dim && !known[dim.getPosition()]) {
        nest.extents[dim.getPosition()] = place.sizes[i];
        known[dim.getPosition()] = true;
      }
  return llvm::all_of(known, [](bool found) { return found; });
}

FailureOr<LoopNest> loopNestOf(linalg::LinalgOp op, BufferTable &buffers) {
  LoopNest nest;
  nest.extents.resize(op.getNumLoops(), 1);
  for (utils::IteratorType type : op.getIteratorTypesArray())
    nest.isReduction.push_back(type == utils::IteratorType::reduction);
  SmallVector<AffineMap> maps;
  std::vector<Place> places;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    FailureOr<Place> place = buffers.placeOf(operand.get(), op);
    if (failed(place))
      return failure();
    maps.push_back(op.getMatchingIndexingMap(&operand));
    places.push_back(*place);
    FailureOr<NestOperand> steps = stepAlong(maps.back(), *place);
    if (failed(steps))
      return op->emitError("an indexing map is no sum of multiples of loops: ") << AffineMapAttr::get(maps.back());
    nest.operands.push_back(*steps);
  }
  if (!findExtents(maps, places, nest))
    return op->emitError("the extent of a loop follows from no operand");
  for (int loop = 0; loop < static_cast<int>(op.getNumLoops()); ++loop)
    nest.loopOfDim.push_back(loop);
  return nest;
}

LoopNest copyNest(const Place &source, const Place &target) {
  LoopNest nest;
  nest.extents = target.sizes;
  nest.isReduction.assign(target.sizes.size(), false);
  nest.operands = {{source, source.strides}, {target, target.strides}};
  for (int loop = 0; loop < static_cast<int>(target.sizes.size()); ++loop)
    nest.loopOfDim.push_back(loop);
  return nest;
}

//===-- simplification --------------------------------------------------------------------------------------------===//

// Keeps the loops `order`, in that order.
static void reorder(LoopNest &nest, ArrayRef<unsigned> order) {
  LoopNest result;
  for (const NestOperand &operand : nest.operands)
    result.operands.push_back({operand.place, {}});
  SmallVector<int> newLoop(nest.extents.size(), -1);
  for (unsigned loop : order) {
    newLoop[loop] = static_cast<int>(result.extents.size());
    result.extents.push_back(nest.extents[loop]);
    result.isReduction.push_back(nest.isReduction[loop]);
    for (auto [to, from] : llvm::zip(result.operands, nest.operands))
      to.strides.push_back(from.strides[loop]);
  }
  for (int loop : nest.loopOfDim)
    result.loopOfDim.push_back(loop < 0 ? -1 : newLoop[static_cast<size_t>(loop)]);
  nest = std::move(result);
}

static bool stepsAsOne(const LoopNest &nest, size_t outer) {
  return nest.isReduction[outer] == nest.isReduction[outer + 1] &&
         llvm::all_of(nest.operands, [&](const NestOperand &operand) {
           return operand.strides[outer] == nest.extents[outer + 1] * operand.strides[outer + 1];
         });
}

static void join(LoopNest &nest, size_t outer) {
  nest.extents[outer] = nest.extents[outer] * nest.extents[outer + 1];
  SmallVector<unsigned> order;
  for (unsigned loop = 0; loop < nest.extents.size(); ++loop)
    if (loop != outer + 1)
      order.push_back(loop);
  for (NestOperand &operand : nest.operands)
    operand.strides[outer] = operand.strides[outer + 1];
  reorder(nest, order);
}

void simplify(LoopNest &nest, bool keepLoops) {
  SmallVector<unsigned> order;
  for (unsigned loop = 0; loop < nest.extents.size(); ++loop)
    if (!nest.extents[loop].is(1))
      order.push_back(loop);
  const NestOperand &target = nest.operands.back();
  llvm::stable_sort(order, [&](unsigned a, unsigned b) {
    if (nest.isReduction[a] != nest.isReduction[b])
      return !nest.isReduction[a];
    return std::abs(target.strides[a].bound()) > std::abs(target.strides[b].bound());
  });
  reorder(nest, order);
  for (size_t outer = 0; !keepLoops && outer + 1 < nest.extents.size();)
    if (stepsAsOne(nest, outer))
      join(nest, outer);
    else
      ++outer;
}

} // namespace aotc::codegen
