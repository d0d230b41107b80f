// Whether operands agree on extents that only the run knows, and the extents of what branches give: what the types of
// nn cannot say. Changes nothing else.
#include "ir/kern/Dialect.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace aotc::convert {

// The extent of something that several operands give, the first of which counts.
using SharedExtent = std::optional<ExtentProduct>;

static LogicalResult meet(Operation *op, SharedExtent &shared, const ExtentProduct &extent) {
  if (!shared)
    shared = extent;
  if (*shared == extent)
    return success();
  return op->emitError("extents that are known at run time only must be the same bounded dim where they meet, found '")
         << shared->text() << "' and '" << extent.text() << "'";
}

// A dimension that is unknown in both tensors.
static LogicalResult checkSame(Operation *op, Value x, int64_t xDim, Value y, int64_t yDim) {
  if (!ShapedType::isDynamic(shapeOf(x)[xDim]) || !ShapedType::isDynamic(shapeOf(y)[yDim]))
    return success();
  SharedExtent shared = productOf(x, xDim);
  return meet(op, shared, productOf(y, yDim));
}

// A loop runs over the same dimension of all operands that it indexes.
static LogicalResult checkLoops(linalg::LinalgOp op) {
  SmallVector<SharedExtent> loops(op.getNumLoops());
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    if (!type || type.hasStaticShape())
      continue;
    for (auto [dim, index] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(index); loop && type.isDynamicDim(dim))
        if (failed(meet(op, loops[loop.getPosition()], productOf(operand.get(), dim))))
          return failure();
  }
  return success();
}

static LogicalResult checkInsertion(tensor::InsertSliceOp op) {
  for (int64_t dim = 0; dim < op.getDestType().getRank(); ++dim)
    if (failed(checkSame(op, op.getDest(), dim, op.getSource(), dim)))
      return failure();
  return success();
}

// One number of elements for every extent of the bounded dim: a part of it would be lost otherwise.
static LogicalResult checkReshape(tensor::ExpandShapeOp op) {
  for (int64_t dim = 0; dim < op.getResultType().getRank(); ++dim)
    if (ExtentProduct extent = productOf(op.getResult(), dim); extent.divisor != 1)
      return op.emitError("the new shape must fit every extent of a bounded dim, found '") << extent.text() << "'";
  return success();
}

static LogicalResult checkProduct(kern::MatMulOp op) {
  return success(succeeded(checkSame(op, op.getA(), 0, op.getWeights(), 0)) &&
                 succeeded(checkSame(op, op.getA(), 2, op.getWeights(), 1)));
}

SmallVector<Value> openExtents(OpBuilder &builder, Location loc, RankedTensorType type) {
  SmallVector<Value> extents;
  for (int64_t i = 0; i < type.getNumDynamicDims(); ++i)
    extents.push_back(
        builder.create<UnrealizedConversionCastOp>(loc, builder.getIndexType(), ValueRange()).getResult(0));
  return extents;
}

// Replaces the open extents of a result by those that both branches give.
static LogicalResult closeExtents(scf::IfOp branch, unsigned result) {
  auto destination = branchDestination(branch, result).getDefiningOp<bufferization::AllocTensorOp>();
  auto type = cast<RankedTensorType>(destination.getType());
  for (int64_t dim = 0; dim < type.getRank(); ++dim) {
    if (!type.isDynamicDim(dim))
      continue;
    SharedExtent shared;
    for (scf::YieldOp yield : {branch.thenYield(), branch.elseYield()}) {
      auto copy = yield.getOperand(result).getDefiningOp<linalg::CopyOp>();
      if (failed(meet(branch, shared, productOf(copy.getInputs().front(), dim))))
        return failure();
    }
    if (!shared->isKnown())
      return branch.emitError("the extents of results must be bounded dims of inputs, found '")
             << shared->text() << "'";
    OpBuilder builder(destination);
    Operation *open = destination.getDynamicSizes()[destination.getIndexOfDynamicSize(dim)].getDefiningOp();
    open->replaceAllUsesWith(ValueRange(buildExtent(builder, branch.getLoc(), *shared)));
    open->erase();
  }
  return success();
}

static LogicalResult closeExtents(scf::IfOp branch) {
  for (unsigned result = 0; result < branch.getNumResults(); ++result)
    if (failed(closeExtents(branch, result)))
      return failure();
  return success();
}

LogicalResult checkExtents(func::FuncOp function) {
  auto walk = [&](auto check) { return function.walk([&](Operation *op) { return WalkResult(check(op)); }); };
  // Inner branches first, then what uses them; everything else once all extents are there.
  WalkResult closed = walk([](Operation *op) {
    auto branch = dyn_cast<scf::IfOp>(op);
    return branch ? closeExtents(branch) : success();
  });
  if (closed.wasInterrupted())
    return failure();
  WalkResult checked = walk([](Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case<linalg::LinalgOp>([](auto loops) { return checkLoops(loops); })
        .Case<tensor::InsertSliceOp>([](auto insertion) { return checkInsertion(insertion); })
        .Case<tensor::ExpandShapeOp>([](auto reshape) { return checkReshape(reshape); })
        .Case<kern::MatMulOp>([](auto product) { return checkProduct(product); })
        .Default(success());
  });
  return failure(checked.wasInterrupted());
}

} // namespace aotc::convert
