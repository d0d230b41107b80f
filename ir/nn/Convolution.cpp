// Shape rules of convolutions.
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"
#include "ir/nn/Window.h"

using namespace mlir;

namespace aotc::nn {

// The shape of the result.
template <class Adaptor>
static FailureOr<Extents> inferShape(std::optional<Location> loc, Adaptor adaptor, bool channelsLast) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  auto weights = cast<RankedTensorType>(adaptor.getWeights().getType());
  if (x.getRank() < 3 || weights.getRank() != x.getRank())
    return emitOptionalError(loc, "input and weights must have one rank of at least 3, found ", describe(x), " and ",
                             describe(weights));
  int64_t group = adaptor.getGroup(), filters = weights.getDimSize(0);
  int64_t channels = channelPart<int64_t>(x.getShape(), channelsLast);
  if (group < 1)
    return emitOptionalError(loc, "'group' must be at least 1, found ", group);
  if (ShapedType::isDynamic(channels) || !weights.hasStaticShape())
    return emitOptionalError(loc, "the input's channels and the weights' extents must be known when compiling, found ",
                             describe(adaptor.getX()), " and ", describe(adaptor.getWeights()));
  if (channels != weights.getDimSize(1) * group)
    return emitOptionalError(loc, "input must have ", weights.getDimSize(1) * group, " channels ('group' ", group,
                             " times the weights' ", weights.getDimSize(1), "), found ", channels);
  if (filters % group != 0)
    return emitOptionalError(loc, "the number of filters must be a multiple of 'group' (", group, "), found ", filters);
  Window window{weights.getShape().drop_front(2), adaptor.getStrides(), adaptor.getPads(), adaptor.getDilations()};
  Extents extents = extentsOf(x), spatial;
  if (failed(slide(loc, window, spatialPart<AffineExpr>(extents, channelsLast), spatial)))
    return failure();
  return imageShape(extents[0], getAffineConstantExpr(filters, x.getContext()), spatial, channelsLast);
}

static LogicalResult checkPerFilter(std::optional<Location> loc, StringRef what, Value value, Value weights) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t filters = cast<RankedTensorType>(weights.getType()).getDimSize(0);
  if (type.getShape() != ArrayRef<int64_t>{filters})
    return emitOptionalError(loc, what, " must have shape [", filters, "], found ", describe(type));
  return success();
}

LogicalResult ConvOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  auto weights = cast<RankedTensorType>(adaptor.getWeights().getType());
  if (x.getElementType() != weights.getElementType())
    return emitOptionalError(loc, "operands must have one element type, found ", x.getElementType(), " and ",
                             weights.getElementType());
  FailureOr<Extents> shape = inferShape(loc, adaptor, adaptor.getChannelsLast());
  if (failed(shape) ||
      (adaptor.getBias() && failed(checkPerFilter(loc, "bias", adaptor.getBias(), adaptor.getWeights()))))
    return failure();
  types.push_back(tensorOf(*shape, x.getElementType()));
  return success();
}

LogicalResult QuantizedConvOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  FailureOr<Extents> shape = inferShape(loc, adaptor, adaptor.getChannelsLast());
  if (failed(shape) || failed(checkPerFilter(loc, "bias", adaptor.getBias(), adaptor.getWeights())) ||
      failed(checkPerFilter(loc, "scale", adaptor.getScale(), adaptor.getWeights())) ||
      (adaptor.getShift() && failed(checkPerFilter(loc, "shift", adaptor.getShift(), adaptor.getWeights()))))
    return failure();
  types.push_back(tensorOf(*shape, adaptor.getTo()));
  return success();
}

LogicalResult IntegerConvOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  FailureOr<Extents> shape = inferShape(loc, adaptor, /*channelsLast=*/false);
  auto zero = cast<RankedTensorType>(adaptor.getXZeroPoint().getType());
  auto filterZero = cast<RankedTensorType>(adaptor.getWeightsZeroPoint().getType());
  if (failed(shape))
    return failure();
  if (zero.getShape() != ArrayRef<int64_t>{1})
    return emitOptionalError(loc, "the input's zero point must have shape [1], found ", describe(zero));
  if (filterZero.getShape() != ArrayRef<int64_t>{1} &&
      failed(checkPerFilter(loc, "the weights' zero point", adaptor.getWeightsZeroPoint(), adaptor.getWeights())))
    return failure();
  types.push_back(tensorOf(*shape, IntegerType::get(context, 32)));
  return success();
}

} // namespace aotc::nn
