// Computes element-wise ops on the parts of a concat of slices, one after the other, so that no part is copied to stand
// beside another first. So is rotary embedding written out by exporters, in halves and interleaved:
//
//   %a = nn.slice %x [0, d/2)                       %0 = nn.mul %a, cos[0, d/2)     %1 = nn.mul %b, cos[d/2, d)
//   %b = nn.slice %x [d/2, d)                       %2 = nn.mul (nn.neg %b), sin    %3 = nn.mul %a, sin
//   %r = nn.concat (nn.neg %b), %a           ==>    %4 = nn.add %0, %2              %5 = nn.add %1, %3
//   %y = %x * cos + %r * sin                        %y = nn.concat %4, %5
//
// Interleaved, the concat is one of columns, which a reshape merges. The parts then are slices of every other element.
// What the ops read besides is cut likewise: constants when compiling, all else is a view.
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"
#include "lowering/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

namespace aotc {

#define GEN_PASS_DEF_DISTRIBUTECONCATS
#include "lowering/Passes.h.inc"

using namespace mlir;

namespace {

constexpr size_t mostParts = 4;

int64_t rankOf(Value value) { return cast<RankedTensorType>(value.getType()).getRank(); }
ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }

// ------------------------------------------------------------------------------------------------------ what is cut
// A tensor as parts along an axis: each of so many elements in a row, or every so-many-th element.
struct Parts {
  SmallVector<Value> values;
  size_t axis = 0;
  bool isInterleaved = false;
};

// Which elements along the axis a part is.
struct Cut {
  int64_t start, size, step;
};

SmallVector<Cut> cutsOf(const Parts &parts) {
  SmallVector<Cut> cuts;
  int64_t start = 0, count = static_cast<int64_t>(parts.values.size());
  for (Value part : parts.values) {
    int64_t size = shapeOf(part)[parts.axis];
    cuts.push_back({start, size, parts.isInterleaved ? count : 1});
    start += parts.isInterleaved ? 1 : size;
  }
  return cuts;
}

// The part of an operand that broadcasts to a result of `rank` dimensions, cut along `axis`. An op that only this part
// and its like are for is computed on parts as well.
Value partOf(OpBuilder &builder, Location loc, Value operand, int64_t rank, size_t axis, Cut cut) {
  int64_t own = static_cast<int64_t>(axis) - (rank - rankOf(operand));
  if (own < 0 || shapeOf(operand)[own] == 1)
    return operand;
  auto op = operand.getDefiningOp<nn::ElementwiseOp>();
  if (!op || !op->hasOneUse())
    return nn::slicedAlong(builder, loc, operand, static_cast<size_t>(own), cut.start, cut.size, cut.step);
  SmallVector<Value> operands;
  for (Value inner : op->getOperands())
    operands.push_back(partOf(builder, op.getLoc(), inner, rankOf(operand), static_cast<size_t>(own), cut));
  return nn::rebuildOn(builder, op, operands)->getResult(0);
}

// --------------------------------------------------------------------------------------------------- what it is cut by
bool isStaticAlong(nn::ConcatOp op) {
  return llvm::none_of(op.getInputs(),
                       [&](Value input) { return ShapedType::isDynamic(shapeOf(input)[op.getAxis()]); });
}

// Whether a part would be copied: it is a slice, and so has a place already.
bool hasSlice(nn::ConcatOp op) {
  return llvm::any_of(op.getInputs(), [](Value input) {
    while (auto reshape = input.getDefiningOp<nn::ReshapeOp>())
      input = reshape.getX();
    return input.getDefiningOp<nn::SliceOp>() != nullptr;
  });
}

// The value without its last dimension, which is 1.
Value withoutLast(OpBuilder &builder, Value value) {
  nn::Extents extents = nn::extentsOf(value);
  extents.pop_back();
  return nn::reshaped(builder, value.getLoc(), value, extents);
}

// The reshape that puts columns, concatenated along a new last dimension, beside each other; null where there is none.
nn::ReshapeOp mergeOfColumns(nn::ConcatOp op) {
  auto isColumn = [](Value input) { return shapeOf(input).back() == 1; };
  if (!op->hasOneUse() || static_cast<int64_t>(op.getAxis()) + 1 != op.getType().getRank() ||
      op.getType().getRank() < 2 || !llvm::all_of(op.getInputs(), isColumn))
    return {};
  auto reshape = dyn_cast<nn::ReshapeOp>(*op->user_begin());
  if (!reshape)
    return {};
  nn::Extents merged = nn::extentsOf(op.getType());
  AffineExpr columns = merged.pop_back_val();
  merged.back() = nn::product(merged.back(), columns);
  bool isStatic = !ShapedType::isDynamic(reshape.getType().getShape().back());
  return isStatic && nn::extentsOf(reshape.getType()) == merged ? reshape : nn::ReshapeOp();
}

// ---------------------------------------------------------------------------------------------------- what is computed
// Whether the value is what a kernel computes and ends with: taken apart, what follows would be steps of its own.
bool endsKernel(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || !op->hasOneUse() || isa<nn::SliceOp, nn::ConcatOp>(op) || matchPattern(op, m_Constant()))
    return false;
  if (isa<nn::ElementwiseOp, nn::ReshapeOp, nn::TransposeOp, nn::ExpandOp>(op))
    return llvm::any_of(op->getOperands(), endsKernel);
  return true;
}

// The element-wise op that alone reads `whole`, where it can be computed on parts; null elsewhere.
nn::ElementwiseOp reader(Value whole) {
  auto op = whole.hasOneUse() ? dyn_cast<nn::ElementwiseOp>(*whole.user_begin()) : nn::ElementwiseOp();
  if (!op || nn::extentsOf(op->getResult(0)) != nn::extentsOf(whole))
    return {};
  auto hinders = [&](Value operand) { return operand != whole && endsKernel(operand); };
  return llvm::any_of(op->getOperands(), hinders) ? nn::ElementwiseOp() : op;
}

// The op on each of the parts of `whole`.
Parts distribute(OpBuilder &builder, nn::ElementwiseOp op, Value whole, const Parts &parts) {
  Parts results{{}, parts.axis, parts.isInterleaved};
  for (auto [part, cut] : llvm::zip(parts.values, cutsOf(parts))) {
    SmallVector<Value> operands;
    for (Value operand : op->getOperands())
      operands.push_back(operand == whole ? part
                                          : partOf(builder, op.getLoc(), operand, rankOf(whole), parts.axis, cut));
    results.values.push_back(nn::rebuildOn(builder, op, operands)->getResult(0));
  }
  return results;
}

// The parts as one tensor again.
Value joined(OpBuilder &builder, Location loc, const Parts &parts, const nn::Extents &extents) {
  if (!parts.isInterleaved)
    return builder.create<nn::ConcatOp>(loc, parts.values, parts.axis);
  SmallVector<Value> columns;
  for (Value part : parts.values) {
    nn::Extents column = nn::extentsOf(part);
    column.push_back(builder.getAffineConstantExpr(1));
    columns.push_back(nn::reshaped(builder, loc, part, column));
  }
  return nn::reshaped(builder, loc, builder.create<nn::ConcatOp>(loc, columns, parts.axis + 1), extents);
}

void visit(RewriterBase &rewriter, nn::ConcatOp concat) {
  if (concat.getInputs().size() > mostParts || !isStaticAlong(concat) || !hasSlice(concat))
    return;
  nn::ReshapeOp merge = mergeOfColumns(concat);
  Value whole = merge ? merge.getResult() : concat.getResult();
  nn::ElementwiseOp op = reader(whole);
  if (!op)
    return;
  rewriter.setInsertionPoint(op);
  Parts parts{llvm::to_vector(concat.getInputs()), concat.getAxis(), merge != nullptr};
  if (merge) {
    --parts.axis;
    for (Value &part : parts.values)
      part = withoutLast(rewriter, part);
  }
  nn::ElementwiseOp last;
  for (; op; op = reader(whole)) {
    rewriter.setInsertionPoint(op);
    parts = distribute(rewriter, op, whole, parts);
    last = op;
    whole = op->getResult(0);
  }
  rewriter.replaceOp(last, joined(rewriter, last.getLoc(), parts, nn::extentsOf(whole)));
}

struct DistributeConcats : impl::DistributeConcatsBase<DistributeConcats> {
  void runOnOperation() final {
    IRRewriter rewriter(&getContext());
    SmallVector<nn::ConcatOp> concats;
    getOperation().walk([&](nn::ConcatOp op) { concats.push_back(op); });
    for (nn::ConcatOp op : concats)
      visit(rewriter, op);
  }
};

} // namespace

} // namespace aotc
