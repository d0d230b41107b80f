#include "lowering/plan/PrepareTensors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace aotc::plan {

// Clones `op` for each of its users but the first, right before it.
static void cloneForEachUse(Operation *op) {
  for (OpOperand &use : llvm::make_early_inc_range(llvm::drop_begin(op->getUses()))) {
    OpBuilder builder(use.getOwner());
    use.set(builder.clone(*op)->getResult(0));
  }
}

static bool isDestination(OpOperand &use) {
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(use.getOwner()))
    return &use == &insert.getDestMutable();
  auto op = dyn_cast<DestinationStyleOpInterface>(use.getOwner());
  return op && op.isDpsInit(&use);
}

// The same for users that write on into what it has written, such as the further parts of two concatenations that begin
// alike. Those that only read share it.
static void cloneForEachWriter(tensor::InsertSliceOp op) {
  SmallVector<OpOperand *> writers;
  for (OpOperand &use : op->getUses())
    if (isDestination(use))
      writers.push_back(&use);
  const bool isRead = !llvm::hasNItems(op->getUses(), static_cast<unsigned>(writers.size()));
  for (OpOperand *use : ArrayRef(writers).drop_front(isRead || writers.empty() ? 0 : 1)) {
    OpBuilder builder(use->getOwner());
    use->set(builder.clone(*op)->getResult(0));
  }
}

void separateDestinations(func::FuncOp function) {
  // The last parts of concatenations first, then fills: clones share the original's own destination until it is its turn.
  SmallVector<tensor::InsertSliceOp> inserts;
  function.walk([&](tensor::InsertSliceOp op) { inserts.push_back(op); });
  llvm::for_each(llvm::reverse(inserts), cloneForEachWriter);
  SmallVector<Operation *> fills, empties;
  function.walk([&](linalg::FillOp op) { fills.push_back(op); });
  llvm::for_each(fills, cloneForEachUse);
  function.walk([&](tensor::EmptyOp op) { empties.push_back(op); });
  llvm::for_each(empties, cloneForEachUse);
}

void expandInMemory(func::FuncOp function) {
  SmallVector<tensor::ExpandShapeOp> ops;
  function.walk([&](tensor::ExpandShapeOp op) {
    if (!op.getResultType().hasStaticShape())
      ops.push_back(op);
  });
  for (tensor::ExpandShapeOp op : ops) {
    OpBuilder builder(op);
    auto from = op.getSrcType(), to = op.getResultType();
    Value memory = builder.create<bufferization::ToMemrefOp>(
        op.getLoc(), MemRefType::get(from.getShape(), from.getElementType()), op.getSrc(), /*read_only=*/true);
    auto shape = getMixedValues(op.getStaticOutputShape(), op.getOutputShape(), builder);
    Value view = builder.create<memref::ExpandShapeOp>(op.getLoc(), MemRefType::get(to.getShape(), to.getElementType()),
                                                       memory, op.getReassociationIndices(), shape);
    Value tensor = builder.create<bufferization::ToTensorOp>(op.getLoc(), view, /*restrict=*/true, /*writable=*/false);
    op.replaceAllUsesWith(tensor);
    op.erase();
  }
}

void moveConstantsToGlobals(ModuleOp module) {
  SymbolTable symbols(module);
  llvm::DenseMap<Attribute, memref::GlobalOp> globals;
  auto globalOf = [&](arith::ConstantOp op, MemRefType type) {
    memref::GlobalOp &global = globals[op.getValue()];
    if (!global) {
      OpBuilder builder(module.getContext());
      std::string name = "constant_" + std::to_string(globals.size() - 1);
      global =
          builder.create<memref::GlobalOp>(op.getLoc(), name, builder.getStringAttr("private"), type, op.getValue(),
                                           /*constant=*/true, builder.getI64IntegerAttr(64));
      symbols.insert(global, module.getBody()->begin());
    }
    return global;
  };
  SmallVector<arith::ConstantOp> constants;
  module.walk([&](arith::ConstantOp op) {
    if (isa<RankedTensorType>(op.getType()))
      constants.push_back(op);
  });
  for (arith::ConstantOp op : constants) {
    auto tensor = cast<RankedTensorType>(op.getType());
    auto type = MemRefType::get(tensor.getShape(), tensor.getElementType());
    OpBuilder builder(op);
    Value memory = builder.create<memref::GetGlobalOp>(op.getLoc(), type, globalOf(op, type).getSymName());
    Value value = builder.create<bufferization::ToTensorOp>(op.getLoc(), memory, /*restrict=*/true, /*writable=*/false);
    op.replaceAllUsesWith(value);
    op.erase();
  }
}

} // namespace aotc::plan
