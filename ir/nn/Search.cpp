// Shape rules of searches.
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"

using namespace mlir;

namespace aotc::nn {

LogicalResult TopKOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  int64_t axis = adaptor.getAxis(), k = adaptor.getK();
  if (axis < 0 || axis >= x.getRank())
    return emitOptionalError(loc, "'axis' must be within the rank ", x.getRank(), ", found ", axis);
  int64_t extent = x.getDimSize(axis);
  bool isKnown = !ShapedType::isDynamic(k);
  if (isKnown == adaptor.getExtent().has_value())
    return emitOptionalError(loc, "'extent' must be there where k is unknown, and there only");
  if (isKnown && (k < 0 || (!ShapedType::isDynamic(extent) && k > extent)))
    return emitOptionalError(loc, "k must lie in 0 … ", extent, ", found ", k);
  Extents shape = extentsOf(x);
  shape[axis] = isKnown ? getAffineConstantExpr(k, context) : adaptor.getExtent()->getResult(0);
  types.push_back(tensorOf(shape, x.getElementType()));
  types.push_back(tensorOf(shape, IntegerType::get(context, 64)));
  return success();
}

LogicalResult ArgReduceOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  int64_t axis = adaptor.getAxis();
  if (axis < 0 || axis >= x.getRank())
    return emitOptionalError(loc, "'axis' must be within the rank ", x.getRank(), ", found ", axis);
  if (x.getDimSize(axis) == 0)
    return emitOptionalError(loc, "the dimension 'axis' must not be empty, found ", describe(x));
  Extents shape = extentsOf(x);
  shape[axis] = getAffineConstantExpr(1, context);
  types.push_back(tensorOf(shape, IntegerType::get(context, 64)));
  return success();
}

Operation *ArgReduceOp::permute(OpBuilder &builder, ValueRange operands, ArrayRef<int64_t> permutation) {
  return builder.create<ArgReduceOp>(getLoc(), operands[0], permutedAxis(getAxis(), permutation), getLargest(),
                                     getLast());
}

} // namespace aotc::nn
