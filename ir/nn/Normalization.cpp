// Shape rule of normalisation, and how it is computed on reordered dimensions.
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"

using namespace mlir;

namespace aotc::nn {

LogicalResult NormalizeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  if (adaptor.getAxes().empty())
    return emitOptionalError(loc, "'axes' must name at least one dimension");
  for (int64_t axis : adaptor.getAxes())
    if (axis < 0 || axis >= x.getRank())
      return emitOptionalError(loc, "'axes' must be within the rank ", x.getRank(), ", found ", axis);
  types.push_back(x);
  return success();
}

Operation *NormalizeOp::permute(OpBuilder &builder, ValueRange operands, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> axes;
  for (int64_t axis : getAxes())
    axes.push_back(permutedAxis(axis, permutation));
  llvm::sort(axes);
  return builder.create<NormalizeOp>(getLoc(), operands[0], axes, getEpsilon(), getRootMeanSquare());
}

} // namespace aotc::nn
