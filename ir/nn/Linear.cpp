// Shape rules of matrix products.
#include "ir/nn/Dialect.h"
#include "ir/nn/Shapes.h"

using namespace mlir;

namespace aotc::nn {

// The leading dimensions, broadcast together.
static LogicalResult inferBatch(std::optional<Location> loc, Value a, Value b, Extents &batch) {
  Extents x = extentsOf(a), y = extentsOf(b);
  x.resize(x.size() - std::min<size_t>(2, x.size()));
  y.resize(y.size() - std::min<size_t>(2, y.size()));
  size_t rank = std::max(x.size(), y.size());
  AffineExpr one = getAffineConstantExpr(1, a.getContext());
  x.insert(x.begin(), rank - x.size(), one);
  y.insert(y.begin(), rank - y.size(), one);
  for (auto [p, q] : llvm::zip(x, y)) {
    batch.push_back(broadcastExtent(p, q));
    if (!batch.back())
      return emitOptionalError(loc, "leading dimensions must broadcast together, found ", describe(a), " and ",
                               describe(b));
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
  Extents left = extentsOf(a), right = extentsOf(b), shape;
  if (left.back() != right[right.size() == 1 ? 0 : right.size() - 2])
    return emitOptionalError(loc, "inner dimensions must be equal, found ", describe(adaptor.getA()), " and ",
                             describe(adaptor.getB()));
  if (failed(inferBatch(loc, adaptor.getA(), adaptor.getB(), shape)))
    return failure();
  if (left.size() > 1)
    shape.push_back(left[left.size() - 2]);
  if (right.size() > 1)
    shape.push_back(right.back());
  types.push_back(tensorOf(shape, a.getElementType()));
  return success();
}

} // namespace aotc::nn
