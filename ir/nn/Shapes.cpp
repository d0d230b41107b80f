#include "ir/nn/Shapes.h"

#include "ir/nn/Dialect.h"

#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;

namespace aotc::nn {

std::string describe(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << tensor.getElementType() << " [";
  llvm::interleave(
      tensor.getShape(), os, [&](int64_t extent) { ShapedType::isDynamic(extent) ? os << "?" : os << extent; }, ",");
  os << "]";
  return text;
}

std::string describe(Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.hasStaticShape() || !hasValidExtents(type))
    return describe(type);
  SmallVector<Dim> dims = dimsAround(tensor);
  std::string text;
  llvm::raw_string_ostream os(text);
  os << type.getElementType() << " [";
  llvm::interleave(
      extentsOf(type), os, [&](AffineExpr extent) { os << textOf(extent, dims); }, ",");
  os << "]";
  return text;
}

// Null where they contradict each other. An unknown extent meets itself or 1.
AffineExpr broadcastExtent(AffineExpr x, AffineExpr y) {
  if (x == y || isNumber(y, 1))
    return x;
  return isNumber(x, 1) ? y : AffineExpr();
}

LogicalResult inferBroadcast(std::optional<Location> loc, ValueRange operands, Type element, bool sameElements,
                             SmallVectorImpl<Type> &types) {
  auto first = cast<RankedTensorType>(operands.front().getType());
  Extents shape;
  for (Value operand : operands) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (sameElements && type.getElementType() != first.getElementType())
      return emitOptionalError(loc, "operands must have one element type, found ", first.getElementType(), " and ",
                               type.getElementType());
    if (type.getRank() > static_cast<int64_t>(shape.size()))
      shape.insert(shape.begin(), type.getRank() - shape.size(), getAffineConstantExpr(1, element.getContext()));
    size_t offset = shape.size() - type.getRank();
    for (auto [i, extent] : llvm::enumerate(extentsOf(type))) {
      AffineExpr merged = broadcastExtent(shape[offset + i], extent);
      if (!merged)
        return emitOptionalError(loc, "shapes must broadcast together, found ", describe(operands.front()), " and ",
                                 describe(operand));
      shape[offset + i] = merged;
    }
  }
  types.push_back(tensorOf(shape, element));
  return success();
}

Value reshaped(OpBuilder &builder, Location loc, Value value, ArrayRef<AffineExpr> extents) {
  if (extentsOf(value) == Extents(extents))
    return value;
  return builder.createOrFold<ReshapeOp>(loc, value, shapeOf(extents), mapOf(extents));
}

Value slicedAlong(OpBuilder &builder, Location loc, Value value, size_t axis, int64_t start, int64_t size,
                  int64_t step) {
  Extents sizes = extentsOf(value), both(sizes.size(), builder.getAffineConstantExpr(0));
  SmallVector<int64_t> starts(sizes.size(), 0), steps(sizes.size(), 1);
  starts[axis] = start;
  steps[axis] = step;
  both[axis] = builder.getAffineConstantExpr(start);
  sizes[axis] = builder.getAffineConstantExpr(size);
  llvm::append_range(both, sizes);
  return builder.createOrFold<SliceOp>(loc, value, starts, shapeOf(sizes), steps, mapOf(both));
}

Operation *rebuildOn(OpBuilder &builder, Operation *op, ValueRange operands) {
  SmallVector<Type> types;
  auto inferable = cast<InferTypeOpInterface>(op);
  if (failed(inferable.inferReturnTypes(op->getContext(), op->getLoc(), operands, op->getAttrDictionary(),
                                        op->getPropertiesStorage(), op->getRegions(), types)))
    return nullptr;
  OperationState state(op->getLoc(), op->getName(), operands, types, op->getAttrs());
  return builder.create(state);
}

int64_t permutedAxis(int64_t axis, ArrayRef<int64_t> permutation) {
  return llvm::find(permutation, axis) - permutation.begin();
}

} // namespace aotc::nn
