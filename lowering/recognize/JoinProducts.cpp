// Multiplies a tensor at once by the weights that its slices are multiplied by one after the other, as a recurrent
// network does that is written out step by step:
//
//   %0 = nn.matmul (nn.slice %x [t = 0]), w              %y = nn.matmul %x, w
//   %1 = nn.matmul (nn.slice %x [t = 1]), w       ==>    %0 = nn.slice %y [t = 0]
//   …                                                    %1 = nn.slice %y [t = 1] …
//
// Few rows at a time read all weights for little work. Where a slice has many, its product is best followed by what
// ends it. A slice that stands beside a state, as TensorFlow's cells have it, is multiplied by its part of the weights:
//
//   nn.matmul (nn.concat %slice, %state), w       ==>    nn.add (nn.matmul %slice, w0), (nn.matmul %state, w1)
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"
#include "lowering/Passes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/MapVector.h"

namespace aotc {

#define GEN_PASS_DEF_JOINPRODUCTS
#include "lowering/Passes.h.inc"

using namespace mlir;

namespace {

constexpr int64_t mostRows = 16; // of one slice: more fill a kernel's register tiles by themselves

int64_t lastExtent(Value value) { return cast<RankedTensorType>(value.getType()).getShape().back(); }

// The axis along which the slice takes a part, and all else; nothing where there is none.
std::optional<size_t> axisOf(nn::SliceOp slice) {
  nn::Extents source = nn::extentsOf(slice.getX()), sizes = nn::extentsOf(slice.getType());
  std::optional<size_t> found;
  for (size_t axis = 0; axis < sizes.size(); ++axis) {
    if (sizes[axis] == source[axis])
      continue;
    bool isNumber =
        nn::numberOf(sizes[axis]) && nn::numberOf(source[axis]) && !ShapedType::isDynamic(slice.getStarts()[axis]);
    if (found || !isNumber || slice.getSteps()[axis] != 1)
      return std::nullopt;
    found = axis;
  }
  return found;
}

bool hasFewRows(Value rows) {
  nn::Extents extents = nn::extentsOf(rows);
  AffineExpr count = nn::product(ArrayRef<AffineExpr>(extents).drop_back(), rows.getContext());
  return nn::boundsOf(count, nn::dimsAround(rows)).most <= mostRows;
}

// The slice whose rows these are, perhaps in another shape; null where there is none.
nn::SliceOp sliceOf(Value rows) {
  if (auto reshape = rows.getDefiningOp<nn::ReshapeOp>())
    rows = reshape.getX();
  return rows.getDefiningOp<nn::SliceOp>();
}

// That of a product by constant weights.
nn::SliceOp sliceOf(nn::MatMulOp product) {
  nn::SliceOp slice = sliceOf(product.getA());
  auto weights = cast<RankedTensorType>(product.getB().getType());
  if (!slice || weights.getRank() != 2 || !matchPattern(product.getB(), m_Constant()) ||
      cast<RankedTensorType>(product.getA().getType()).getRank() < 2 || lastExtent(slice) != weights.getDimSize(0) ||
      lastExtent(slice.getX()) != weights.getDimSize(0))
    return {};
  return hasFewRows(slice) ? slice : nn::SliceOp();
}

struct Product {
  nn::MatMulOp op;
  nn::SliceOp slice;
};
using Source = std::tuple<Value, Value, size_t>; // what is cut, weights, axis

// Whether the slices are all of their source, each part once.
bool coverAll(ArrayRef<Product> products, size_t axis) {
  nn::SliceOp any = products.front().slice;
  int64_t extent = *nn::numberOf(nn::extentsOf(any.getX())[axis]);
  llvm::BitVector seen(static_cast<unsigned>(extent));
  for (Product product : products) {
    auto start = static_cast<unsigned>(product.slice.getStarts()[axis]);
    auto end = start + static_cast<unsigned>(product.slice.getSizes()[axis]);
    if (seen.find_first_in(start, end) != -1)
      return false;
    seen.set(start, end);
  }
  return seen.all();
}

// The constant row that is added to the product and nothing else reads it; null where there is none.
Value biasOf(nn::MatMulOp product) {
  auto sum = product->hasOneUse() ? dyn_cast<nn::AddOp>(*product->user_begin()) : nn::AddOp();
  if (!sum || sum.getType() != product.getType())
    return {};
  Value other = sum.getX() == product ? sum.getY() : sum.getX();
  bool isRow = cast<RankedTensorType>(other.getType()).getRank() <= 1;
  return isRow && matchPattern(other, m_Constant()) ? other : Value();
}

// What is computed of all slices alike: with its bias, where all have one.
Operation *lastOf(Product product, bool hasBias) {
  return hasBias ? *product.op->user_begin() : product.op.getOperation();
}

// Replaces the products, in the order of the block, by slices of one.
void join(RewriterBase &rewriter, ArrayRef<Product> products, size_t axis) {
  Product first = products.front();
  Value bias = biasOf(first.op);
  bool hasBias = bias && llvm::all_of(products, [&](Product product) { return biasOf(product.op) == bias; });
  SmallVector<Location> locations;
  for (Product product : products)
    locations.push_back(product.op.getLoc());
  rewriter.setInsertionPoint(first.op);
  Value all = rewriter.create<nn::MatMulOp>(rewriter.getFusedLoc(locations), first.slice.getX(), first.op.getB());
  if (hasBias)
    all = rewriter.create<nn::AddOp>(lastOf(first, hasBias)->getLoc(), all, bias);
  for (Product product : products) {
    Operation *last = lastOf(product, hasBias);
    Location loc = last->getLoc();
    rewriter.setInsertionPoint(last);
    Value part =
        nn::slicedAlong(rewriter, loc, all, axis, product.slice.getStarts()[axis], product.slice.getSizes()[axis]);
    rewriter.replaceOp(last, nn::reshaped(rewriter, loc, part, nn::extentsOf(last->getResult(0))));
    if (hasBias)
      rewriter.eraseOp(product.op);
  }
}

// Products of what stands beside each other, apart.
class SplitProducts {
public:
  explicit SplitProducts(RewriterBase &rewriter) : rewriter(rewriter) {}

  void visit(nn::MatMulOp product) {
    auto beside = product.getA().getDefiningOp<nn::ConcatOp>();
    auto weights = cast<RankedTensorType>(product.getB().getType());
    if (!beside || !beside->hasOneUse() || static_cast<int64_t>(beside.getAxis()) + 1 != beside.getType().getRank() ||
        weights.getRank() != 2 || !matchPattern(product.getB(), m_Constant()) || !hasFewRows(beside) ||
        llvm::none_of(beside.getInputs(), [](Value part) { return sliceOf(part) != nullptr; }))
      return;
    rewriter.setInsertionPoint(product);
    int64_t row = 0;
    Value sum;
    for (Value part : beside.getInputs()) {
      int64_t count = lastExtent(part);
      Value term = rewriter.create<nn::MatMulOp>(product.getLoc(), part, rowsOf(product.getB(), row, count));
      sum = sum ? rewriter.create<nn::AddOp>(product.getLoc(), sum, term).getResult() : term;
      row += count;
    }
    rewriter.replaceOp(product, sum);
  }

private:
  // The same value for the same rows, by which products are found to be alike.
  Value rowsOf(Value weights, int64_t first, int64_t count) {
    Value &rows = parts[{weights, first, count}];
    if (!rows) {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointAfterValue(weights);
      rows = nn::slicedAlong(rewriter, weights.getLoc(), weights, 0, first, count);
    }
    return rows;
  }

  RewriterBase &rewriter;
  llvm::DenseMap<std::tuple<Value, int64_t, int64_t>, Value> parts;
};

struct JoinProducts : impl::JoinProductsBase<JoinProducts> {
  void runOnOperation() final {
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](Block *block) {
      SplitProducts split(rewriter);
      for (auto op : llvm::to_vector(block->getOps<nn::MatMulOp>()))
        split.visit(op);
      llvm::MapVector<Source, SmallVector<Product>> groups;
      for (auto op : block->getOps<nn::MatMulOp>())
        if (nn::SliceOp slice = sliceOf(op))
          if (std::optional<size_t> axis = axisOf(slice))
            groups[{slice.getX(), op.getB(), *axis}].push_back({op, slice});
      for (auto &[source, products] : groups)
        if (products.size() > 1 && coverAll(products, std::get<2>(source)))
          join(rewriter, products, std::get<2>(source));
    });
  }
};

} // namespace

} // namespace aotc
