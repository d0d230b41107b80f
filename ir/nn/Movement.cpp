// Data movement: shape rules, folders that need no data, and how each op is computed on reordered dimensions.
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace aotc::nn {

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

// ------------------------------------------------------------------------------------------------------------- reshape

LogicalResult ReshapeOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(adaptor.getX());
  Extents extents = extentsOf(adaptor.getShape(), adaptor.getExtentsAttr(), x.getContext());
  AffineExpr count = product(extentsOf(x), x.getContext());
  if (product(extents, x.getContext()) != count || !count) {
    SmallVector<Dim> dims = dimsAround(adaptor.getX());
    auto text = [&](AffineExpr extent) { return textOf(extent, dims); };
    return emitOptionalError(loc, "the new shape must hold ", text(count), " elements, found [",
                             llvm::join(llvm::map_range(extents, text), ","), "]");
  }
  types.push_back(tensorOf(extents, x.getElementType()));
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getX().getType() == getType())
    return getX();
  if (auto producer = getX().getDefiningOp<ReshapeOp>()) {
    setOperand(producer.getX());
    return getResult();
  }
  return {};
}

// ----------------------------------------------------------------------------------------------------------- transpose

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
  types.push_back(tensorOf(permuted(ArrayRef<AffineExpr>(extentsOf(x)), permutation), x.getElementType()));
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

// -------------------------------------------------------------------------------------------------------------- expand

LogicalResult ExpandOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(adaptor.getX());
  Extents from = extentsOf(x), to = extentsOf(adaptor.getShape(), adaptor.getExtentsAttr(), x.getContext());
  int64_t lead = static_cast<int64_t>(to.size()) - x.getRank();
  bool fits = lead >= 0;
  for (int64_t i = 0; fits && i < x.getRank(); ++i)
    fits = isNumber(from[i], 1) || from[i] == to[lead + i];
  RankedTensorType result = tensorOf(to, x.getElementType());
  if (!fits)
    return emitOptionalError(loc, describe(adaptor.getX()), " does not broadcast to ", describe(result));
  types.push_back(result);
  return success();
}

OpFoldResult ExpandOp::fold(FoldAdaptor) {
  return getX().getType() == getType() ? OpFoldResult(getX()) : OpFoldResult();
}

// -------------------------------------------------------------------------------------------------------------- concat

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  if (adaptor.getInputs().empty())
    return emitOptionalError(loc, "at least one input is needed");
  RankedTensorType first = tensorType(adaptor.getInputs().front());
  int64_t axis = adaptor.getAxis();
  if (axis < 0 || axis >= first.getRank())
    return emitOptionalError(loc, "'axis' must be within the rank ", first.getRank(), ", found ", axis);
  Extents shape = extentsOf(first);
  for (Value input : adaptor.getInputs().drop_front()) {
    RankedTensorType type = tensorType(input);
    Extents extents = extentsOf(type);
    bool fits = type.getRank() == first.getRank() && type.getElementType() == first.getElementType();
    for (int64_t i = 0; fits && i < first.getRank(); ++i)
      fits = i == axis || extents[i] == shape[i];
    if (!fits)
      return emitOptionalError(loc, "inputs may differ along axis ", axis, " only, found ",
                               describe(adaptor.getInputs().front()), " and ", describe(input));
    shape[axis] = sum(shape[axis], extents[axis]);
  }
  types.push_back(tensorOf(shape, first.getElementType()));
  return success();
}

OpFoldResult ConcatOp::fold(FoldAdaptor) {
  return getInputs().size() == 1 ? OpFoldResult(getInputs().front()) : OpFoldResult();
}

Operation *ConcatOp::permute(OpBuilder &builder, ValueRange operands, ArrayRef<int64_t> permutation) {
  return builder.create<ConcatOp>(getLoc(), operands, permutedAxis(getAxis(), permutation));
}

// --------------------------------------------------------------------------------------------------------------- slice

LogicalResult SliceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(adaptor.getX());
  size_t rank = x.getRank();
  if (adaptor.getStarts().size() != rank || adaptor.getSizes().size() != rank || adaptor.getSteps().size() != rank)
    return emitOptionalError(loc, "starts, sizes and steps must have ", rank, " values each");
  for (auto [start, size, step, extent] :
       llvm::zip(adaptor.getStarts(), adaptor.getSizes(), adaptor.getSteps(), x.getShape())) {
    if (ShapedType::isDynamic(start) || size < 0 || ShapedType::isDynamic(extent))
      continue;
    int64_t last = start + (size - 1) * step;
    if (size > 0 && (start < 0 || start >= extent || last < 0 || last >= extent))
      return emitOptionalError(loc, "the slice reaches from ", start, " to ", last, ", the extent is ", extent);
  }
  Extents sizes = extentsOf(adaptor.getSizes(), {}, x.getContext());
  if (AffineMapAttr extents = adaptor.getExtentsAttr()) {
    if (extents.getValue().getNumResults() != 2 * rank)
      return emitOptionalError(loc, "'extents' must have ", 2 * rank, " results");
    sizes = Extents(extents.getValue().getResults().drop_front(rank));
  }
  types.push_back(tensorOf(sizes, x.getElementType()));
  return success();
}

Extents SliceOp::getStartsAndSizes() {
  SmallVector<int64_t> numbers(getStarts());
  llvm::append_range(numbers, getSizes());
  return extentsOf(numbers, getExtentsAttr(), getContext());
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  bool isWhole = getX().getType() == getType() && llvm::all_of(getSteps(), [](int64_t step) { return step == 1; });
  return isWhole ? OpFoldResult(getX()) : OpFoldResult();
}

Operation *SliceOp::permute(OpBuilder &builder, ValueRange operands, ArrayRef<int64_t> permutation) {
  AffineMapAttr extents;
  if (getExtents()) {
    ArrayRef<AffineExpr> both = getExtents()->getResults();
    Extents moved = permuted(both.take_front(permutation.size()), permutation);
    llvm::append_range(moved, permuted(both.drop_front(permutation.size()), permutation));
    extents = mapOf(moved);
  }
  return builder.create<SliceOp>(getLoc(), operands[0], permuted(getStarts(), permutation),
                                 permuted(getSizes(), permutation), permuted(getSteps(), permutation), extents);
}

// ----------------------------------------------------------------------------------------------------------------- pad

LogicalResult PadOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(adaptor.getX());
  size_t rank = x.getRank();
  if (adaptor.getLow().size() != rank || adaptor.getHigh().size() != rank)
    return emitOptionalError(loc, "'pads' must have ", 2 * rank, " values, found ",
                             adaptor.getLow().size() + adaptor.getHigh().size());
  Extents shape = extentsOf(x);
  for (auto [extent, low, high] : llvm::zip(shape, adaptor.getLow(), adaptor.getHigh())) {
    extent = sum(extent, low + high);
    if (extent && numberOf(extent) && *numberOf(extent) < 0)
      return emitOptionalError(loc, "'pads' cut more than there is of ", describe(x));
  }
  types.push_back(tensorOf(shape, x.getElementType()));
  return success();
}

Operation *PadOp::permute(OpBuilder &builder, ValueRange operands, ArrayRef<int64_t> permutation) {
  return builder.create<PadOp>(getLoc(), operands[0], permuted(getLow(), permutation), permuted(getHigh(), permutation),
                               getMode(), getValue());
}

// -------------------------------------------------------------------------------------------------------------- gather

LogicalResult GatherOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(adaptor.getX()), indices = tensorType(adaptor.getIndices());
  int64_t axis = adaptor.getAxis();
  if (axis < 0 || axis >= x.getRank())
    return emitOptionalError(loc, "'axis' must be within the rank ", x.getRank(), ", found ", axis);
  Extents from = extentsOf(x), shape(ArrayRef<AffineExpr>(from).take_front(axis));
  llvm::append_range(shape, extentsOf(indices));
  llvm::append_range(shape, ArrayRef<AffineExpr>(from).drop_front(axis + 1));
  if (x.getDimSize(axis) == 0 && !llvm::is_contained(shapeOf(shape), 0))
    return emitOptionalError(loc, "axis ", axis, " of ", describe(x), " has no elements to choose from");
  types.push_back(tensorOf(shape, x.getElementType()));
  return success();
}

// ------------------------------------------------------------------------------------------------------------- extents

LogicalResult ExtentsOp::inferReturnTypes(MLIRContext *context, std::optional<Location>, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  types.push_back(RankedTensorType::get({adaptor.getValues().getNumResults()}, IntegerType::get(context, 64)));
  return success();
}

// -------------------------------------------------------------------------------------------------------------- resize

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
