// Shape rules of support vector machines.
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"

using namespace mlir;

namespace aotc::nn {

static RankedTensorType matrixOf(Value like, int64_t columns) {
  auto type = cast<RankedTensorType>(like.getType());
  return tensorOf({extentsOf(type)[0], getAffineConstantExpr(columns, type.getContext())}, type.getElementType());
}

LogicalResult SquaredDistancesOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                                   SmallVectorImpl<Type> &types) {
  auto x = cast<RankedTensorType>(adaptor.getX().getType());
  auto points = cast<RankedTensorType>(adaptor.getPoints().getType());
  if (x.getRank() != 2 || points.getRank() != 2 || x.getDimSize(1) != points.getDimSize(0))
    return emitOptionalError(loc, "expected points of as many coordinates as the input has columns, found ",
                             describe(x), " and ", describe(points));
  types.push_back(matrixOf(adaptor.getX(), points.getDimSize(1)));
  return success();
}

LogicalResult SvmVotesOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                           SmallVectorImpl<Type> &types) {
  int64_t classes = static_cast<int64_t>(adaptor.getVectorsPerClass().size());
  types.push_back(matrixOf(adaptor.getSimilarities(), classes * (classes - 1) / 2));
  types.push_back(matrixOf(adaptor.getSimilarities(), classes));
  return success();
}

LogicalResult SvmProbabilitiesOp::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,
                                                   SmallVectorImpl<Type> &types) {
  types.push_back(matrixOf(adaptor.getScores(), adaptor.getClasses()));
  return success();
}

} // namespace aotc::nn
