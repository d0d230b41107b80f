// Shape rules of pooling.
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"
#include "ir/nn/Window.h"

using namespace mlir;

namespace aotc::nn {

template <class Adaptor>
static LogicalResult inferPool(std::optional<Location> loc, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  if (x.getRank() < 3)
    return emitOptionalError(loc, "input must have a rank of at least 3, found ", describe(x));
  bool channelsLast = adaptor.getChannelsLast();
  Window window{adaptor.getKernel(), adaptor.getStrides(), adaptor.getPads(), adaptor.getDilations(),
                adaptor.getCeilMode()};
  Extents extents = extentsOf(x), spatial;
  if (failed(slide(loc, window, spatialPart<AffineExpr>(extents, channelsLast), spatial)))
    return failure();
  AffineExpr channels = channelPart<AffineExpr>(extents, channelsLast);
  types.push_back(tensorOf(imageShape(extents[0], channels, spatial, channelsLast), x.getElementType()));
  return success();
}

LogicalResult MaxPoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  return inferPool(loc, adaptor, types);
}

LogicalResult AveragePoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  return inferPool(loc, adaptor, types);
}

LogicalResult MaxPoolIndicesOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                                 SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  if (x.getRank() < 3 || x.getRank() > 5)
    return emitOptionalError(loc, "input must have a rank of 3 to 5, found ", describe(x));
  Window window{adaptor.getKernel(), adaptor.getStrides(), adaptor.getPads(), adaptor.getDilations(),
                adaptor.getCeilMode()};
  Extents extents = extentsOf(x), spatial;
  if (failed(slide(loc, window, ArrayRef<AffineExpr>(extents).drop_front(2), spatial)))
    return failure();
  Extents shape = imageShape(extents[0], extents[1], spatial, /*channelsLast=*/false);
  types.push_back(tensorOf(shape, x.getElementType()));
  types.push_back(tensorOf(shape, IntegerType::get(context, 64)));
  return success();
}

LogicalResult MaxUnpoolOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  auto indices = cast<RankedTensorType>(adaptor.getIndices().getType());
  if (indices.getShape() != x.getShape() || !indices.getElementType().isInteger(64))
    return emitOptionalError(loc, "indices must be i64 and have the shape of ", describe(x), ", found ",
                             describe(indices));
  types.push_back(RankedTensorType::get(adaptor.getShape(), x.getElementType()));
  return success();
}

} // namespace aotc::nn
