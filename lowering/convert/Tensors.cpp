// Small builders shared by the families: destinations, reshapes, constants, broadcasts.
#include "ir/kern/Dialect.h"
#include "ir/nn/HostTensor.h"
#include "ir/nn/Scalar.h"
#include "ir/nn/Shapes.h"
#include "lowering/convert/Convert.h"
#include "lowering/convert/Extents.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/DialectResourceBlobManager.h"

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

Value createDestination(OpBuilder &builder, Location loc, ArrayRef<AffineExpr> extents, Type element) {
  return builder.create<tensor::EmptyOp>(loc, nn::shapeOf(extents), element, buildUnknown(builder, loc, extents));
}

Value createDestination(OpBuilder &builder, Location loc, RankedTensorType onnxType) {
  return createDestination(builder, loc, nn::extentsOf(onnxType), scalar::signless(onnxType.getElementType()));
}

// A constant keeps its bytes (and its resource) under the new shape.
static Value reshapedConstant(OpBuilder &builder, Location loc, arith::ConstantOp op, RankedTensorType type) {
  Attribute value = op.getValue();
  if (auto resource = dyn_cast<DenseResourceElementsAttr>(value))
    return builder.create<arith::ConstantOp>(loc, DenseResourceElementsAttr::get(type, resource.getRawHandle()));
  return builder.create<arith::ConstantOp>(loc, cast<DenseElementsAttr>(value).reshape(type));
}

// Groups of dimensions of `wide`, one for each of `narrow`, whose products are those; nothing where there are none.
static std::optional<SmallVector<ReassociationIndices>> groupsOf(ArrayRef<AffineExpr> wide,
                                                                 ArrayRef<AffineExpr> narrow) {
  SmallVector<ReassociationIndices> groups;
  size_t next = 0;
  for (AffineExpr merged : narrow) {
    AffineExpr product;
    groups.emplace_back();
    do {
      if (next == wide.size())
        return std::nullopt;
      product = product ? nn::product(product, wide[next]) : wide[next];
      groups.back().push_back(static_cast<int64_t>(next++));
    } while (product != merged);
  }
  for (; next < wide.size(); ++next) {
    if (!nn::isNumber(wide[next], 1))
      return std::nullopt;
    if (!groups.empty())
      groups.back().push_back(static_cast<int64_t>(next));
  }
  return groups;
}

static std::optional<SmallVector<ReassociationIndices>>
reshapeGroups(RankedTensorType from, RankedTensorType to, ArrayRef<AffineExpr> source, ArrayRef<AffineExpr> result) {
  if (from.hasStaticShape() && to.hasStaticShape())
    return getReassociationIndicesForReshape(from, to);
  if (source.size() == result.size())
    return std::nullopt;
  return source.size() > result.size() ? groupsOf(source, result) : groupsOf(result, source);
}

// The finest shape that both merge into, without unit dimensions: [3, 2, 8] and [1, 6, 8] meet in [6, 8]. Where an
// extent is unknown, its neighbours merge until products are equal.
static Extents meetingShape(ArrayRef<AffineExpr> x, ArrayRef<AffineExpr> y, MLIRContext *context) {
  AffineExpr one = getAffineConstantExpr(1, context), fromX = one, fromY = one;
  Extents met;
  while (!x.empty() || !y.empty()) {
    std::optional<int64_t> left = nn::numberOf(fromX), right = nn::numberOf(fromY);
    bool takesX = y.empty() || (!x.empty() && (left && right ? *left <= *right : x.size() >= y.size()));
    ArrayRef<AffineExpr> &behind = takesX ? x : y;
    AffineExpr &side = takesX ? fromX : fromY;
    side = nn::product(side, behind.front());
    behind = behind.drop_front();
    if (fromX != fromY)
      continue;
    if (!nn::isNumber(fromX, 1))
      met.push_back(fromX);
    fromX = fromY = one;
  }
  assert(fromX == fromY && "both have as many elements");
  return met;
}

LogicalResult checkStatic(Operation *op) {
  for (Value operand : op->getOperands())
    if (!cast<RankedTensorType>(operand.getType()).hasStaticShape())
      return op->emitError("all extents must be known, found a bounded dim in ") << nn::describe(operand.getType());
  return success();
}

Value reshapeTo(OpBuilder &builder, Location loc, Value value, ArrayRef<AffineExpr> extents) {
  auto from = cast<RankedTensorType>(value.getType());
  auto to = RankedTensorType::get(nn::shapeOf(extents), from.getElementType());
  Extents source = extentsOf(value);
  if (source == Extents(extents))
    return value;
  if (auto op = value.getDefiningOp<arith::ConstantOp>())
    return reshapedConstant(builder, loc, op, to);
  // No elements in another shape: nothing is passed on, and extents around a 0 form no groups.
  if (llvm::is_contained(to.getShape(), 0))
    return createDestination(builder, loc, extents, from.getElementType());
  if (auto groups = reshapeGroups(from, to, source, extents)) {
    if (from.getRank() > to.getRank())
      return builder.create<tensor::CollapseShapeOp>(loc, to, value, *groups);
    return builder.create<tensor::ExpandShapeOp>(loc, to, value, *groups, buildMixed(builder, loc, extents));
  }
  Extents met = meetingShape(source, extents, builder.getContext());
  return reshapeTo(builder, loc, reshapeTo(builder, loc, value, met), extents);
}

Value reshape(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> shape) {
  Extents extents = nn::extentsOf(shape, {}, builder.getContext());
  AffineExpr rest = nn::product(extentsOf(value), builder.getContext());
  for (AffineExpr extent : extents)
    if (extent)
      rest = nn::exactQuotient(rest, extent);
  std::replace(extents.begin(), extents.end(), AffineExpr(), rest);
  return reshapeTo(builder, loc, value, extents);
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
  Extents extents = nn::permuted<AffineExpr>(extentsOf(value), permutation);
  Value out = createDestination(builder, loc, extents, elementOf(value));
  return builder.create<linalg::TransposeOp>(loc, value, out, permutation)->getResult(0);
}

Value select(OpBuilder &builder, Location loc, Value value, int64_t axis, ArrayRef<int32_t> indices) {
  int64_t count = static_cast<int64_t>(indices.size());
  Value table = constant(builder, loc, RankedTensorType::get({count}, builder.getI32Type()), indices);
  return gather(builder, loc, value, axis, table);
}

Extents runAround(ArrayRef<AffineExpr> extents, int64_t first, int64_t count) {
  MLIRContext *context = extents.front().getContext();
  auto begin = static_cast<size_t>(first), length = static_cast<size_t>(count);
  return {nn::product(extents.take_front(begin), context), nn::product(extents.slice(begin, length), context),
          nn::product(extents.drop_front(begin + length), context)};
}

Value gather(OpBuilder &builder, Location loc, Value value, int64_t axis, Value indices) {
  Extents from = extentsOf(value), run = runAround(from, axis, 1), places = extentsOf(indices);
  Extents result(ArrayRef<AffineExpr>(from).take_front(static_cast<size_t>(axis)));
  llvm::append_range(result, places);
  llvm::append_range(result, ArrayRef<AffineExpr>(from).drop_front(static_cast<size_t>(axis) + 1));
  AffineExpr count = nn::product(places, builder.getContext());
  Value x = reshapeTo(builder, loc, value, run), list = reshapeTo(builder, loc, indices, count);
  Value out = createDestination(builder, loc, {run[0], count, run[2]}, elementOf(value));
  Value gathered = builder.create<kern::GatherOp>(loc, out.getType(), x, list, out)->getResult(0);
  return reshapeTo(builder, loc, gathered, result);
}

BroadcastOperand broadcastOperand(OpBuilder &builder, Location loc, Value value, ArrayRef<int64_t> resultShape) {
  ArrayRef<int64_t> shape = shapeOf(value);
  int64_t rank = static_cast<int64_t>(resultShape.size()), lead = rank - static_cast<int64_t>(shape.size());
  if (shape == resultShape)
    return {value, builder.getMultiDimIdentityMap(rank)};
  SmallVector<AffineExpr> dims;
  Extents kept;
  for (auto [i, extent] : llvm::enumerate(extentsOf(value))) {
    if (nn::isNumber(extent, 1))
      continue;
    dims.push_back(builder.getAffineDimExpr(lead + i));
    kept.push_back(extent);
  }
  return {reshapeTo(builder, loc, value, kept), AffineMap::get(rank, 0, dims, builder.getContext())};
}

} // namespace aotc::convert
