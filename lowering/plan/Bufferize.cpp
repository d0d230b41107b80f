// Tensors become buffers: upstream bufferization, a fresh memref.alloc for every destination. Since no two ops write
// one tensor, nothing needs to be analysed and nothing copied. Afterwards every result of the function is a whole
// buffer of its own, so that a caller can bind it.
//
//   %0 = tensor.empty                          ==>   %0 = memref.alloc
//   %1 = kern.conv2d ins(%x, %w, %0)                 kern.conv2d ins(%x, %w, %0)
#include "ir/kern/Dialect.h"
#include "lowering/Passes.h"
#include "lowering/plan/Buffers.h"
#include "lowering/plan/PrepareTensors.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotModuleBufferize.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace aotc {

#define GEN_PASS_DEF_BUFFERIZE
#include "lowering/Passes.h.inc"

using namespace mlir;

namespace {

// Whether the value is all of an allocation, in whatever shape.
bool isWhole(Value value) {
  while (isa_and_nonnull<memref::ExpandShapeOp, memref::CollapseShapeOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value.getDefiningOp<memref::AllocOp>() != nullptr;
}

// A result needs a buffer of its own where it is an argument, a constant, a part of a buffer or another result too.
void ownResults(func::FuncOp function) {
  auto ret = cast<func::ReturnOp>(function.front().getTerminator());
  OpBuilder builder(ret);
  llvm::SmallPtrSet<void *, 8> taken;
  for (OpOperand &operand : ret->getOpOperands()) {
    Value value = operand.get(), base = plan::baseOf(value);
    if (!isWhole(value) || !taken.insert(base.getAsOpaquePointer()).second)
      operand.set(plan::createCopy(builder, ret.getLoc(), value));
  }
  SmallVector<Type> types = llvm::to_vector(ret.getOperandTypes());
  function.setFunctionType(FunctionType::get(function.getContext(), function.getArgumentTypes(), types));
}

// What a run leaves for the next one has a buffer of its own, which no caller sees: an argument and a result less. It
// is written when all else is done.
//
//   @main(%h {aotc.state = 1, aotc.name = "h"}, %x) -> (%y, %next)
//   ==> @main(%x) -> (%y) { %h = memref.alloc {aotc.state = {aotc.name = "h", …}} …  memref.copy %next, %h }
void keepStates(func::FuncOp function) {
  auto ret = cast<func::ReturnOp>(function.front().getTerminator());
  llvm::BitVector arguments(function.getNumArguments()), results(function.getNumResults());
  for (BlockArgument argument : llvm::reverse(function.getArguments())) { // each goes to the very start
    auto result = function.getArgAttrOfType<IntegerAttr>(argument.getArgNumber(), "aotc.state");
    if (!result)
      continue;
    arguments.set(argument.getArgNumber());
    results.set(static_cast<unsigned>(result.getInt()));
    OpBuilder builder(function.getContext());
    builder.setInsertionPointToStart(&function.front());
    auto state = builder.create<memref::AllocOp>(function.getLoc(), cast<MemRefType>(argument.getType()));
    NamedAttrList description(function.getArgAttrDict(argument.getArgNumber()));
    description.erase("aotc.state");
    state->setAttr("aotc.state", description.getDictionary(function.getContext()));
    argument.replaceAllUsesWith(state);
    builder.setInsertionPoint(ret);
    builder.create<memref::CopyOp>(ret.getLoc(), ret.getOperand(static_cast<unsigned>(result.getInt())), state);
  }
  if (arguments.none())
    return;
  ret->eraseOperands(results);
  function.eraseArguments(arguments);
  function.eraseResults(results);
}

// Both branches of a lowered nn.if yield the destination that they wrote: its readers can name it directly.
void forwardBranchResults(func::FuncOp function) {
  function.walk([](scf::IfOp branch) {
    for (auto [result, fromThen, fromElse] :
         llvm::zip(branch.getResults(), branch.thenYield().getOperands(), branch.elseYield().getOperands())) {
      assert(fromThen == fromElse && "branches of a lowered nn.if write one destination");
      result.replaceAllUsesWith(fromThen);
    }
    OpBuilder builder(branch);
    auto bare = builder.create<scf::IfOp>(branch.getLoc(), TypeRange(), branch.getCondition(), true, true);
    for (auto [from, to] : {std::pair(&branch.getThenRegion(), &bare.getThenRegion()),
                            std::pair(&branch.getElseRegion(), &bare.getElseRegion())}) {
      to->takeBody(*from);
      to->front().getTerminator()->setOperands({});
    }
    branch.erase();
  });
}

// Whether the kernel can read the memory: dense, or with gaps between rows where it takes strides. A planar image is
// read element by element at any stride.
bool canRead(kern::KernelOp kernel, MemRefType type) {
  if (type.getLayout().isIdentity())
    return true;
  SmallVector<int64_t> strides;
  int64_t offset;
  if (!kernel.acceptsStrides() || failed(getStridesAndOffset(type, strides, offset)))
    return false;
  auto conv = dyn_cast<kern::Conv2DOp>(*kernel);
  return strides.empty() || strides.back() == 1 || (conv && conv.getPlanarInput());
}

// Copies the slices that a kernel cannot read in place.
void copyStridedInputs(func::FuncOp function) {
  function.walk([](kern::KernelOp kernel) {
    OpBuilder builder(kernel);
    SmallVector<Value> inputs = kernel.getKernelInputs();
    for (OpOperand *operand : cast<DestinationStyleOpInterface>(*kernel).getDpsInputOperands()) {
      auto type = dyn_cast<MemRefType>(operand->get().getType()); // null for extents
      bool isInput = operand->getOperandNumber() < inputs.size(); // the others are read by the epilogue, at any stride
      if (!type || !isInput || canRead(kernel, type))
        continue;
      operand->set(plan::createCopy(builder, kernel.getLoc(), operand->get()));
    }
  });
}

// Each branch reads its condition itself, right before: the load moves with it when steps are ordered.
void separateConditions(func::FuncOp function) {
  function.walk([](scf::IfOp branch) {
    auto load = branch.getCondition().getDefiningOp<memref::LoadOp>();
    if (!load)
      return;
    branch.getConditionMutable().assign(OpBuilder(branch).clone(*load)->getResult(0));
    if (load->use_empty())
      load->erase();
  });
}

struct Bufferize : impl::BufferizeBase<Bufferize> {
  void runOnOperation() final {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      plan::separateDestinations(function);
      plan::expandInMemory(function);
    }
    plan::moveConstantsToGlobals(getOperation());
    bufferization::OneShotBufferizationOptions options;
    options.bufferizeFunctionBoundaries = true;
    options.setFunctionBoundaryTypeConversion(bufferization::LayoutMapOption::IdentityLayoutMap);
    options.bufferAlignment = 64;
    if (failed(bufferization::bufferizeModuleOp(getOperation(), options)))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      plan::resolveDims(function);
      forwardBranchResults(function);
      separateConditions(function);
      copyStridedInputs(function);
      ownResults(function);
      keepStates(function);
    }
  }
};

} // namespace

} // namespace aotc
