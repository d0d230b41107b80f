#include "lowering/plan/Buffers.h"

#include "ir/kern/Dialect.h"
#include "ir/nn/HostTensor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;

namespace aotc::plan {

bool isView(Operation *op) {
  return isa<memref::SubViewOp, memref::ExpandShapeOp, memref::CollapseShapeOp, memref::CastOp,
             memref::ReinterpretCastOp>(op);
}

Value baseOf(Value memref) {
  while (Operation *op = memref.getDefiningOp()) {
    if (!isView(op))
      break;
    memref = op->getOperand(0);
  }
  return memref;
}

static Value dimArgument(BlockArgument memref, int64_t dim) {
  auto function = cast<func::FuncOp>(memref.getOwner()->getParentOp());
  auto names = function.getArgAttrOfType<ArrayAttr>(memref.getArgNumber(), "aotc.dims");
  for (BlockArgument argument : memref.getOwner()->getArguments())
    if (argument.getType().isIndex() && function.getArgAttr(argument.getArgNumber(), "aotc.dim") == names[dim])
      return argument;
  llvm_unreachable("every bounded dim has an argument");
}

SmallVector<OpFoldResult> sizesOf(OpBuilder &builder, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  Location loc = memref.getLoc();
  if (type.hasStaticShape())
    return getAsIndexOpFoldResult(builder.getContext(), type.getShape());
  Operation *op = memref.getDefiningOp();
  if (auto alloc = dyn_cast_or_null<memref::AllocOp>(op))
    return getMixedValues(type.getShape(), alloc.getDynamicSizes(), builder);
  if (auto expand = dyn_cast_or_null<memref::ExpandShapeOp>(op))
    return getMixedValues(expand.getStaticOutputShape(), expand.getOutputShape(), builder);
  if (auto view = dyn_cast_or_null<memref::SubViewOp>(op)) {
    SmallVector<OpFoldResult> sizes;
    llvm::SmallBitVector dropped = view.getDroppedDims();
    for (auto [dim, size] : llvm::enumerate(view.getMixedSizes()))
      if (!dropped[dim])
        sizes.push_back(size);
    return sizes;
  }
  if (auto collapse = dyn_cast_or_null<memref::CollapseShapeOp>(op)) {
    SmallVector<OpFoldResult> source = sizesOf(builder, collapse.getSrc()), sizes;
    for (auto [dim, group] : llvm::enumerate(collapse.getReassociationIndices())) {
      if (!type.isDynamicDim(dim)) {
        sizes.push_back(builder.getIndexAttr(type.getDimSize(dim)));
        continue;
      }
      Value product = getValueOrCreateConstantIndexOp(builder, loc, source[group.front()]);
      for (int64_t part : llvm::drop_begin(group))
        product =
            builder.create<arith::MulIOp>(loc, product, getValueOrCreateConstantIndexOp(builder, loc, source[part]));
      sizes.push_back(product);
    }
    return sizes;
  }
  if (op)
    return sizesOf(builder, op->getOperand(0)); // casts
  SmallVector<OpFoldResult> sizes = getAsIndexOpFoldResult(builder.getContext(), type.getShape());
  for (auto [dim, size] : llvm::enumerate(sizes))
    if (type.isDynamicDim(dim))
      size = dimArgument(cast<BlockArgument>(memref), dim);
  return sizes;
}

void resolveDims(func::FuncOp function) {
  function.walk([](memref::DimOp op) {
    OpBuilder builder(op);
    OpFoldResult size = sizesOf(builder, op.getSource())[static_cast<size_t>(*op.getConstantIndex())];
    op.replaceAllUsesWith(getValueOrCreateConstantIndexOp(builder, op.getLoc(), size));
    op.erase();
  });
}

Value createCopy(OpBuilder &builder, Location loc, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<Value> extents;
  for (OpFoldResult size : sizesOf(builder, memref))
    if (auto value = dyn_cast<Value>(size))
      extents.push_back(value);
  Value copy = builder.create<memref::AllocOp>(loc, MemRefType::get(type.getShape(), type.getElementType()), extents);
  builder.create<memref::CopyOp>(loc, memref, copy);
  return copy;
}

bool isStep(Operation *op) {
  return isa<kern::KernelOp, linalg::LinalgOp, memref::CopyOp, scf::IfOp, scf::WhileOp>(op);
}

SmallVector<Value> viewsOf(Value base) {
  SmallVector<Value> views{base};
  for (size_t i = 0; i < views.size(); ++i)
    for (Operation *user : views[i].getUsers())
      if (isView(user))
        views.push_back(user->getResult(0));
  return views;
}

SmallVector<Operation *> usersOf(Value base) {
  SmallVector<Operation *> users;
  Block *entry = base.getParentBlock();
  for (Value view : viewsOf(base))
    for (Operation *user : view.getUsers())
      if (!isView(user))
        if (Operation *ancestor = entry->findAncestorOpInBlock(*user))
          users.push_back(ancestor);
  return users;
}

int64_t scratchBytes(Operation *step) {
  constexpr int64_t cacheLineBytes = 64;
  auto kernel = dyn_cast<kern::KernelOp>(step);
  return kernel && !kernel->hasAttr(kern::onGpuAttrName)
             ? llvm::alignTo(kernel.getScratchBytesPerThread(), cacheLineBytes)
             : 0;
}

namespace {
struct Interval {
  int64_t least, most;
};
} // namespace

// Between which numbers an extent lies: bounded dims, constants, and sums and products of them.
static Interval boundsOf(Value extent) {
  if (auto argument = dyn_cast<BlockArgument>(extent)) {
    auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
    auto bound = [&](StringRef name) {
      return function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), name).getInt();
    };
    return {bound("aotc.minimum"), bound("aotc.maximum")};
  }
  Operation *op = extent.getDefiningOp();
  if (auto constant = dyn_cast<arith::ConstantIndexOp>(op))
    return {constant.value(), constant.value()};
  Interval x = boundsOf(op->getOperand(0)), y = boundsOf(op->getOperand(1));
  assert((isa<arith::AddIOp, arith::MulIOp>(op)) && "extents are sums of products");
  if (isa<arith::AddIOp>(op))
    return {x.least + y.least, x.most + y.most};
  auto [least, most] = std::minmax({x.least * y.least, x.least * y.most, x.most * y.least, x.most * y.most});
  return {least, most};
}

int64_t boundBytes(Value base) {
  auto type = cast<MemRefType>(base.getType());
  int64_t count = nn::elementBytes(type.getElementType());
  for (int64_t extent : type.getShape())
    count *= ShapedType::isDynamic(extent) ? 1 : extent;
  if (auto alloc = base.getDefiningOp<memref::AllocOp>()) {
    for (Value extent : alloc.getDynamicSizes())
      count *= boundsOf(extent).most;
    return count;
  }
  auto argument = cast<BlockArgument>(base);
  auto function = cast<func::FuncOp>(argument.getOwner()->getParentOp());
  auto bounds = function.getArgAttrOfType<DenseI64ArrayAttr>(argument.getArgNumber(), "aotc.bounds");
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    count *= type.isDynamicDim(dim) ? bounds[dim] : 1;
  return count;
}

} // namespace aotc::plan
