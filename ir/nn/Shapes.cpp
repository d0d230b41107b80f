#include "ir/nn/Shapes.h"

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

// The extent of two broadcast together, or nothing where they contradict each other. A bounded extent meets itself
// or 1.
static std::optional<int64_t> broadcastExtent(int64_t x, int64_t y) {
  if (x == y || y == 1)
    return x;
  if (x == 1)
    return y;
  return std::nullopt;
}

LogicalResult inferBroadcast(std::optional<Location> loc, ValueRange operands, Type element, bool sameElements,
                             SmallVectorImpl<Type> &types) {
  auto first = cast<RankedTensorType>(operands.front().getType());
  SmallVector<int64_t> shape;
  for (Value operand : operands) {
    auto type = cast<RankedTensorType>(operand.getType());
    if (sameElements && type.getElementType() != first.getElementType())
      return emitOptionalError(loc, "operands must have one element type, found ", first.getElementType(), " and ",
                               type.getElementType());
    if (type.getRank() > static_cast<int64_t>(shape.size()))
      shape.insert(shape.begin(), type.getRank() - shape.size(), 1);
    size_t offset = shape.size() - type.getRank();
    for (auto [i, extent] : llvm::enumerate(type.getShape())) {
      std::optional<int64_t> merged = broadcastExtent(shape[offset + i], extent);
      if (!merged)
        return emitOptionalError(loc, "shapes must broadcast together, found ", describe(first), " and ",
                                 describe(type));
      shape[offset + i] = *merged;
    }
  }
  types.push_back(RankedTensorType::get(shape, element));
  return success();
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
