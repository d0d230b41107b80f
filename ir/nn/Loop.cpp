// What a loop must agree with: its initial values, the body's arguments and what it yields, its results.
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"

using namespace mlir;

namespace aotc::nn {

void LoopOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  effects.emplace_back(MemoryEffects::Write::get());
}

ArrayRef<AffineExpr> LoopOp::getCarriedDims() {
  return getCarried() ? getCarried()->getResults() : ArrayRef<AffineExpr>();
}

static bool mentions(AffineExpr extent, AffineExpr dim) {
  bool found = false;
  extent.walk([&](AffineExpr part) { found |= part == dim; });
  return found;
}

SmallVector<LoopOp::CarriedDim> LoopOp::getCarriedDimsInOrder() {
  SmallVector<CarriedDim> left, ordered;
  for (AffineExpr dim : getCarriedDims())
    left.push_back({dim, {}, {}});
  for (auto [initial, next, argument] : llvm::zip(getInitial(), getNext(), getCarriedArguments()))
    for (auto [x, y, dim] : llvm::zip(extentsOf(initial), extentsOf(next), extentsOf(argument)))
      for (CarriedDim &carried : left) {
        if (carried.dim != dim)
          continue;
        if (carried.initial && (carried.initial != x || carried.next != y))
          return {};
        carried.initial = x;
        carried.next = y;
      }
  while (!left.empty()) {
    auto *last = llvm::find_if(left, [&](const CarriedDim &one) {
      return one.next && llvm::none_of(left, [&](const CarriedDim &other) {
               return other.dim != one.dim && mentions(other.next, one.dim);
             });
    });
    if (last == left.end())
      return {};
    ordered.push_back(*last);
    left.erase(last);
  }
  return ordered;
}

static bool isOne(Value value, unsigned bits) {
  auto type = cast<RankedTensorType>(value.getType());
  return type.getRank() == 0 && type.getElementType().isInteger(bits);
}

// The extents of a carried value before an iteration and its argument's: equal, but for the dims that are carried.
static LogicalResult checkCarried(LoopOp loop, Value before, BlockArgument argument, StringRef what) {
  auto from = cast<RankedTensorType>(before.getType()), to = cast<RankedTensorType>(argument.getType());
  bool fits = from.getElementType() == to.getElementType() && from.getRank() == to.getRank();
  for (auto [x, y] : llvm::zip(extentsOf(from), extentsOf(to)))
    fits &= x == y || llvm::is_contained(loop.getCarriedDims(), y);
  if (fits)
    return success();
  return loop.emitError(what) << " must be like argument " << argument.getArgNumber() << " of the body, "
                              << describe(to) << ", found " << describe(from);
}

static LogicalResult checkCollected(LoopOp loop, Value collected, Value result) {
  auto type = cast<RankedTensorType>(collected.getType());
  Extents extents = extentsOf(type);
  if (loop.getIterations())
    extents.insert(extents.begin(), loop.getIterations()->getResult(0));
  if (loop.getIterations() && tensorOf(extents, type.getElementType()) == result.getType())
    return success();
  return loop.emitError("a collected value ")
         << describe(type) << " must have 'iterations' and the result of them, found " << describe(result.getType());
}

LogicalResult LoopOp::verify() {
  size_t carried = getInitial().size(), arguments = getBody()->getNumArguments();
  if (!isOne(getTripCount(), 64) || !isOne(getCondition(), 1))
    return emitError("the trip count must be one i64 and the condition one bool, found ")
           << describe(getTripCount()) << " and " << describe(getCondition());
  if (arguments != 1 + carried || !isOne(getNumber(), 64))
    return emitError("the body must have the number of the iteration, one i64, and ")
           << carried << " carried values as arguments, found " << arguments << " arguments";
  size_t yielded = getYielded().size();
  if (yielded != 1 + getNumResults() || yielded < 1 + carried || !isOne(getYielded().front(), 1))
    return emitError("the body must yield the condition, one bool, and a value for each of ")
           << getNumResults() << " results, " << carried << " of them carried; found " << yielded << " values";
  for (auto [initial, next, argument, result] :
       llvm::zip(getInitial(), getNext(), getCarriedArguments(), getResults())) {
    if (failed(checkCarried(*this, initial, argument, "an initial value")) ||
        failed(checkCarried(*this, next, argument, "a carried value")))
      return failure();
    if (result.getType() != argument.getType())
      return emitError("a carried value's result must be ") << describe(argument) << ", found " << describe(result);
  }
  for (auto [collected, result] : llvm::zip(getCollected(), getResults().drop_front(carried)))
    if (failed(checkCollected(*this, collected, result)))
      return failure();
  if (getCarriedDimsInOrder().size() != getCarriedDims().size())
    return emitError(
        "carried dims must be extents of the body's arguments, with one initial and one next value each, and "
        "must not change places");
  return success();
}

} // namespace aotc::nn
