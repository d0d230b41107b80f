// Shape rules of quantization.
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"

using namespace mlir;

namespace aotc::nn {

static LogicalResult checkBroadcast(std::optional<Location> loc, RankedTensorType x, RankedTensorType scale) {
  for (auto [extent, own] : llvm::zip_equal(extentsOf(x), extentsOf(scale)))
    if (own != extent && !isNumber(own, 1))
      return emitOptionalError(loc, "scale must broadcast to ", describe(x), ", found ", describe(scale));
  return success();
}

template <class Adaptor> static LogicalResult checkScale(std::optional<Location> loc, Adaptor adaptor) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  auto scale = cast<RankedTensorType>(adaptor.getScale().getType());
  int64_t axis = adaptor.getAxis(), block = adaptor.getBlockSize();
  if (Value zeroPoint = adaptor.getZeroPoint()) {
    auto zero = cast<RankedTensorType>(zeroPoint.getType());
    if (!(zero.hasStaticShape() && zero.getNumElements() == 1) && extentsOf(zero) != extentsOf(scale))
      return emitOptionalError(loc, "zero point must have the scale's shape, found ", describe(zero), " and ",
                               describe(scale));
  }
  if (scale.hasStaticShape() && scale.getNumElements() == 1 && block == 0)
    return success();
  if (block == 0 && scale.getRank() == x.getRank() && scale.getRank() > 1)
    return checkBroadcast(loc, x, scale);
  if (axis < 0 || axis >= x.getRank())
    return emitOptionalError(loc, "'axis' must be within the rank ", x.getRank(), ", found ", axis);
  Extents expected = extentsOf(x);
  if (block > 0)
    expected[axis] = quotient(sum(expected[axis], block - 1), block);
  else
    expected = {expected[axis]};
  if (extentsOf(scale) != expected)
    return emitOptionalError(loc, "scale must have shape ", describe(tensorOf(expected, scale.getElementType())),
                             ", found ", describe(scale));
  return success();
}

LogicalResult QuantizeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  if (failed(checkScale(loc, adaptor)))
    return failure();
  types.push_back(cast<RankedTensorType>(adaptor.getX().getType()).clone(adaptor.getTo()));
  return success();
}

LogicalResult DequantizeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  if (failed(checkScale(loc, adaptor)))
    return failure();
  auto scale = cast<RankedTensorType>(adaptor.getScale().getType());
  types.push_back(cast<RankedTensorType>(adaptor.getX().getType()).clone(scale.getElementType()));
  return success();
}

LogicalResult DynamicScaleOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                               SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  if (!x.getElementType().isF32() || x.getRank() == 0)
    return emitOptionalError(loc, "x must be of f32 and have dimensions, found ", describe(x));
  types.push_back(RankedTensorType::get({}, x.getElementType()));
  types.push_back(RankedTensorType::get({}, IntegerType::get(context, 8, IntegerType::Unsigned)));
  return success();
}

// The axis of scales moves along; one scale for all has none. Scales of the input's rank stay.
template <class Op, class... More>
static Operation *permuteQuantization(Op op, OpBuilder &builder, Value x, ArrayRef<int64_t> permutation, More... more) {
  auto scale = cast<RankedTensorType>(op.getScale().getType());
  bool isSingle = scale.hasStaticShape() && scale.getNumElements() == 1;
  if (op.getBlockSize() != 0 || (!isSingle && scale.getRank() > 1))
    return nullptr;
  auto axis = static_cast<int64_t>(op.getAxis());
  return builder.create<Op>(op.getLoc(), x, op.getScale(), op.getZeroPoint(),
                            isSingle ? axis : permutedAxis(axis, permutation), 0, more...);
}

Operation *QuantizeOp::permute(OpBuilder &builder, ValueRange operands, ArrayRef<int64_t> permutation) {
  return permuteQuantization(*this, builder, operands[0], permutation, getTo());
}
Operation *DequantizeOp::permute(OpBuilder &builder, ValueRange operands, ArrayRef<int64_t> permutation) {
  return permuteQuantization(*this, builder, operands[0], permutation);
}

} // namespace aotc::nn
