// Computes attention as one step, which never has all of its scores in memory.
//
//   %s = kern.matmul ins(%q, %k, ...) epilogue {...}        %y = kern.attention ins(%q, %k, %v, ...) epilogue {...}
//   %p = kern.softmax ins(%s)                        ==>
//   %y = kern.matmul ins(%p, %v)
//
// Reshapes between them that keep rows whole do not matter. Nor does it if a model of halves rounds the weights or the
// results: these stay as exact as they are, and cannot be too large for a half, being means. What has few rows stays as it is: there keys would be
// packed for little work. So do scores that take less memory than the kernel's own, and values of unknown width, of
// which nobody could say how much that is.
#include "ir/kern/Dialect.h"
#include "ir/kern/Vectors.h"
#include "lowering/Passes.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
#include "lowering/fuse/Elementwise.h"
#include "lowering/fuse/Reshapes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/PatternMatch.h"

namespace aotc {

#define GEN_PASS_DEF_FUSEATTENTION
#include "lowering/Passes.h.inc"

using namespace mlir;

namespace {

constexpr int64_t fewestRows = 8;
constexpr int64_t mostRows = 112, mostKeys = 256; // of a block: eight register tiles, in the second-level cache

// Whether all that the body does is to round to a half.
bool onlyRounds(Block &body) {
  Operation *last = body.getTerminator()->getOperand(0).getDefiningOp();
  Operation *first = last && kern::isFloatOfHalf(last) ? last->getOperand(0).getDefiningOp() : nullptr;
  return first && kern::isHalfOfFloat(first) && isa<BlockArgument>(first->getOperand(0));
}

// Whether the kernel stores what it computes, rounded perhaps.
bool storesResults(kern::EpilogueOp kernel) {
  return kernel.getEpilogue().empty() || onlyRounds(kernel.getEpilogue().front());
}

// What a step that only rounds makes `value` of, if that is what there is.
Value beforeRounding(Value value) {
  auto step = fuse::soleProducer<linalg::GenericOp>(value);
  bool isRounding = step && step.getNumDpsInputs() == 1 && fuse::isElementwise(step) && onlyRounds(*step.getBody());
  return isRounding ? step.getInputs()[0] : value;
}

struct Attention {
  kern::MatMulOp scores, results;
  kern::SoftmaxOp softmax;
};

std::optional<Attention> attentionAt(kern::MatMulOp results) {
  bool storesSums = storesResults(results);
  if (!storesSums || ShapedType::isDynamic(convert::shapeOf(results.getOut())[2]))
    return std::nullopt;
  auto softmax = fuse::soleProducer<kern::SoftmaxOp>(beforeRounding(results.getA()));
  bool isPlain = softmax && !softmax.getLogarithm() && storesResults(softmax);
  auto scores = isPlain ? fuse::soleProducer<kern::MatMulOp>(softmax.getX()) : kern::MatMulOp();
  if (!scores || scores->getBlock() != results->getBlock())
    return std::nullopt;
  // The rows of softmax are the rows of the scores, and those of the second product.
  nn::Extents rows = convert::extentsOf(softmax.getX()), shape = convert::extentsOf(scores.getOut());
  if (rows.size() != 2 || rows[1] != shape[2] || convert::extentsOf(results.getA()) != shape)
    return std::nullopt;
  // Extra operands are read by the indices of the scores, which a stack of values may share.
  if (convert::extentsOf(results.getOut())[0] != shape[0])
    return std::nullopt;
  return Attention{scores, results, softmax};
}

// [batch, m, n], bounded dims at their bounds.
SmallVector<int64_t> largestShape(kern::MatMulOp scores) {
  SmallVector<nn::Dim> dims = convert::boundsOfDims(scores);
  return llvm::map_to_vector(convert::extentsOf(scores.getOut()),
                             [&](AffineExpr extent) { return nn::boundsOf(extent, dims).most; });
}

// Erases what computed `value`, up to `first`, now that nobody reads it.
void eraseChain(Value value, Operation *first) {
  for (Operation *op = value.getDefiningOp(); op && op->use_empty();) {
    Operation *producer = op == first ? nullptr : op->getOperand(0).getDefiningOp();
    op->erase();
    op = producer;
  }
}

void fuse(Attention parts) {
  auto [scores, results, softmax] = parts;
  IRRewriter rewriter(results);
  Location loc = rewriter.getFusedLoc({scores.getLoc(), softmax.getLoc(), results.getLoc()});
  SmallVector<int64_t> shape = largestShape(scores);
  auto attention = rewriter.create<kern::AttentionOp>(
      loc, results->getResultTypes(), scores.getA(), scores.getWeights(), results.getWeights(), scores.getExtras(),
      results.getOut(), std::min(shape[1], mostRows), std::min(shape[2], mostKeys), scores.getExtraMaps());
  bool pays = shape[1] >= fewestRows && 4 * ShapedType::getNumElements(shape) >= attention.getScratchBytesPerThread();
  if (!pays)
    return attention.erase();
  attention.getEpilogue().takeBody(scores.getEpilogue());
  Value terms = results.getA();
  rewriter.replaceOp(results, attention->getResults());
  eraseChain(terms, scores);
}

struct FuseAttention : impl::FuseAttentionBase<FuseAttention> {
  void runOnOperation() final {
    getOperation().walk([](kern::MatMulOp op) { // erases this op and some before it
      if (std::optional<Attention> attention = attentionAt(op))
        fuse(*attention);
    });
  }
};

} // namespace

} // namespace aotc
