#include "lowering/layout/MoveTransposes.h"

#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace aotc::layout {

namespace {

ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }
// Elements, a bounded dim counted as one.
int64_t sizeOf(Value value) {
  int64_t count = 1;
  for (int64_t extent : shapeOf(value))
    count *= ShapedType::isDynamic(extent) ? 1 : extent;
  return count;
}

SmallVector<int64_t> inverse(ArrayRef<int64_t> permutation) { return invertPermutationVector(permutation); }

bool movesUnitsOnly(ArrayRef<int64_t> shape, ArrayRef<int64_t> permutation) {
  int64_t last = -1;
  for (int64_t from : permutation) {
    if (shape[from] == 1)
      continue;
    if (from < last)
      return false;
    last = from;
  }
  return true;
}

// The operand with unit dimensions put in front until it has `rank` dimensions.
Value padRank(OpBuilder &builder, Location loc, Value value, int64_t rank) {
  nn::Extents extents = nn::extentsOf(value);
  extents.insert(extents.begin(), rank - extents.size(), builder.getAffineConstantExpr(1));
  return nn::reshaped(builder, loc, value, extents);
}

// The order that the op's operands have in common once their transposes are undone: that of the largest transposed
// operand, where undoing it elsewhere too moves no more data. Nothing where there is none.
std::optional<SmallVector<int64_t>> commonOrder(Operation *op) {
  int64_t rank = cast<RankedTensorType>(op->getResult(0).getType()).getRank();
  nn::TransposeOp largest;
  for (Value operand : op->getOperands())
    if (auto transpose = operand.getDefiningOp<nn::TransposeOp>(); transpose && transpose.getType().getRank() == rank)
      if (!largest || sizeOf(transpose) > sizeOf(largest))
        largest = transpose;
  if (!largest)
    return std::nullopt;
  int64_t undone = 0, added = 0;
  for (Value operand : op->getOperands()) {
    auto transpose = operand.getDefiningOp<nn::TransposeOp>();
    if (transpose && transpose.getPermutation() == largest.getPermutation())
      undone += sizeOf(operand);
    else if (!matchPattern(operand, m_Constant()) && !transpose)
      added += sizeOf(operand);
  }
  if (added > undone)
    return std::nullopt;
  return SmallVector<int64_t>(largest.getPermutation());
}

void movePermutable(RewriterBase &rewriter, nn::PermutableOp op) {
  std::optional<SmallVector<int64_t>> order = commonOrder(op);
  if (!order)
    return;
  rewriter.setInsertionPoint(op);
  SmallVector<int64_t> undo = inverse(*order);
  SmallVector<Value> operands;
  for (Value operand : op->getOperands())
    operands.push_back(transposed(rewriter, op.getLoc(), padRank(rewriter, op.getLoc(), operand, order->size()), undo));
  Operation *moved = op.permute(rewriter, operands, undo);
  if (moved)
    rewriter.replaceOp(op, transposed(rewriter, op.getLoc(), moved->getResult(0), *order));
}

// Which dimensions a reshape splits or merges, seen from the source of the transpose before it.
struct MovedReshape {
  SmallVector<int64_t> inner;       // what the source is transposed by first; the identity unless channels are shuffled
  SmallVector<int64_t> shape;       // what that is reshaped to
  SmallVector<int64_t> permutation; // of that, which gives the old result
};

// reshape(transpose(x)): every dimension splits into a group, which moves as one.
MovedReshape moveSplit(nn::TransposeOp transpose, ArrayRef<int64_t> result, ArrayRef<ReassociationIndices> groups) {
  MovedReshape moved;
  moved.inner = llvm::to_vector(llvm::seq<int64_t>(0, groups.size()));
  SmallVector<int64_t> position(result.size());
  for (int64_t axis : inverse(transpose.getPermutation()))
    for (int64_t dim : groups[axis]) {
      position[dim] = static_cast<int64_t>(moved.shape.size());
      moved.shape.push_back(result[dim]);
    }
  moved.permutation = position;
  return moved;
}

// reshape(transpose(x)): every group of dimensions merges; they must be neighbours in x already, in any order. Where it
// is another order, as in a shuffle of channels, they are brought into theirs first, which pays where the rest can move
// on.
std::optional<MovedReshape> moveMerge(nn::TransposeOp transpose, ArrayRef<int64_t> result,
                                      ArrayRef<ReassociationIndices> groups) {
  ArrayRef<int64_t> from = transpose.getPermutation();
  SmallVector<std::pair<int64_t, int64_t>> firsts; // first dimension in x, dimension of the result
  for (auto [dim, group] : llvm::enumerate(groups)) {
    auto [least, most] =
        std::minmax_element(group.begin(), group.end(), [&](int64_t a, int64_t b) { return from[a] < from[b]; });
    if (from[*most] - from[*least] + 1 != static_cast<int64_t>(group.size()))
      return std::nullopt;
    firsts.push_back({from[*least], static_cast<int64_t>(dim)});
  }
  llvm::sort(firsts);
  MovedReshape moved;
  moved.permutation.resize(result.size());
  for (auto [position, first] : llvm::enumerate(firsts)) {
    for (int64_t dim : groups[first.second])
      moved.inner.push_back(from[dim]);
    moved.shape.push_back(result[first.second]);
    moved.permutation[first.second] = static_cast<int64_t>(position);
  }
  bool movesOn = !llvm::is_sorted(moved.permutation);
  return llvm::is_sorted(moved.inner) || movesOn ? std::optional(moved) : std::nullopt;
}

void moveReshape(RewriterBase &rewriter, nn::ReshapeOp op) {
  auto transpose = op.getX().getDefiningOp<nn::TransposeOp>();
  if (!transpose || !op.getType().hasStaticShape() || !transpose.getType().hasStaticShape())
    return;
  auto groups = getReassociationIndicesForReshape(transpose.getType(), op.getType());
  if (!groups)
    return;
  ArrayRef<int64_t> result = op.getType().getShape();
  bool splits = result.size() >= transpose.getPermutation().size();
  std::optional<MovedReshape> moved =
      splits ? moveSplit(transpose, result, *groups) : moveMerge(transpose, result, *groups);
  if (!moved)
    return;
  rewriter.setInsertionPoint(op);
  Value source = transposed(rewriter, op.getLoc(), transpose.getX(), moved->inner);
  Value reshaped = nn::reshaped(rewriter, op.getLoc(), source, nn::extentsOf(moved->shape, {}, op.getContext()));
  rewriter.replaceOp(op, transposed(rewriter, op.getLoc(), reshaped, moved->permutation));
}

} // namespace

Value transposed(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> combined(permutation);
  while (auto transpose = value.getDefiningOp<nn::TransposeOp>()) {
    combined = nn::permuted(transpose.getPermutation(), ArrayRef<int64_t>(combined));
    value = transpose.getX();
  }
  if (llvm::equal(combined, llvm::seq<int64_t>(0, combined.size())))
    return value;
  if (movesUnitsOnly(shapeOf(value), combined))
    return nn::reshaped(builder, loc, value, nn::permuted<AffineExpr>(nn::extentsOf(value), combined));
  return builder.createOrFold<nn::TransposeOp>(loc, value, combined);
}

void moveThrough(RewriterBase &rewriter, Operation *op) {
  if (auto permutable = dyn_cast<nn::PermutableOp>(op)) {
    movePermutable(rewriter, permutable);
  } else if (auto reshape = dyn_cast<nn::ReshapeOp>(op)) {
    moveReshape(rewriter, reshape);
  } else if (auto transpose = dyn_cast<nn::TransposeOp>(op)) {
    rewriter.setInsertionPoint(op);
    Value combined = transposed(rewriter, op->getLoc(), transpose.getX(), transpose.getPermutation());
    rewriter.replaceOp(op, combined);
  }
}

} // namespace aotc::layout
