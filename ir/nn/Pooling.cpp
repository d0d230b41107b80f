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
  SmallVector<int64_t> spatial;
  if (failed(slide(loc, window, spatialPart(x.getShape(), channelsLast), spatial)))
    return failure();
  int64_t channels = channelPart(x.getShape(), channelsLast);
  types.push_back(
      RankedTensorType::get(imageShape(x.getDimSize(0), channels, spatial, channelsLast), x.getElementType()));
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

} // namespace aotc::nn
