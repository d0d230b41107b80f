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

// The shape of the product.
static LogicalResult inferProduct(std::optional<Location> loc, Value a, Value b, Extents &shape) {
  if (extentsOf(a).empty() || extentsOf(b).empty())
    return emitOptionalError(loc, "operands must not be scalars, found ", describe(a), " and ", describe(b));
  Extents left = extentsOf(a), right = extentsOf(b);
  if (left.back() != right[right.size() == 1 ? 0 : right.size() - 2])
    return emitOptionalError(loc, "inner dimensions must be equal, found ", describe(a), " and ", describe(b));
  if (failed(inferBatch(loc, a, b, shape)))
    return failure();
  if (left.size() > 1)
    shape.push_back(left[left.size() - 2]);
  if (right.size() > 1)
    shape.push_back(right.back());
  return success();
}

LogicalResult MatMulOp::inferReturnTypes(MLIRContext *, std::optional<Location> loc, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto a = cast<RankedTensorType>(adaptor.getA().getType()), b = cast<RankedTensorType>(adaptor.getB().getType());
  if (a.getElementType() != b.getElementType())
    return emitOptionalError(loc, "operands must have one element type, found ", a.getElementType(), " and ",
                             b.getElementType());
  Extents shape;
  if (failed(inferProduct(loc, adaptor.getA(), adaptor.getB(), shape)))
    return failure();
  types.push_back(tensorOf(shape, a.getElementType()));
  return success();
}

// One zero point for all, or one for each of `count` rows or columns.
static LogicalResult checkZeroPoint(std::optional<Location> loc, Value operand, Value zeroPoint, AffineExpr count) {
  auto type = cast<RankedTensorType>(operand.getType()), zero = cast<RankedTensorType>(zeroPoint.getType());
  bool fits = zero.getRank() == 1 && (zero.getDimSize(0) == 1 || extentsOf(zero)[0] == count);
  if (zero.getElementType() != type.getElementType() || !fits)
    return emitOptionalError(loc, "the zero point of ", describe(type), " must have 1 or ",
                             textOf(count, dimsAround(operand)), " elements of its type, found ", describe(zero));
  return success();
}

LogicalResult QuantizedMatMulOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                                  SmallVectorImpl<Type> &types) {
  Extents shape;
  if (failed(inferProduct(loc, adaptor.getX(), adaptor.getWeights(), shape)) ||
      failed(checkZeroPoint(loc, adaptor.getX(), adaptor.getXZeroPoint(), getAffineConstantExpr(1, context))))
    return failure();
  types.push_back(tensorOf(shape, Float32Type::get(context)));
  return success();
}

LogicalResult IntegerMatMulOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc, Adaptor adaptor,
                                                SmallVectorImpl<Type> &types) {
  auto a = cast<RankedTensorType>(adaptor.getA().getType()), b = cast<RankedTensorType>(adaptor.getB().getType());
  Extents shape;
  if (failed(inferProduct(loc, adaptor.getA(), adaptor.getB(), shape)))
    return failure();
  Extents left = extentsOf(a), right = extentsOf(b);
  AffineExpr one = getAffineConstantExpr(1, context);
  AffineExpr rows = left.size() == 1 ? one : left[left.size() - 2], columns = right.size() == 1 ? one : right.back();
  if (failed(checkZeroPoint(loc, adaptor.getA(), adaptor.getAZeroPoint(), rows)) ||
      failed(checkZeroPoint(loc, adaptor.getB(), adaptor.getBZeroPoint(), columns)))
    return failure();
  types.push_back(tensorOf(shape, IntegerType::get(context, 32)));
  return success();
}

} // namespace aotc::nn
