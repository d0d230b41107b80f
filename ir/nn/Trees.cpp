// Shape rules of tree ensembles.
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"

using namespace mlir;

namespace aotc::nn {

LogicalResult TreesOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  auto base = cast<RankedTensorType>(adaptor.getBase().getType());
  if (x.getRank() != 2)
    return emitOptionalError(loc, "the input must be a matrix, found ", describe(x));
  if (x.isDynamicDim(1))
    return emitOptionalError(loc, "the number of features must be known, found ", describe(x));
  types.push_back(tensorOf({extentsOf(x)[0], extentsOf(base)[0]}, base.getElementType()));
  return success();
}

} // namespace aotc::nn
