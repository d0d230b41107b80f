#include "lowering/plan/ElideTransposes.h"

#include "ir/kern/Dialect.h"
#include "lowering/plan/Buffers.h"
#include "lowering/plan/Restride.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace aotc::plan {

// Whether a kernel takes the memory as it is: rows of adjacent elements, or columns where it packs the operand anyway.
static bool takes(OpOperand &use, MemRefType type) {
  auto kernel = dyn_cast<kern::KernelOp>(use.getOwner());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!kernel || !kernel.acceptsStrides() || failed(getStridesAndOffset(type, strides, offset)))
    return false;
  size_t rank = strides.size();
  return rank > 0 &&
         (strides.back() == 1 || (kernel.acceptsColumns(use.getOperandNumber()) && rank > 1 && strides[rank - 2] == 1));
}

// The same for all uses but those by `transpose`, which goes.
static auto acceptsBeside(linalg::TransposeOp transpose) {
  return [=](OpOperand &use, MemRefType type) { return use.getOwner() == transpose || takes(use, type); };
}

// Dimensions of one element get strides that do not keep them from being merged with their neighbours.
static void settleUnitStrides(ArrayRef<int64_t> sizes, MutableArrayRef<int64_t> strides) {
  int64_t next = 0; // the stride of a dimension around those behind it, once there is one
  for (size_t dim = sizes.size(); dim-- > 0;) {
    if (sizes[dim] != 1)
      next = strides[dim] * sizes[dim];
    else if (next != 0)
      strides[dim] = next;
  }
}

// The view with the dimensions in this order; null where strides or the offset are no constants.
static Value transposed(OpBuilder &builder, Location loc, Value memref, ArrayRef<int64_t> order) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<int64_t> strides;
  int64_t offset;
  if (failed(getStridesAndOffset(type, strides, offset)) || ShapedType::isDynamic(offset) ||
      llvm::any_of(strides, ShapedType::isDynamic))
    return {};
  SmallVector<int64_t> sizes = applyPermutation(type.getShape(), order);
  strides = applyPermutation(strides, order);
  settleUnitStrides(sizes, strides);
  auto layout = StridedLayoutAttr::get(builder.getContext(), offset, strides);
  return builder.create<memref::ReinterpretCastOp>(loc, MemRefType::get(sizes, type.getElementType(), layout), memref,
                                                   offset, sizes, strides);
}

static memref::AllocOp allocationOf(Value memref, Operation *user) {
  auto alloc = memref.getDefiningOp<memref::AllocOp>();
  return alloc && alloc->getBlock() == user->getBlock() && alloc.getType().hasStaticShape() ? alloc : memref::AllocOp();
}

// All readers of the transposed tensor read the original.
static bool readInPlace(linalg::TransposeOp op) {
  Value source = op.getInput();
  auto alloc = allocationOf(op.getInit(), op);
  if (!alloc || !cast<MemRefType>(source.getType()).hasStaticShape() || isWrittenAfter(baseOf(source), op) ||
      isWrittenAfter(alloc, op) || llvm::any_of(alloc->getUsers(), [&](Operation *user) { return isBefore(user, op); }))
    return false;
  OpBuilder builder(op);
  Operation *before = op->getPrevNode();
  Value view = transposed(builder, op.getLoc(), source, op.getPermutation());
  if (!moveTo(view, alloc, before, op, acceptsBeside(op)))
    return false;
  op.erase();
  return true;
}

// The kernel whose result nobody but the transpose reads writes the transposed tensor.
static bool writeInPlace(linalg::TransposeOp op, Operation *anchor) {
  auto result = allocationOf(baseOf(op.getInput()), op), target = allocationOf(op.getInit(), op);
  if (!result || !target || result->hasAttr("aotc.state"))
    return false;
  std::optional<SmallVector<Operation *>> reshapes = reshapesFrom(result, op.getInput());
  auto isBeforeOp = [&](Operation *user) { return user != op && isBefore(user, op); };
  if (!reshapes || llvm::range_size(usersOf(result)) != 2 || llvm::any_of(usersOf(target), isBeforeOp))
    return false;
  OpBuilder builder(anchor);
  Operation *before = anchor->getPrevNode();
  Value view = transposed(builder, op.getLoc(), target, invertPermutationVector(op.getPermutation()));
  Value place = view ? undoReshapes(builder, op.getLoc(), view, *reshapes) : Value();
  if (!moveTo(place, result, before, anchor, acceptsBeside(op)))
    return false;
  op.erase();
  return true;
}

void elideTransposes(Block &block, Operation *anchor) {
  for (auto op : llvm::to_vector(block.getOps<linalg::TransposeOp>()))
    if (!readInPlace(op))
      writeInPlace(op, anchor);
}

} // namespace aotc::plan
