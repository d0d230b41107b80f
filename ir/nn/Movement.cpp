// Data movement: shape rules, folders that need no data, and how each op is computed on reordered dimensions.
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"

using namespace mlir;

namespace aotc::nn {

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

// ---------------------------------------------------------------------------------------------------------------
// reshape
LogicalResult ReshapeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(adaptor.getX());
  auto result = RankedTensorType::get(adaptor.getShape(), x.getElementType());
  if (x.hasStaticShape() && result.hasStaticShape() && x.getNumElements() != result.getNumElements())
    return emitOptionalError(loc, "the new shape must hold ", x.getNumElements(), " elements, found ",
                             describe(result));
  types.push_back(result);
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  // With one unknown extent at most, equal types are equal shapes.
  if (getX().getType() == getType() && getType().getNumDynamicDims() <= 1)
    return getX();
  if (auto producer = getX().getDefiningOp<ReshapeOp>()) {
    setOperand(producer.getX());
    return getResult();
  }
  return {};
}

// -------------------------------------------------------------------------------------------------------------
// transpose
LogicalResult TransposeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(adaptor.getX());
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  llvm::SmallBitVector seen(x.getRank());
  for (int64_t axis : permutation)
    if (axis >= 0 && axis < x.getRank())
      seen.set(axis);
  if (static_cast<int64_t>(permutation.size()) != x.getRank() || !seen.all())
    return emitOptionalError(loc, "'perm' must be a permutation of the ", x.getRank(), " dimensions");
  types.push_back(RankedTensorType::get(permuted(x.getShape(), permutation), x.getElementType()));
  return success();
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  if (llvm::equal(getPermutation(), llvm::seq<int64_t>(0, getPermutation().size())))
    return getX();
  if (auto producer = getX().getDefiningOp<TransposeOp>()) {
    SmallVector<int64_t> combined = permuted(producer.getPermutation(), getPermutation());
    setOperand(producer.getX());
    setPermutation(combined);
    return getResult();
  }
  return {};
}

// ----------------------------------------------------------------------------------------------------------------
// expand
LogicalResult ExpandOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(adaptor.getX());
  auto result = RankedTensorType::get(adaptor.getShape(), x.getElementType());
  int64_t lead = result.getRank() - x.getRank();
  bool fits = lead >= 0;
  for (int64_t i = 0; fits && i < x.getRank(); ++i)
    fits = x.getDimSize(i) == 1 || x.getDimSize(i) == result.getDimSize(lead + i);
  if (!fits)
    return emitOptionalError(loc, describe(x), " does not broadcast to ", describe(result));
  types.push_back(result);
  return success();
}

OpFoldResult ExpandOp::fold(FoldAdaptor) {
  return getX().getType() == getType() && getType().hasStaticShape() ? OpFoldResult(getX()) : OpFoldResult();
}

// ----------------------------------------------------------------------------------------------------------------
// concat
LogicalResult ConcatOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  if (adaptor.getInputs().empty())
    return emitOptionalError(loc, "at least one input is needed");
  RankedTensorType first = tensorType(adaptor.getInputs().front());
  int64_t axis = adaptor.getAxis();
  if (axis < 0 || axis >= first.getRank())
    return emitOptionalError(loc, "'axis' must be within the rank ", first.getRank(), ", found ", axis);
  SmallVector<int64_t> shape(first.getShape());
  for (Value input : adaptor.getInputs().drop_front()) {
    RankedTensorType type = tensorType(input);
    bool fits = type.getRank() == first.getRank() && type.getElementType() == first.getElementType();
    for (int64_t i = 0; fits && i < first.getRank(); ++i)
      fits = i == axis || type.getDimSize(i) == shape[i];
    if (!fits)
      return emitOptionalError(loc, "inputs may differ along axis ", axis, " only, found ", describe(first), " and ",
                               describe(type));
    bool isUnknown = ShapedType::isDynamic(shape[axis]) || type.isDynamicDim(axis);
    shape[axis] = isUnknown ? ShapedType::kDynamic : shape[axis] + type.getDimSize(axis);
  }
  types.push_back(RankedTensorType::get(shape, first.getElementType()));
  return success();
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 ? OpFoldResult(getInputs().front()) : OpFoldResult();
}

Operation *ConcatOp::permute(OpBuilder &builder, ValueRange operands, ArrayRef<int64_t> permutation) {
  return builder.create<ConcatOp>(getLoc(), operands, permutedAxis(getAxis(), permutation));
}

// -----------------------------------------------------------------------------------------------------------------
// slice
LogicalResult SliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(adaptor.getX());
  size_t rank = x.getRank();
  if (adaptor.getStarts().size() != rank || adaptor.getSizes().size() != rank || adaptor.getSteps().size() != rank)
    return emitOptionalError(loc, "starts, sizes and steps must have ", rank, " values each");
  for (auto [start, size, step, extent] :
       llvm::zip(adaptor.getStarts(), adaptor.getSizes(), adaptor.getSteps(), x.getShape())) {
    if (size < 0 || ShapedType::isDynamic(extent))
      continue;
    int64_t last = start + (size - 1) * step;
    if (size > 0 && (start < 0 || start >= extent || last < 0 || last >= extent))
      return emitOptionalError(loc, "the slice reaches from ", start, " to ", last, ", the extent is ", extent);
  }
  types.push_back(RankedTensorType::get(adaptor.getSizes(), x.getElementType()));
  return success();
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  bool isWhole = getX().getType() == getType() && getType().hasStaticShape() &&
                 llvm::all_of(getSteps(), [](int64_t step) { return step == 1; });
  return isWhole ? OpFoldResult(getX()) : OpFoldResult();
}

Operation *SliceOp::permute(OpBuilder &builder, ValueRange operands, ArrayRef<int64_t> permutation) {
  return builder.create<SliceOp>(getLoc(), operands[0], permuted(getStarts(), permutation),
                                 permuted(getSizes(), permutation), permuted(getSteps(), permutation));
}

// -------------------------------------------------------------------------------------------------------------------
// pad
LogicalResult PadOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(adaptor.getX());
  size_t rank = x.getRank();
  if (adaptor.getLow().size() != rank || adaptor.getHigh().size() != rank)
    return emitOptionalError(loc, "'pads' must have ", 2 * rank, " values, found ",
                             adaptor.getLow().size() + adaptor.getHigh().size());
  SmallVector<int64_t> shape(x.getShape());
  for (auto [extent, low, high] : llvm::zip(shape, adaptor.getLow(), adaptor.getHigh())) {
    if (ShapedType::isDynamic(extent))
      continue;
    extent += low + high;
    if (extent < 0)
      return emitOptionalError(loc, "'pads' cut more than there is of ", describe(x));
  }
  types.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

Operation *PadOp::permute(OpBuilder &builder, ValueRange operands, ArrayRef<int64_t> permutation) {
  return builder.create<PadOp>(getLoc(), operands[0], permuted(getLow(), permutation), permuted(getHigh(), permutation),
                               getMode(), getValue());
}

// ----------------------------------------------------------------------------------------------------------------
// gather
LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(adaptor.getX()), indices = tensorType(adaptor.getIndices());
  int64_t axis = adaptor.getAxis();
  if (axis < 0 || axis >= x.getRank())
    return emitOptionalError(loc, "'axis' must be within the rank ", x.getRank(), ", found ", axis);
  SmallVector<int64_t> shape(x.getShape().take_front(axis));
  llvm::append_range(shape, indices.getShape());
  llvm::append_range(shape, x.getShape().drop_front(axis + 1));
  if (x.getDimSize(axis) == 0 && !llvm::is_contained(shape, 0))
    return emitOptionalError(loc, "axis ", axis, " of ", describe(x), " has no elements to choose from");
  types.push_back(RankedTensorType::get(shape, x.getElementType()));
  return success();
}

// -----------------------------------------------------------------------------------------------------------------
// shape
LogicalResult ShapeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  int64_t rank = tensorType(adaptor.getX()).getRank(), start = adaptor.getStart(), end = adaptor.getEnd();
  if (start < 0 || end > rank)
    return emitOptionalError(loc, "'start' and 'end' must be within the rank ", rank, ", found ", start, " and ", end);
  types.push_back(RankedTensorType::get({std::max<int64_t>(0, adaptor.getEnd() - adaptor.getStart())},
                                        IntegerType::get(context, 64)));
  return success();
}

// ----------------------------------------------------------------------------------------------------------------
// resize
LogicalResult ResizeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(adaptor.getX());
  if (static_cast<int64_t>(adaptor.getSizes().size()) != x.getRank())
    return emitOptionalError(loc, "'sizes' must have ", x.getRank(), " values, found ", adaptor.getSizes().size());
  types.push_back(RankedTensorType::get(adaptor.getSizes(), x.getElementType()));
  return success();
}

Operation *ResizeOp::permute(OpBuilder &builder, ValueRange operands, ArrayRef<int64_t> permutation) {
  SmallVector<float> roi;
  if (!getRoi().empty()) {
    size_t rank = permutation.size();
    roi = permuted(getRoi().take_front(rank), permutation);
    llvm::append_range(roi, permuted(getRoi().drop_front(rank), permutation));
  }
  return builder.create<ResizeOp>(getLoc(), operands[0], permuted(getSizes(), permutation),
                                  permuted(getScales(), permutation), getMode(), getCoordinateTransformationMode(),
                                  getNearestMode(), getCubicCoeffA(), getExcludeOutside(), getExtrapolationValue(),
                                  getAntialias(), roi);
}

} // namespace aotc::nn
