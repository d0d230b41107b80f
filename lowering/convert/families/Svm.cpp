// Support vector machines, as calls of plain kernels.
#include "ir/nn/Dialect.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/KernelCall.h"

using namespace mlir;

namespace aotc::convert {

namespace {

struct LowerSquaredDistances : OpConversionPattern<nn::SquaredDistancesOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::SquaredDistancesOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    if (!elementOf(adaptor.getX()).isF32())
      return op.emitError("only distances of f32 are supported, found ") << elementOf(adaptor.getX());
    KernelCall call(rewriter, op.getLoc(), "distances", "squared_distances");
    call.extent("rows", adaptor.getX(), 0)
        .extent("length", adaptor.getPoints(), 0)
        .extent("count", adaptor.getPoints(), 1)
        .input(adaptor.getX())
        .input("points", adaptor.getPoints());
    rewriter.replaceOp(op, call.create(op->getResultTypes(), adaptor.getX()));
    return success();
  }
};

// Where the vectors of each class begin, and where the last ones end.
SmallVector<int32_t> beginsOf(ArrayRef<int64_t> counts) {
  SmallVector<int32_t> begins = {0};
  for (int64_t count : counts)
    begins.push_back(begins.back() + static_cast<int32_t>(count));
  return begins;
}

struct LowerSvmVotes : OpConversionPattern<nn::SvmVotesOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::SvmVotesOp op, OpAdaptor adaptor, ConversionPatternRewriter &rewriter) const final {
    SmallVector<int32_t> begins = beginsOf(op.getVectorsPerClass());
    int64_t classes = static_cast<int64_t>(op.getVectorsPerClass().size());
    Value table = constant(rewriter, op.getLoc(), RankedTensorType::get({classes + 1}, rewriter.getI32Type()), begins);
    KernelCall call(rewriter, op.getLoc(), "svm", "svm_votes");
    call.extent("rows", adaptor.getSimilarities(), 0)
        .member("classes", classes)
        .member("vectors", begins.back())
        .input(adaptor.getSimilarities())
        .input("coefficients", adaptor.getCoefficients())
        .input("rho", adaptor.getRho())
        .input("begins", table);
    rewriter.replaceOp(op, call.create(op->getResultTypes(), adaptor.getSimilarities()));
    return success();
  }
};

struct LowerSvmProbabilities : OpConversionPattern<nn::SvmProbabilitiesOp> {
  using OpConversionPattern::OpConversionPattern;
  LogicalResult matchAndRewrite(nn::SvmProbabilitiesOp op, OpAdaptor adaptor,
                                ConversionPatternRewriter &rewriter) const final {
    int64_t classes = op.getClasses();
    KernelCall call(rewriter, op.getLoc(), "svm", "svm_probabilities");
    call.extent("rows", adaptor.getScores(), 0)
        .member("classes", classes)
        .input(adaptor.getScores())
        .input("slopes", adaptor.getSlopes())
        .input("offsets", adaptor.getOffsets())
        .scratch((classes + 1) * classes * static_cast<int64_t>(sizeof(float)));
    rewriter.replaceOp(op, call.create(op->getResultTypes(), adaptor.getScores()));
    return success();
  }
};

} // namespace

void populateSvm(RewritePatternSet &patterns, const TypeConverter &types) {
  patterns.add<LowerSquaredDistances, LowerSvmVotes, LowerSvmProbabilities>(types, patterns.getContext());
}

} // namespace aotc::convert
