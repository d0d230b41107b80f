// Fuses element-wise steps into each other, and then into the epilogues of the kernels that feed them, in one linear
// sweep.
//
//   %0 = kern.conv2d ins(%x, %w, %e0)                   %2 = kern.conv2d ins(%x, %w, %skip, %e2) epilogue {
//   %1 = linalg.generic add ins(%0, %skip)       ==>         ^bb0(%sum, %s): relu(%sum + %s)
//   %2 = linalg.generic relu ins(%1)                    }
//
// A value with several readers is never recomputed. Fused regions hold at most 64 ops: beyond that registers spill and
// compile times grow.
#include "ir/kern/Dialect.h"
#include "ir/kern/Epilogue.h"
#include "lowering/Passes.h"
#include "lowering/convert/Extents.h"
#include "lowering/fuse/Elementwise.h"
#include "lowering/fuse/SinkReshapes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace aotc {

#define GEN_PASS_DEF_FUSEELEMENTWISE
#include "lowering/Passes.h.inc"

using namespace mlir;

namespace {

bool isElementwise(linalg::GenericOp op) { return op.getNumResults() == 1 && fuse::isElementwise(op); }

// The float that an integer is, of a number that is known.
void foldConversions(OpBuilder &builder, Value number) {
  for (Operation *user : llvm::make_early_inc_range(number.getUsers())) {
    SmallVector<Value> folded;
    if (!isa<arith::SIToFPOp, arith::UIToFPOp>(user) || failed(builder.tryFold(user, folded)))
      continue;
    user->replaceAllUsesWith(folded);
    user->erase();
  }
}

// A constant with one value everywhere becomes a number in the body.
void inlineSplats(linalg::GenericOp op) {
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToStart(op.getBody());
  for (auto input = static_cast<unsigned>(op.getNumDpsInputs()); input-- > 0;) {
    DenseElementsAttr values;
    if (!matchPattern(op.getInputs()[input], m_Constant(&values)) || !values.isSplat())
      continue;
    auto number = builder.create<arith::ConstantOp>(op.getLoc(), cast<TypedAttr>(values.getSplatValue<Attribute>()));
    op.getBody()->getArgument(input).replaceAllUsesWith(number);
    fuse::eraseInput(op, input);
    foldConversions(builder, number);
    if (number->use_empty())
      number->erase();
  }
}

// -------------------------------------------------------------------------------------- element-wise into element-wise
// Fuses one producer into `op` where that repeats no work; returns the fused op or null.
linalg::GenericOp fuseProducer(RewriterBase &rewriter, linalg::GenericOp op) {
  for (OpOperand *operand : op.getDpsInputOperands()) {
    auto producer = operand->get().getDefiningOp<linalg::GenericOp>();
    if (!producer || !producer->hasOneUse() || !isElementwise(producer) ||
        !op.getMatchingIndexingMap(operand).isPermutation() || !linalg::areElementwiseOpsFusable(operand) ||
        fuse::regionSize(*producer.getBody()) + fuse::regionSize(*op.getBody()) > fuse::largestRegion)
      continue;
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::ElementwiseOpFusionResult> fused = linalg::fuseElementwiseOps(rewriter, operand);
    if (failed(fused))
      continue;
    auto result = cast<linalg::GenericOp>(fused->fusedOp);
    result->setLoc(rewriter.getFusedLoc({producer.getLoc(), op.getLoc()}));
    rewriter.replaceOp(op, result->getResults().take_back(1));
    if (producer->use_empty())
      rewriter.eraseOp(producer);
    // Upstream keeps a producer's result where its inputs alone say how far the loops go: of a product of row and
    // column.
    result = fuse::eraseUnusedResults(rewriter, result);
    fuse::mergeEqualInputs(result);
    return result;
  }
  return nullptr;
}

// ------------------------------------------------------------------------------------------- element-wise into kernels

// The kernel whose results `operand` alone reads, element for element.
kern::EpilogueOp kernelOf(linalg::GenericOp op, OpOperand *operand) {
  auto kernel = operand->get().getDefiningOp<kern::EpilogueOp>();
  bool isRead = kernel && op.getMatchingIndexingMap(operand).isIdentity() &&
                convert::extentsOf(operand->get()) == convert::extentsOf(op.getResult(0));
  return isRead && fuse::canEndIn(kernel, op) ? kernel : nullptr;
}

// The latest of the kernels that could take the op in: the others' results exist by then.
OpOperand *latestKernel(linalg::GenericOp op) {
  OpOperand *latest = nullptr;
  for (OpOperand *operand : op.getDpsInputOperands())
    if (kernelOf(op, operand) &&
        (!latest || latest->get().getDefiningOp()->isBeforeInBlock(operand->get().getDefiningOp())))
      latest = operand;
  return latest;
}

// The kernel's attributes with `added` more extras, which stand in front of the destination.
SmallVector<NamedAttribute> attributesWithExtras(kern::EpilogueOp kernel, size_t added) {
  SmallVector<NamedAttribute> attributes(kernel->getAttrs());
  for (NamedAttribute &attribute : attributes)
    if (attribute.getName() == "operandSegmentSizes") {
      SmallVector<int32_t> sizes(cast<DenseI32ArrayAttr>(attribute.getValue()).asArrayRef());
      sizes[sizes.size() - 2] += static_cast<int32_t>(added);
      attribute.setValue(DenseI32ArrayAttr::get(kernel.getContext(), sizes));
    }
  return attributes;
}

// The kernel's epilogue followed by the generic's body, on a new kernel op at the generic's place.
void fuseIntoKernel(RewriterBase &rewriter, linalg::GenericOp op, OpOperand *fusedOperand) {
  auto kernel = fusedOperand->get().getDefiningOp<kern::EpilogueOp>();
  rewriter.setInsertionPoint(op);
  SmallVector<Value> added;
  SmallVector<Attribute> maps(kernel.getExtraMaps().begin(), kernel.getExtraMaps().end());
  for (OpOperand *operand : op.getDpsInputOperands())
    if (operand != fusedOperand) {
      added.push_back(operand->get());
      maps.push_back(AffineMapAttr::get(op.getMatchingIndexingMap(operand)));
    }
  // Operands: everything before the destination, the new extras, the generic's destination.
  SmallVector<Value> operands(kernel->getOperands().drop_back());
  llvm::append_range(operands, added);
  operands.push_back(op.getDpsInitOperand(0)->get());
  OperationState state(rewriter.getFusedLoc({kernel.getLoc(), op.getLoc()}), kernel->getName(), operands,
                       op->getResultTypes(), attributesWithExtras(kernel, added.size()));
  state.addRegion();
  auto fused = cast<kern::EpilogueOp>(rewriter.create(state));
  fused.setExtraMaps(rewriter.getArrayAttr(maps));
  kern::buildChainedEpilogue(rewriter, kernel, *op.getBody(), fusedOperand->getOperandNumber(), fused);
  rewriter.replaceOp(op, fused->getResults());
  rewriter.eraseOp(kernel);
}

struct FuseElementwise : impl::FuseElementwiseBase<FuseElementwise> {
  void runOnOperation() final {
    IRRewriter rewriter(&getContext());
    for (auto function : getOperation().getOps<func::FuncOp>())
      function.walk([&](Block *block) { sweep(rewriter, *block); });
  }

private:
  static void sweep(IRRewriter &rewriter, Block &block) {
    SmallVector<linalg::GenericOp> generics(block.getOps<linalg::GenericOp>());
    for (linalg::GenericOp op : generics) {
      op = fuse::sinkReshapes(rewriter, op);
      if (!op || !isElementwise(op))
        continue;
      inlineSplats(op);
      fuse::mergeEqualInputs(op);
      if (OpOperand *operand = latestKernel(op)) {
        fuseIntoKernel(rewriter, op, operand);
        continue;
      }
      while (linalg::GenericOp fused = fuseProducer(rewriter, op))
        op = fused;
      op = fuse::sinkReshapes(rewriter, op); // those behind which its producers had to wait
      if (OpOperand *operand = latestKernel(op))
        fuseIntoKernel(rewriter, op, operand);
    }
  }
};

} // namespace

} // namespace aotc
