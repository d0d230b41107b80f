#include "lowering/simplify/GatherToSlice.h"

#include "ir/nn/Dialect.h"
#include "ir/nn/HostTensor.h"
#include "ir/nn/Shapes.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace aotc::simplify {

namespace {

struct Progression {
  int64_t start, step, count;
};

// The indices as start, start + step, and so on, negative ones counted from the end of `extent`. Nothing where they
// are otherwise, where there are none, or where one is out of range.
std::optional<Progression> progressionOf(ElementsAttr indices, int64_t extent) {
  nn::HostTensor values = nn::HostTensor::view(indices);
  auto at = [&](int64_t i) {
    int64_t index = values.toInteger(i);
    return index < 0 ? index + extent : index;
  };
  if (values.size() == 0)
    return std::nullopt;
  Progression result{at(0), values.size() > 1 ? at(1) - at(0) : 1, values.size()};
  for (int64_t i = 0; i < result.count; ++i)
    if (at(i) < 0 || at(i) >= extent || at(i) != result.start + i * result.step)
      return std::nullopt;
  return result.step == 0 ? std::nullopt : std::optional(result);
}

struct GatherToSlice : OpRewritePattern<nn::GatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(nn::GatherOp op, PatternRewriter &rewriter) const final {
    auto type = cast<RankedTensorType>(op.getX().getType());
    ElementsAttr indices;
    if (!type.hasStaticShape() || !matchPattern(op.getIndices(), m_Constant(&indices)))
      return failure();
    auto axis = static_cast<size_t>(op.getAxis());
    std::optional<Progression> progression = progressionOf(indices, type.getDimSize(static_cast<unsigned>(axis)));
    if (!progression)
      return failure();
    SmallVector<int64_t> starts(static_cast<size_t>(type.getRank()), 0), sizes(type.getShape()),
        steps(starts.size(), 1);
    starts[axis] = progression->start;
    sizes[axis] = progression->count;
    steps[axis] = progression->step;
    Value slice = rewriter.create<nn::SliceOp>(op.getLoc(), op.getX(), starts, sizes, steps, AffineMapAttr());
    rewriter.replaceOp(op, nn::reshaped(rewriter, op.getLoc(), slice, nn::extentsOf(op.getType())));
    return success();
  }
};

} // namespace

void addGatherToSlice(RewritePatternSet &patterns) { patterns.add<GatherToSlice>(patterns.getContext()); }

} // namespace aotc::simplify
