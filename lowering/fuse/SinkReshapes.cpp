#include "lowering/fuse/SinkReshapes.h"

#include "ir/kern/Dialect.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
#include "lowering/fuse/Elementwise.h"
#include "lowering/fuse/Reshapes.h"

using namespace mlir;

namespace aotc::fuse {

namespace {

// How the dimensions of the generic's loops correspond to those of the reshape's source: for each source dimension
// group, the loop dimensions that it covers, or the other way round.
struct Correspondence {
  bool expandsLoops; // the source has more dimensions than the loops
  SmallVector<SmallVector<int64_t, 2>> groups;
  nn::Extents loops, source;
};

// What an operand becomes: its shape, and where the source's indices find it.
struct Operand {
  nn::Extents extents;
  SmallVector<AffineExpr> indices;
  bool hasQuotients = false;

  void add(AffineExpr index, AffineExpr extent) {
    indices.push_back(index);
    extents.push_back(extent);
  }
};

// The product of the extents behind dimension `place` of a group; nothing where they are not known.
std::optional<int64_t> extentBehind(const Correspondence &map, ArrayRef<int64_t> group, size_t place) {
  int64_t product = 1;
  for (int64_t dim : group.drop_front(place + 1)) {
    std::optional<int64_t> extent = nn::numberOf(map.loops[static_cast<size_t>(dim)]);
    if (!extent)
      return std::nullopt;
    product *= *extent;
  }
  return product;
}

// Adds some of the loop dimensions of a group, such as the images of images times heads, as quotients of the source's
// index. Not of the last one, along which kernels compute vectors.
bool addParts(ArrayRef<int64_t> dims, int64_t source, const Correspondence &map, Operand &result) {
  ArrayRef<int64_t> group = map.groups[source];
  if (source + 1 == static_cast<int64_t>(map.source.size()))
    return false;
  MLIRContext *context = map.source[0].getContext();
  for (int64_t dim : dims) {
    size_t place = llvm::find(group, dim) - group.begin();
    AffineExpr extent = map.loops[static_cast<size_t>(dim)], index = getAffineDimExpr(source, context);
    std::optional<int64_t> behind = extentBehind(map, group, place), own = nn::numberOf(extent);
    if (!behind || (place > 0 && !own))
      return false;
    index = index.floorDiv(*behind);
    result.add(place > 0 ? index % *own : index, extent);
    result.hasQuotients = true;
  }
  return true;
}

// An operand indexed by loop dimensions, indexed by source dimensions instead. Nothing where that is not possible.
std::optional<Operand> translate(ArrayRef<int64_t> dims, const Correspondence &map) {
  Operand result;
  MLIRContext *context = map.source[0].getContext();
  auto addWhole = [&](int64_t source) {
    result.add(getAffineDimExpr(source, context), map.source[static_cast<size_t>(source)]);
  };
  if (map.expandsLoops) {
    for (int64_t dim : dims)
      llvm::for_each(map.groups[dim], addWhole);
    return result;
  }
  while (!dims.empty()) {
    auto group = llvm::find_if(map.groups, [&](auto &group) { return llvm::is_contained(group, dims.front()); });
    int64_t source = group - map.groups.begin();
    auto isOther = [&](int64_t dim) { return !llvm::is_contained(*group, dim); };
    ArrayRef<int64_t> taken = dims.take_until(isOther);
    dims = dims.drop_front(taken.size());
    auto isUnit = [&](int64_t dim) { return nn::isNumber(map.loops[static_cast<size_t>(dim)], 1); };
    auto isTaken = [&](int64_t dim) { return llvm::is_contained(taken, dim) || isUnit(dim); };
    if (llvm::all_of(*group, isTaken) && llvm::is_sorted(taken))
      addWhole(source);
    else if (!addParts(taken, source, map, result))
      return std::nullopt;
  }
  return result;
}

// Whether the value is a kernel's result, perhaps reshaped, that nobody else reads.
bool isFromKernel(Value value) {
  auto kernel = soleProducer<kern::EpilogueOp>(value);
  return kernel && kernel.storesEpilogue();
}

std::optional<Correspondence> correspondence(Operation *reshape, linalg::GenericOp op) {
  if (!isReshape(reshape) || !isFromKernel(reshape->getResult(0)))
    return std::nullopt;
  Value source = reshape->getOperand(0);
  Correspondence map;
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(reshape)) {
    map = {true, {}, convert::extentsOf(op.getResult(0)), convert::extentsOf(source)};
    for (auto &group : collapse.getReassociationIndices())
      map.groups.emplace_back(group.begin(), group.end());
  } else {
    map = {false, {}, convert::extentsOf(op.getResult(0)), convert::extentsOf(source)};
    for (auto &group : cast<tensor::ExpandShapeOp>(reshape).getReassociationIndices())
      map.groups.emplace_back(group.begin(), group.end());
  }
  return map;
}

// The value in the wanted shape; a reshape from just that shape is undone.
Value reshaped(OpBuilder &builder, Location loc, Value value, const nn::Extents &extents) {
  Operation *op = value.getDefiningOp();
  if (isReshape(op) && convert::extentsOf(op->getOperand(0)) == extents)
    return op->getOperand(0);
  return convert::reshapeTo(builder, loc, value, extents);
}

// Builds the generic on the source's index space, or null where an operand does not fit. Quotients of indices are for
// epilogues only.
linalg::GenericOp rebuild(RewriterBase &rewriter, linalg::GenericOp op, const Correspondence &map, bool endsKernel) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  int64_t rank = static_cast<int64_t>(map.source.size());
  SmallVector<Operand> operands;
  for (OpOperand *operand : op.getDpsInputOperands()) {
    AffineMap indexing = op.getMatchingIndexingMap(operand);
    if (!indexing.isProjectedPermutation())
      return nullptr;
    SmallVector<int64_t> dims;
    for (AffineExpr expr : indexing.getResults())
      dims.push_back(cast<AffineDimExpr>(expr).getPosition());
    std::optional<Operand> translated = translate(dims, map);
    if (!translated || (translated->hasQuotients && !endsKernel))
      return nullptr;
    operands.push_back(*translated);
  }
  for (auto [operand, translated] : llvm::zip(op.getDpsInputOperands(), operands)) {
    inputs.push_back(reshaped(rewriter, op.getLoc(), operand->get(), translated.extents));
    maps.push_back(AffineMap::get(rank, 0, translated.indices, rewriter.getContext()));
  }
  maps.push_back(rewriter.getMultiDimIdentityMap(rank));
  Value out = convert::createDestination(rewriter, op.getLoc(), map.source, convert::elementOf(op.getResult(0)));
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  auto result = rewriter.create<linalg::GenericOp>(op.getLoc(), out.getType(), inputs, out, maps, iterators);
  rewriter.cloneRegionBefore(op.getRegion(), result.getRegion(), result.getRegion().end());
  return result;
}

} // namespace

// Moves the op before the reshapes that this operand has been through; null where the first of them cannot be passed.
static linalg::GenericOp sinkThrough(RewriterBase &rewriter, linalg::GenericOp op, unsigned operand) {
  Operation *reshape = op.getInputs()[operand].getDefiningOp();
  if (!reshape || !op.getIndexingMapsArray()[operand].isIdentity())
    return nullptr;
  std::optional<Correspondence> map = correspondence(reshape, op);
  if (!map)
    return nullptr;
  rewriter.setInsertionPoint(op);
  auto kernel = reshape->getOperand(0).getDefiningOp<kern::EpilogueOp>();
  bool endsKernel = kernel && canEndIn(kernel, op);
  // What reads bytes waits for the step that will take it in, which then may pass.
  if (kernel && !endsKernel && convert::elementOf(reshape->getResult(0)).isInteger(8))
    return nullptr;
  linalg::GenericOp moved = rebuild(rewriter, op, *map, endsKernel);
  if (!moved)
    return nullptr;
  Value result = convert::reshapeTo(rewriter, op.getLoc(), moved.getResult(0), convert::extentsOf(op.getResult(0)));
  rewriter.replaceOp(op, result);
  if (reshape->use_empty())
    rewriter.eraseOp(reshape);
  // One more may stand before it. Not before other operands: those may want the shape back that this one had.
  linalg::GenericOp further = sinkThrough(rewriter, moved, operand);
  return further ? further : moved;
}

linalg::GenericOp sinkReshapes(RewriterBase &rewriter, linalg::GenericOp op) {
  if (op.getNumParallelLoops() != op.getNumLoops() || op.getNumDpsInits() != 1 || op.hasIndexSemantics() ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity())
    return op;
  for (unsigned operand = 0; operand < op.getInputs().size(); ++operand)
    if (linalg::GenericOp moved = sinkThrough(rewriter, op, operand))
      return moved;
  return op;
}

} // namespace aotc::fuse
