// Shape rules of ops that read and write where other tensors say.
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"

using namespace mlir;

namespace aotc::nn {

static RankedTensorType tensorType(Value value) { return cast<RankedTensorType>(value.getType()); }

static LogicalResult checkAxis(std::optional<Location> loc, RankedTensorType x, int64_t axis) {
  if (axis >= 0 && axis < x.getRank())
    return success();
  return emitOptionalError(loc, "'axis' must be within the rank ", x.getRank(), ", found ", axis);
}

static LogicalResult checkElements(std::optional<Location> loc, RankedTensorType x, RankedTensorType updates) {
  if (x.getElementType() == updates.getElementType())
    return success();
  return emitOptionalError(loc, "the updates must be of the input's type, found ", describe(updates), " and ",
                           describe(x));
}

// ------------------------------------------------------------------------------------------------------ along an axis
// `indices` has x's extents but for the axis, and names something that is there.
static LogicalResult checkAlong(std::optional<Location> loc, RankedTensorType x, RankedTensorType indices,
                                int64_t axis) {
  if (failed(checkAxis(loc, x, axis)))
    return failure();
  Extents like = extentsOf(x), places = extentsOf(indices);
  if (places.size() == like.size())
    like[axis] = places[axis];
  if (like != places)
    return emitOptionalError(loc, "indices may differ from the input along axis ", axis, " only, found ",
                             describe(indices), " and ", describe(x));
  if (x.getDimSize(axis) == 0 && !llvm::is_contained(indices.getShape(), 0))
    return emitOptionalError(loc, "axis ", axis, " of ", describe(x), " has no elements to choose from");
  return success();
}

LogicalResult GatherElementsOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(adaptor.getX()), indices = tensorType(adaptor.getIndices());
  if (failed(checkAlong(loc, x, indices, adaptor.getAxis())))
    return failure();
  types.push_back(tensorOf(extentsOf(indices), x.getElementType()));
  return success();
}

LogicalResult ScatterElementsOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                                  SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(adaptor.getX()), indices = tensorType(adaptor.getIndices()),
                   updates = tensorType(adaptor.getUpdates());
  if (failed(checkElements(loc, x, updates)) || failed(checkAlong(loc, x, indices, adaptor.getAxis())))
    return failure();
  if (extentsOf(indices) != extentsOf(updates))
    return emitOptionalError(loc, "indices and updates must have one shape, found ", describe(indices), " and ",
                             describe(updates));
  types.push_back(x);
  return success();
}

// --------------------------------------------------------------------------------------------------------- by rows
// The length of the rows of `indices`, which name the dimensions of x from `first` on; nothing after an error.
static std::optional<int64_t> depthOf(std::optional<Location> loc, RankedTensorType x, RankedTensorType indices,
                                      int64_t first) {
  int64_t depth = indices.getRank() == 0 ? 0 : indices.getShape().back();
  if (depth >= 1 && depth <= x.getRank() - first) {
    bool isEmpty = llvm::is_contained(x.getShape().slice(first, depth), 0);
    if (!isEmpty || llvm::is_contained(indices.getShape(), 0))
      return depth;
    (void)emitOptionalError(loc, describe(x), " has no elements to choose from");
    return std::nullopt;
  }
  (void)emitOptionalError(loc, "the last extent of the indices must lie in 1 … ", x.getRank() - first, ", found ",
                          describe(indices));
  return std::nullopt;
}

// What rows of indices name, which stand for the first `named` dimensions of x: their own extents, then those of a
// slice.
static Extents namedSlices(ArrayRef<AffineExpr> x, int64_t named, ArrayRef<AffineExpr> indices) {
  Extents extents(indices.drop_back());
  llvm::append_range(extents, x.drop_front(named));
  return extents;
}

LogicalResult GatherNDOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(adaptor.getX()), indices = tensorType(adaptor.getIndices());
  int64_t batch = adaptor.getBatchDims();
  if (batch < 0 || batch >= std::min(x.getRank(), indices.getRank()))
    return emitOptionalError(loc, "'batch_dims' must be at least 0 and below both ranks, found ", batch, " with ",
                             describe(x), " and ", describe(indices));
  Extents extents = extentsOf(x), places = extentsOf(indices);
  if (!llvm::equal(llvm::ArrayRef(extents).take_front(batch), llvm::ArrayRef(places).take_front(batch)))
    return emitOptionalError(loc, "the first ", batch, " extents must be equal, found ", describe(x), " and ",
                             describe(indices));
  std::optional<int64_t> depth = depthOf(loc, x, indices, batch);
  if (!depth)
    return failure();
  types.push_back(tensorOf(namedSlices(extents, batch + *depth, places), x.getElementType()));
  return success();
}

LogicalResult ScatterNDOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(adaptor.getX()), indices = tensorType(adaptor.getIndices()),
                   updates = tensorType(adaptor.getUpdates());
  std::optional<int64_t> depth = depthOf(loc, x, indices, 0);
  if (!depth || failed(checkElements(loc, x, updates)))
    return failure();
  Extents wanted = namedSlices(extentsOf(x), *depth, extentsOf(indices));
  if (wanted != extentsOf(updates))
    return emitOptionalError(loc, "the updates must have the shape ", describe(tensorOf(wanted, x.getElementType())),
                             ", found ", describe(updates));
  types.push_back(x);
  return success();
}

// ------------------------------------------------------------------------------------------------------------- slices
LogicalResult ReverseSequenceOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                                  SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(adaptor.getX()), lengths = tensorType(adaptor.getLengths());
  int64_t batch = adaptor.getBatchAxis(), time = adaptor.getTimeAxis();
  if (x.getRank() < 2 || batch + time != 1 || batch * time != 0)
    return emitOptionalError(loc, "'batch_axis' and 'time_axis' must be 0 and 1 of two dimensions or more, found ",
                             batch, " and ", time, " of ", describe(x));
  if (extentsOf(lengths) != Extents{extentsOf(x)[batch]})
    return emitOptionalError(loc, "a length is needed for each of ", x.getDimSize(batch), " sequences, found ",
                             describe(lengths));
  types.push_back(x);
  return success();
}

// Whether one extent is larger than another for sure; what only the run knows is checked when it runs.
static bool exceeds(int64_t x, int64_t y) { return !ShapedType::isDynamic(x) && !ShapedType::isDynamic(y) && x > y; }

LogicalResult TensorScatterOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(adaptor.getX()), updates = tensorType(adaptor.getUpdates()),
                   begins = tensorType(adaptor.getBegins());
  int64_t axis = adaptor.getAxis();
  if (failed(checkAxis(loc, x, axis)) || failed(checkElements(loc, x, updates)))
    return failure();
  Extents like = extentsOf(x), part = extentsOf(updates);
  if (part.size() == like.size())
    like[axis] = part[axis];
  if (axis == 0 || like != part || exceeds(updates.getDimSize(axis), x.getDimSize(axis)))
    return emitOptionalError(loc, "the updates must be a part of the input along axis ", axis, ", found ",
                             describe(updates), " and ", describe(x));
  if (extentsOf(begins) != Extents{extentsOf(x)[0]})
    return emitOptionalError(loc, "an index is needed for each of ", x.getDimSize(0), " sequences, found ",
                             describe(begins));
  types.push_back(x);
  return success();
}

// ------------------------------------------------------------------------------------------------------------- blocks
LogicalResult Col2ImOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType x = tensorType(adaptor.getX());
  ArrayRef<int64_t> image = adaptor.getImage(), block = adaptor.getBlock(), pads = adaptor.getPads();
  if (x.getRank() != 3)
    return emitOptionalError(loc, "the blocks must have 3 dimensions, found ", describe(x));
  int64_t cells = ShapedType::getNumElements(block), count = 1;
  for (size_t d = 0; d < image.size(); ++d) {
    int64_t reach = image[d] + pads[d] + pads[d + image.size()] - adaptor.getDilations()[d] * (block[d] - 1) - 1;
    // No tensor has 2^31 elements: that many stand for more.
    count = std::min<int64_t>(count * (reach < 0 ? 0 : reach / adaptor.getStrides()[d] + 1), int64_t(1) << 31);
  }
  if (cells == 0 || x.getDimSize(2) != count || ShapedType::isDynamic(x.getDimSize(1)) || x.getDimSize(1) % cells != 0)
    return emitOptionalError(loc, "expected ", count, " blocks of ", cells, " elements per channel, found ",
                             describe(x));
  Extents extents = extentsOf(x);
  extents.pop_back();
  extents[1] = quotient(extents[1], cells);
  for (int64_t extent : image)
    extents.push_back(getAffineConstantExpr(extent, x.getContext()));
  types.push_back(tensorOf(extents, x.getElementType()));
  return success();
}

} // namespace aotc::nn
