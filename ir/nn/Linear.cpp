// Shape rules of matrix products.
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"

using namespace mlir;

namespace aotc::nn {

// The leading dimensions, broadcast together.
static LogicalResult inferBatch(std::optional<Location> loc, RankedTensorType a, RankedTensorType b,
                                SmallVectorImpl<int64_t> &batch) {
  ArrayRef<int64_t> x = a.getShape().drop_back(std::min<int64_t>(2, a.getRank()));
  ArrayRef<int64_t> y = b.getShape().drop_back(std::min<int64_t>(2, b.getRank()));
  size_t rank = std::max(x.size(), y.size());
  for (size_t i = 0; i < rank; ++i) {
    int64_t p = i + x.size() < rank ? 1 : x[i + x.size() - rank], q = i + y.size() < rank ? 1 : y[i + y.size() - rank];
    if (p != q && p != 1 && q != 1)
      return emitOptionalError(loc, "leading dimensions must broadcast together, found ", describe(a), " and ",
                               describe(b));
    batch.push_back(p == 1 ? q : p);
  }
  return success();
}

LogicalResult MatMulOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto a = cast<RankedTensorType>(adaptor.getA().getType()), b = cast<RankedTensorType>(adaptor.getB().getType());
  if (a.getElementType() != b.getElementType())
    return emitOptionalError(loc, "operands must have one element type, found ", a.getElementType(), " and ",
                             b.getElementType());
  if (a.getRank() < 1 || b.getRank() < 1)
    return emitOptionalError(loc, "operands must not be scalars, found ", describe(a), " and ", describe(b));
  int64_t inner = b.getShape()[b.getRank() == 1 ? 0 : b.getRank() - 2];
  if (a.getShape().back() != inner)
    return emitOptionalError(loc, "inner dimensions must be equal, found ", describe(a), " and ", describe(b));
  SmallVector<int64_t> shape;
  if (failed(inferBatch(loc, a, b, shape)))
    return failure();
  if (a.getRank() > 1)
    shape.push_back(a.getDimSize(a.getRank() - 2));
  if (b.getRank() > 1)
    shape.push_back(b.getShape().back());
  types.push_back(RankedTensorType::get(shape, a.getElementType()));
  return success();
}

} // namespace aotc::nn
