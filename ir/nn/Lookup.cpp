// Shape rules of tables.
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"

using namespace mlir;

namespace aotc::nn {

LogicalResult TopClassOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  if (x.getRank() != 2 || x.getDimSize(1) != static_cast<int64_t>(adaptor.getLabels().size()))
    return emitOptionalError(loc, "expected a column for each of ", adaptor.getLabels().size(), " labels, found ",
                             describe(x));
  types.push_back(tensorOf(extentsOf(x)[0], IntegerType::get(context, 64)));
  return success();
}

LogicalResult LookupOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  auto keys = cast<RankedTensorType>(adaptor.getKeys().getType());
  if (x.getElementType() != keys.getElementType())
    return emitOptionalError(loc, "the keys must be of the input's type, found ", describe(keys), " and ", describe(x));
  types.push_back(x.clone(cast<RankedTensorType>(adaptor.getValues().getType()).getElementType()));
  return success();
}

} // namespace aotc::nn
