// Small builders shared by the families: destinations, reshapes, constants, broadcasts.
#include "ir/kern/Dialect.h"
#include "ir/nn/HostTensor.h"
#include "ir/nn/Shapes.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include <numeric>

using namespace mlir;

namespace aotc::convert {

ArrayRef<int64_t> shapeOf(Value value) { return cast<RankedTensorType>(value.getType()).getShape(); }
Type elementOf(Value value) { return cast<RankedTensorType>(value.getType()).getElementType(); }

Value emptyTensor(OpBuilder &builder, Location loc, ArrayRef<int64_t> shape, Type element, Value like) {
  SmallVector<Value> extents;
  for (auto [dim, extent] : llvm::enumerate(shape))
    if (ShapedType::isDynamic(extent))
      extents.push_back(extentOf(builder, loc, like, dim));
  return builder.create<tensor::EmptyOp>(loc, shape, element, extents);
}

// A constant keeps its bytes (and its resource) under the new shape.
static Value reshapedConstant(OpBuilder &builder, Location loc, arith::ConstantOp op, RankedTensorType type) {
  Attribute value = op.getValue();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    return builder.create<arith::ConstantOp>(loc, DenseResourceElementsAttr::get(type, resource.getRawHandle()));
  return builder.create<arith::ConstantOp>(loc, cast<DenseElementsAttr>(value).reshape(type));
}

// The extents of an expanded value: the one that is unknown is its group's source divided by the group's known ones.
static SmallVector<OpFoldResult> expandedShape(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> shape,
                                               ArrayRef<ReassociationIndices> groups) {
  SmallVector<OpFoldResult> extents = getAsIndexOpFoldResult(builder.getContext(), shape);
  for (auto [source, group] : llvm::enumerate(groups)) {
    int64_t known = 1;
    for (int64_t dim : group)
      known *= ShapedType::isDynamic(shape[dim]) ? 1 : shape[dim];
    for (int64_t dim : group)
      if (ShapedType::isDynamic(shape[dim]))
        extents[dim] = buildExtent(builder, loc, productOf(value, source).dividedBy(known));
  }
  return extents;
}

// The product of the known extents.
static int64_t countKnown(ArrayRef<int64_t> extents) {
  int64_t count = 1;
  for (int64_t extent : extents)
    count *= ShapedType::isDynamic(extent) ? 1 : extent;
  return count;
}

// Upstream's groups of dimensions, with numbers in the place of unknown extents: multiples of a prime, which no product
// of other extents equals, such that both shapes have as many elements.
static std::optional<SmallVector<ReassociationIndices>> reshapeGroups(RankedTensorType from, RankedTensorType to) {
  constexpr int64_t prime = 1'000'003;
  SmallVector<int64_t> source(from.getShape()), result(to.getShape());
  int64_t fromKnown = countKnown(source), toKnown = countKnown(result);
  int64_t common = std::max<int64_t>(1, std::gcd(fromKnown, toKnown));
  std::replace(source.begin(), source.end(), int64_t(ShapedType::kDynamic), prime * (toKnown / common));
  std::replace(result.begin(), result.end(), int64_t(ShapedType::kDynamic), prime * (fromKnown / common));
  return getReassociationIndicesForReshape(from.clone(source), to.clone(result));
}

// The finest shape that both merge into, without unit dimensions: [3, 2, 8] and [1, 6, 8] meet in [6, 8]. All elements
// in one dimension where an extent is unknown.
static SmallVector<int64_t> meetingShape(ArrayRef<int64_t> x, ArrayRef<int64_t> y) {
  if (llvm::any_of(x, ShapedType::isDynamic) || llvm::any_of(y, ShapedType::isDynamic))
    return {countElements(x)};
  SmallVector<int64_t> met;
  while (!x.empty()) {
    int64_t fromX = x.front(), fromY = 1;
    x = x.drop_front();
    while (fromX != fromY) {
      ArrayRef<int64_t> &behind = fromX < fromY ? x : y;
      (fromX < fromY ? fromX : fromY) *= behind.front();
      behind = behind.drop_front();
    }
    if (fromX != 1)
      met.push_back(fromX);
  }
  return met;
}

LogicalResult checkOneBounded(Operation *op) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type type : types)
    if (cast<RankedTensorType>(type).getNumDynamicDims() > 1)
      return op->emitError("at most one extent may be bounded, found several in ") << nn::describe(type);
  return success();
}

LogicalResult checkStatic(Operation *op) {
  for (Value operand : op->getOperands())
    if (!cast<RankedTensorType>(operand.getType()).hasStaticShape())
      return op->emitError("all extents must be known, found a bounded dim in ") << nn::describe(operand.getType());
  return success();
}

// No elements in another shape: nothing is passed on, and extents around a 0 form no groups. The unknown extent, if
// any, stays the same.
static Value reshapedNothing(OpBuilder &builder, Location loc, Value value, RankedTensorType to) {
  SmallVector<Value> extents;
  for (auto [dim, extent] : llvm::enumerate(shapeOf(value)))
    if (ShapedType::isDynamic(extent))
      extents.push_back(extentOf(builder, loc, value, dim));
  extents.resize(to.getNumDynamicDims(), extents.empty() ? Value() : extents.front());
  return builder.create<tensor::EmptyOp>(loc, to, extents);
}

Value reshape(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> shape) {
  auto from = cast<RankedTensorType>(value.getType());
  auto to = RankedTensorType::get(shape, from.getElementType());
  if (from == to)
    return value;
  if (auto op = value.getDefiningOp<arith::ConstantOp>())
    return reshapedConstant(builder, loc, op, to);
  if (llvm::is_contained(shape, 0))
    return reshapedNothing(builder, loc, value, to);
  if (auto groups = reshapeGroups(from, to)) {
    if (from.getRank() > to.getRank())
      return builder.create<tensor::CollapseShapeOp>(loc, to, value, *groups);
    return builder.create<tensor::ExpandShapeOp>(loc, to, value, *groups,
                                                 expandedShape(builder, loc, value, shape, *groups));
  }
  Value met = reshape(builder, loc, value, meetingShape(from.getShape(), shape));
  return reshape(builder, loc, met, shape);
}

Value constant(OpBuilder &builder, Location loc, RankedTensorType type, ArrayRef<float> values) {
  nn::HostTensor tensor(type);
  llvm::copy(values, tensor.asMutable<float>().begin());
  return builder.create<arith::ConstantOp>(loc, cast<TypedAttr>(Attribute(tensor.toAttr())));
}

Value constant(OpBuilder &builder, Location loc, RankedTensorType type, ArrayRef<int32_t> values) {
  return builder.create<arith::ConstantOp>(loc, DenseElementsAttr::get(type, values));
}

Value transpose(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> shape;
  for (int64_t from : permutation)
    shape.push_back(shapeOf(value)[from]);
  SmallVector<Value> extents;
  for (int64_t from : permutation)
    if (ShapedType::isDynamic(shapeOf(value)[from]))
      extents.push_back(extentOf(builder, loc, value, from));
  Value out = builder.create<tensor::EmptyOp>(loc, shape, elementOf(value), extents);
  return builder.create<linalg::TransposeOp>(loc, value, out, permutation)->getResult(0);
}

Value select(OpBuilder &builder, Location loc, Value value, int64_t axis, ArrayRef<int32_t> indices) {
  ArrayRef<int64_t> shape = shapeOf(value);
  int64_t count = static_cast<int64_t>(indices.size());
  int64_t outer = countElements(shape.take_front(axis)), inner = countElements(shape.drop_front(axis + 1));
  SmallVector<int64_t> result(shape);
  result[axis] = count;
  Value x = reshape(builder, loc, value, {outer, shape[axis], inner});
  Value table = constant(builder, loc, RankedTensorType::get({count}, builder.getI32Type()), indices);
  Value out = emptyTensor(builder, loc, {outer, count, inner}, elementOf(value), x);
  Value gathered = builder.create<kern::GatherOp>(loc, out.getType(), x, table, out)->getResult(0);
  return reshape(builder, loc, gathered, result);
}

BroadcastOperand broadcastOperand(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> resultShape) {
  ArrayRef<int64_t> shape = shapeOf(value);
  int64_t rank = static_cast<int64_t>(resultShape.size()), lead = rank - static_cast<int64_t>(shape.size());
  if (shape == resultShape)
    return {value, builder.getMultiDimIdentityMap(rank)};
  SmallVector<AffineExpr> dims;
  SmallVector<int64_t> kept;
  for (auto [i, extent] : llvm::enumerate(shape)) {
    if (extent == 1)
      continue;
    dims.push_back(builder.getAffineDimExpr(lead + i));
    kept.push_back(extent);
  }
  return {reshape(builder, loc, value, kept), AffineMap::get(rank, 0, dims, builder.getContext())};
}

} // namespace aotc::convert
