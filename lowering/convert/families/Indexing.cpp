// Elements read and written where other tensors say, as calls of plain kernels. Indices are checked when they run;
// those that are constant were checked by the importer.
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
#include "lowering/convert/KernelCall.h"

using namespace mlir;

namespace aotc::convert {

namespace {

constexpr StringRef outOfRange = "index_out_of_range";

// The number of elements, or of slices, that extents count.
AffineExpr countOf(ArrayRef<AffineExpr> extents, MLIRContext *context) { return nn::product(extents, context); }

StringRef functorOf(nn::ScatterReduction reduction) {
  switch (reduction) {
  case nn::ScatterReduction::None:
    return "aotc::Overwrite{}";
  case nn::ScatterReduction::Add:
    return "aotc::AddTo{}";
  case nn::ScatterReduction::Mul:
    return "aotc::MultiplyBy{}";
  case nn::ScatterReduction::Max:
    return "aotc::RaiseTo{}";
  case nn::ScatterReduction::Min:
    return "aotc::LowerTo{}";
  }
  llvm_unreachable("every reduction has a functor");
}

// Floats narrower than f32 are moved, and widened by the importer where they are computed with.
LogicalResult checkReduction(Operation *op, nn::ScatterReduction reduction, Type tensor) {
  Type element = cast<RankedTensorType>(tensor).getElementType();
  unsigned bits = element.getIntOrFloatBitWidth();
  bool isNumber = isa<FloatType>(element) ? bits >= 32 : bits == 1 || bits >= 8;
  if (reduction == nn::ScatterReduction::None || isNumber)
    return success();
  return op->emitError("only float, double, bool and integers of 8 to 64 bits can be computed with, found ")
         << nn::describe(tensor);
}

// ---------------------------------------------------------------------------------------------------------- gathering
struct LowerGatherElements : OpConversionPattern<nn::GatherElementsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::GatherElementsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    auto axis = static_cast<int64_t>(op.getAxis());
    Extents run = runAround(extentsOf(adaptor.getX()), axis, 1);
    KernelCall call(rewriter, op.getLoc(), "gather_nd", "gather_elements");
    call.extent("outer", run[0]).extent("axis_length", run[1]).extent("inner", run[2]);
    call.extent("count", adaptor.getIndices(), axis);
    call.input(adaptor.getX(), op.getX().getType()).input("indices", adaptor.getIndices()).canFail(outOfRange);
    rewriter.replaceOp(op, call.create(op->getResultTypes()));
    return success();
  }
};

struct LowerGatherND : OpConversionPattern<nn::GatherNDOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::GatherNDOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    Extents extents = extentsOf(adaptor.getX()), rows = extentsOf(adaptor.getIndices());
    ArrayRef<AffineExpr> x = extents, indices = rows;
    auto batch = static_cast<size_t>(op.getBatchDims());
    auto depth = static_cast<size_t>(shapeOf(adaptor.getIndices()).back());
    KernelCall call(rewriter, op.getLoc(), "gather_nd", "gather_nd");
    call.extent("batch", countOf(x.take_front(batch), getContext()));
    call.extent("count", countOf(indices.drop_front(batch).drop_back(), getContext())).extent("depth", indices.back());
    call.extentList("dims", x.slice(batch, depth)).extent("inner", countOf(x.drop_front(batch + depth), getContext()));
    call.input(adaptor.getX(), op.getX().getType()).input("indices", adaptor.getIndices()).canFail(outOfRange);
    rewriter.replaceOp(op, call.create(op->getResultTypes()));
    return success();
  }
};

// --------------------------------------------------------------------------------------------------------- scattering
struct LowerScatterElements : OpConversionPattern<nn::ScatterElementsOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::ScatterElementsOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (failed(checkReduction(op, op.getReduction(), op.getType())))
      return failure();
    auto axis = static_cast<int64_t>(op.getAxis());
    KernelCall call(rewriter, op.getLoc(), "scatter", "scatter_elements");
    call.run(adaptor.getX(), axis).extent("count", adaptor.getIndices(), axis);
    call.input(adaptor.getX(), op.getX().getType()).input("indices", adaptor.getIndices());
    call.input("updates", adaptor.getUpdates(), op.getUpdates().getType()).inPlaceOf(0).canFail(outOfRange);
    call.argument(functorOf(op.getReduction()));
    rewriter.replaceOp(op, call.create(op->getResultTypes()));
    return success();
  }
};

struct LowerScatterND : OpConversionPattern<nn::ScatterNDOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::ScatterNDOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (failed(checkReduction(op, op.getReduction(), op.getType())))
      return failure();
    Extents extents = extentsOf(adaptor.getX()), rows = extentsOf(adaptor.getIndices());
    ArrayRef<AffineExpr> x = extents, indices = rows;
    auto depth = static_cast<size_t>(shapeOf(adaptor.getIndices()).back());
    KernelCall call(rewriter, op.getLoc(), "scatter", "scatter_nd");
    call.extent("count", countOf(indices.drop_back(), getContext())).extent("depth", indices.back());
    call.extentList("dims", x.take_front(depth)).extent("inner", countOf(x.drop_front(depth), getContext()));
    call.input(adaptor.getX(), op.getX().getType()).input("indices", adaptor.getIndices());
    call.input("updates", adaptor.getUpdates(), op.getUpdates().getType()).inPlaceOf(0).canFail(outOfRange);
    call.argument(functorOf(op.getReduction()));
    rewriter.replaceOp(op, call.create(op->getResultTypes()));
    return success();
  }
};

struct LowerTensorScatter : OpConversionPattern<nn::TensorScatterOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::TensorScatterOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Extents extents = extentsOf(adaptor.getX());
    ArrayRef<AffineExpr> x = extents;
    auto axis = static_cast<size_t>(op.getAxis());
    KernelCall call(rewriter, op.getLoc(), "scatter", "tensor_scatter");
    call.extent("batch", x[0]).extent("outer", countOf(x.slice(1, axis - 1), getContext())).extent("length", x[axis]);
    call.extent("count", adaptor.getUpdates(), op.getAxis());
    call.extent("inner", countOf(x.drop_front(axis + 1), getContext()));
    call.member("circular", op.getCircular() ? 1 : 0);
    call.input(adaptor.getX(), op.getX().getType()).input("updates", adaptor.getUpdates(), op.getUpdates().getType());
    call.input("begins", adaptor.getBegins()).inPlaceOf(0).canFail(outOfRange);
    rewriter.replaceOp(op, call.create(op->getResultTypes()));
    return success();
  }
};

// ------------------------------------------------------------------------------------------------------------- others
struct LowerReverseSequence : OpConversionPattern<nn::ReverseSequenceOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::ReverseSequenceOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    Extents x = extentsOf(adaptor.getX());
    KernelCall call(rewriter, op.getLoc(), "reverse_sequence", "reverse_sequence");
    call.extent("time", x[static_cast<size_t>(op.getTimeAxis())])
        .extent("batch", x[static_cast<size_t>(op.getBatchAxis())]);
    call.extent("inner", countOf(ArrayRef(x).drop_front(2), getContext()));
    call.member("batch_first", op.getBatchAxis() == 0 ? 1 : 0);
    call.input(adaptor.getX(), op.getX().getType()).input("lengths", adaptor.getLengths()).canFail(outOfRange);
    rewriter.replaceOp(op, call.create(op->getResultTypes()));
    return success();
  }
};

struct LowerCol2Im : OpConversionPattern<nn::Col2ImOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::Col2ImOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    size_t rank = op.getImage().size();
    SmallVector<int64_t> positions;
    for (size_t d = 0; d < rank; ++d) {
      int64_t padded = op.getImage()[d] + op.getPads()[d] + op.getPads()[d + rank];
      positions.push_back((padded - op.getDilations()[d] * (op.getBlock()[d] - 1) - 1) / op.getStrides()[d] + 1);
    }
    KernelCall call(rewriter, op.getLoc(), "col2im", "col2im");
    call.extent("images", countOf(ArrayRef(nn::extentsOf(op.getType())).take_front(2), getContext()));
    call.member("rank", static_cast<int64_t>(rank)).member("image", op.getImage()).member("block", op.getBlock());
    call.member("positions", positions).member("stride", op.getStrides()).member("dilation", op.getDilations());
    call.member("pad", op.getPads().take_front(rank)).input(adaptor.getX(), op.getX().getType());
    rewriter.replaceOp(op, call.create(op->getResultTypes()));
    return success();
  }
};

} // namespace

void populateIndexing(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerGatherElements, LowerGatherND, LowerScatterElements, LowerScatterND, LowerTensorScatter,
               LowerReverseSequence, LowerCol2Im>(types, patterns.getContext());
}

} // namespace aotc::convert
