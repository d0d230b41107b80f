// Shape rules of ops that find out how much they give.
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"

using namespace mlir;

namespace aotc::nn {

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

template <class Adaptor> static AffineExpr found(Adaptor adaptor) { return adaptor.getFound().getResult(0); }

LogicalResult NonzeroOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  AffineExpr rank = getAffineConstantExpr(tensorType(adaptor.getX()).getRank(), context);
  types.push_back(tensorOf({rank, found(adaptor)}, IntegerType::get(context, 64)));
  return success();
}

static LogicalResult checkAxis(std::optional<Location> loc, int64_t axis, RankedTensorType x) {
  if (axis >= 0 && axis < x.getRank())
    return success();
  return emitOptionalError(loc, "'axis' must be within the rank ", x.getRank(), ", found ", axis);
}

LogicalResult CompressOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(adaptor.getX()), condition = tensorType(adaptor.getCondition());
  if (failed(checkAxis(loc, adaptor.getAxis(), x)))
    return failure();
  if (condition.getRank() != 1 || !condition.getElementType().isInteger(1))
    return emitOptionalError(loc, "the condition must be a list of bools, found ", describe(condition));
  Extents extents = extentsOf(x);
  extents[adaptor.getAxis()] = found(adaptor);
  types.push_back(tensorOf(extents, x.getElementType()));
  return success();
}

LogicalResult UniqueOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(adaptor.getX());
  if (failed(checkAxis(loc, adaptor.getAxis(), x)))
    return failure();
  Extents extents = extentsOf(x);
  AffineExpr length = extents[adaptor.getAxis()];
  extents[adaptor.getAxis()] = found(adaptor);
  Type index = IntegerType::get(context, 64);
  types.append({tensorOf(extents, x.getElementType()), tensorOf(found(adaptor), index), tensorOf(length, index),
                tensorOf(found(adaptor), index)});
  return success();
}

LogicalResult NonMaxSuppressionOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                                    SmallVectorImpl<Type> &types) {
  RankedTensorType boxes = tensorType(adaptor.getBoxes()), scores = tensorType(adaptor.getScores());
  Extents box = extentsOf(boxes), score = extentsOf(scores);
  if (box.size() != 3 || !isNumber(box[2], 4) || score.size() != 3 || box[0] != score[0] || box[1] != score[2])
    return emitOptionalError(loc, "boxes must be [batch, boxes, 4] and scores [batch, classes, boxes], found ",
                             describe(adaptor.getBoxes()), " and ", describe(adaptor.getScores()));
  types.push_back(tensorOf({found(adaptor), getAffineConstantExpr(3, context)}, IntegerType::get(context, 64)));
  return success();
}

LogicalResult ReadExtentOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                             SmallVectorImpl<Type> &) {
  RankedTensorType value = tensorType(adaptor.getValue());
  if (value.hasStaticShape() && value.getNumElements() == 1 && value.getElementType().isInteger(64))
    return success();
  return emitOptionalError(loc, "an extent must be one i64, found ", describe(value));
}

LogicalResult CountStepsOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                             SmallVectorImpl<Type> &) {
  RankedTensorType start = tensorType(adaptor.getStart());
  for (Value other : {adaptor.getStart(), adaptor.getLimit(), adaptor.getDelta()})
    if (RankedTensorType type = tensorType(other);
        !type.hasStaticShape() || type.getNumElements() != 1 || type.getElementType() != start.getElementType())
      return emitOptionalError(loc, "start, limit and delta must be one number each, of one type, found ",
                               describe(start), " and ", describe(type));
  return success();
}

} // namespace aotc::nn
