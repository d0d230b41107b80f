// Normalisation as kernels over one run of dimensions: rows where the run is the last, columns elsewhere.
#include "ir/kern/Dialect.h"
#include "ir/nn/Dialect.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
#include "lowering/convert/KernelCall.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace aotc::convert {

namespace {

// The order that brings the dimensions to normalise to the end; the identity where they are neighbours already (unit
// dimensions do not count).
SmallVector<int64_t> runOrder(ArrayRef<int64_t> shape, ArrayRef<int64_t> axes) {
  bool isRun = true;
  for (int64_t i = axes.front(); i <= axes.back(); ++i)
    isRun &= shape[i] == 1 || llvm::is_contained(axes, i);
  auto all = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
  if (isRun)
    return all;
  SmallVector<int64_t> order(llvm::make_filter_range(all, [&](int64_t i) { return !llvm::is_contained(axes, i); }));
  llvm::append_range(order, axes);
  return order;
}

struct LowerNormalize : OpConversionPattern<nn::NormalizeOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::NormalizeOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Location loc = op.getLoc();
    if (!op.getType().getElementType().isF32() && !op.getType().getElementType().isF64())
      return op.emitError("only f32 and f64 can be normalised, found ") << op.getType().getElementType();
    SmallVector<int64_t> order = runOrder(op.getType().getShape(), op.getAxes());
    bool moves = !llvm::is_sorted(order);
    Value x = moves ? transpose(rewriter, loc, adaptor.getX(), order) : adaptor.getX();
    Extents shape = extentsOf(x);
    int64_t rank = static_cast<int64_t>(shape.size()), count = static_cast<int64_t>(op.getAxes().size());
    int64_t first = moves ? rank - count : op.getAxes().front(), end = moves ? rank : op.getAxes().back() + 1;
    Extents run = runAround(shape, first, end - first);
    if (nn::isNumber(run[2], 1))
      run.pop_back();
    Value result = reshapeTo(rewriter, loc, build(rewriter, op, reshapeTo(rewriter, loc, x, run), run), shape);
    rewriter.replaceOp(op, moves ? transpose(rewriter, loc, result, invertPermutationVector(order)) : result);
    return success();
  }

private:
  static Value build(OpBuilder &builder, nn::NormalizeOp op, Value x, ArrayRef<AffineExpr> run) {
    Location loc = op.getLoc();
    if (elementOf(x).isF32()) { // with an epilogue
      Value out = createDestination(builder, loc, run, elementOf(x));
      return builder
          .create<kern::NormalizeOp>(loc, out.getType(), x, ValueRange(), out, op.getEpsilon(), op.getRootMeanSquare(),
                                     builder.getArrayAttr({}))
          ->getResult(0);
    }
    KernelCall call(builder, loc, "normalize", run.size() == 2 ? "normalize_rows" : "normalize_columns");
    static constexpr StringRef names[] = {"outer", "length", "inner"};
    for (size_t dim = 0; dim < run.size(); ++dim)
      call.extent(names[dim], x, static_cast<int64_t>(dim));
    call.input(x).inPlaceOf(0).argument(op.getRootMeanSquare() ? "aotc::RootMeanSquare{}" : "aotc::Deviation{}");
    call.argument(op.getEpsilon().convertToFloat());
    return call.create(x.getType(), x).front();
  }
};

} // namespace

void populateNormalization(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerNormalize>(types, patterns.getContext());
}

} // namespace aotc::convert
