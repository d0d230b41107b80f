#include "lowering/fuse/Elementwise.h"

#include "ir/kern/Vectors.h"

using namespace mlir;

namespace aotc::fuse {

bool isElementwise(linalg::GenericOp op) {
  auto isIdentity = [&](OpOperand &init) { return op.getMatchingIndexingMap(&init).isIdentity(); };
  return op.getNumParallelLoops() == op.getNumLoops() && op.getNumResults() > 0 && !op.hasIndexSemantics() &&
         llvm::all_of(op.getDpsInitsMutable(), isIdentity);
}

static size_t regionSize(Region &region) { return region.empty() ? 0 : regionSize(region.front()); }

// The type of the kernel's sums.
static Type sumType(kern::EpilogueOp kernel, Type stored) {
  return kernel.getEpilogue().empty() ? stored : kernel.getEpilogue().front().getArgument(0).getType();
}

// Whether the one reader of the op's result may take the op in.
static bool hasElementwiseReader(linalg::GenericOp op) {
  Value result = op.getResult(0);
  auto reader = result.hasOneUse() ? dyn_cast<linalg::GenericOp>(*result.user_begin()) : linalg::GenericOp();
  return reader && isElementwise(reader);
}

bool canEndIn(kern::EpilogueOp kernel, linalg::GenericOp op) {
  Type stored = getElementTypeOrSelf(kernel->getResult(0).getType());
  if (!kernel.storesEpilogue() || !kernel->hasOneUse() || kernel->getBlock() != op->getBlock() ||
      op.getNumResults() != 1 || regionSize(kernel.getEpilogue()) + regionSize(*op.getBody()) > largestRegion ||
      !kern::isVectorBody(*op.getBody(), sumType(kernel, stored)))
    return false;
  // The kernel stores what it sums, or bytes that are made of that.
  Type result = getElementTypeOrSelf(op.getResult(0).getType());
  if (stored == result || op.getBody()->getTerminator()->getOperand(0).getDefiningOp<kern::QuantizeOp>())
    return true;
  return stored.isInteger(8) && result == sumType(kernel, stored) && !hasElementwiseReader(op);
}

void eraseInput(linalg::GenericOp op, unsigned input) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.erase(maps.begin() + input);
  op.getBody()->eraseArgument(input);
  op.getInputsMutable().erase(input);
  op.setIndexingMapsAttr(Builder(op).getAffineMapArrayAttr(maps));
}

void mergeEqualInputs(linalg::GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (int64_t last = op.getNumDpsInputs() - 1; last > 0; --last)
    for (int64_t first = 0; first < last; ++first)
      if (op.getInputs()[first] == op.getInputs()[last] && maps[first] == maps[last]) {
        op.getBody()->getArgument(last).replaceAllUsesWith(op.getBody()->getArgument(first));
        eraseInput(op, static_cast<unsigned>(last));
        maps.erase(maps.begin() + last);
        break;
      }
}

linalg::GenericOp eraseUnusedResults(RewriterBase &rewriter, linalg::GenericOp op) {
  if (llvm::none_of(op->getResults(), [](Value result) { return result.use_empty(); }))
    return op;
  SmallVector<Value> outputs;
  SmallVector<AffineMap> maps(ArrayRef<AffineMap>(op.getIndexingMapsArray()).take_front(op.getInputs().size()));
  llvm::BitVector unused(op.getBody()->getNumArguments()), unyielded(op.getNumResults());
  for (OpOperand &init : op.getDpsInitsMutable()) {
    OpResult result = op.getTiedOpResult(&init);
    if (result.use_empty()) {
      unused.set(op.getMatchingBlockArgument(&init).getArgNumber());
      unyielded.set(result.getResultNumber());
      continue;
    }
    outputs.push_back(init.get());
    maps.push_back(op.getMatchingIndexingMap(&init));
  }
  rewriter.setInsertionPoint(op);
  auto kept = rewriter.create<linalg::GenericOp>(op.getLoc(), ValueRange(outputs).getTypes(), op.getInputs(), outputs,
                                                 maps, op.getIteratorTypesArray());
  kept.getRegion().takeBody(op.getRegion());
  kept.getBody()->getTerminator()->eraseOperands(unyielded);
  kept.getBody()->eraseArguments(unused);
  size_t next = 0;
  for (OpResult result : op->getResults())
    if (!result.use_empty())
      result.replaceAllUsesWith(kept->getResult(static_cast<unsigned>(next++)));
  rewriter.eraseOp(op);
  return kept;
}

} // namespace aotc::fuse
