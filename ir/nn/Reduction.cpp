// Shape rules of reductions, sums along an axis and softmax, and how they are computed on reordered dimensions.
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"

using namespace mlir;

namespace aotc::nn {

LogicalResult ReduceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  Extents shape;
  for (int64_t axis : adaptor.getAxes())
    if (axis < 0 || axis >= x.getRank())
      return emitOptionalError(loc, "'axes' must be within the rank ", x.getRank(), ", found ", axis);
  for (auto [i, extent] : llvm::enumerate(extentsOf(x))) {
    if (!llvm::is_contained(adaptor.getAxes(), static_cast<int64_t>(i)))
      shape.push_back(extent);
    else if (adaptor.getKeepdims())
      shape.push_back(getAffineConstantExpr(1, x.getContext()));
  }
  types.push_back(tensorOf(shape, x.getElementType()));
  return success();
}

Operation *ReduceOp::permute(OpBuilder &builder, ValueRange operands, ArrayRef<int64_t> permutation) {
  if (!getKeepdims())
    return nullptr;
  SmallVector<int64_t> axes;
  for (int64_t axis : getAxes())
    axes.push_back(permutedAxis(axis, permutation));
  llvm::sort(axes);
  return builder.create<ReduceOp>(getLoc(), operands[0], getKind(), axes, true);
}

// Of ops that keep the shape and work along one dimension.
template <class Adaptor>
static LogicalResult inferAlongAxis(std::optional<Location> loc, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  int64_t axis = adaptor.getAxis();
  if (axis < 0 || axis >= x.getRank())
    return emitOptionalError(loc, "'axis' must be within the rank ", x.getRank(), ", found ", axis);
  types.push_back(x);
  return success();
}

LogicalResult SoftmaxOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return inferAlongAxis(loc, adaptor, types);
}

Operation *SoftmaxOp::permute(OpBuilder &builder, ValueRange operands, ArrayRef<int64_t> permutation) {
  int64_t axis = permutedAxis(getAxis(), permutation);
  return builder.create<SoftmaxOp>(getLoc(), operands[0], axis, getLogarithm());
}

LogicalResult CumulateOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  return inferAlongAxis(loc, adaptor, types);
}

Operation *CumulateOp::permute(OpBuilder &builder, ValueRange operands, ArrayRef<int64_t> permutation) {
  return builder.create<CumulateOp>(getLoc(), operands[0], getKind(), permutedAxis(getAxis(), permutation),
                                    getExclusive(), getReverse());
}

} // namespace aotc::nn
