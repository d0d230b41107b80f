// Shared steps of quantized operators; see the header.
#include "frontend/onnx/Quantized.h"

#include "ir/nn/ConstantFolding.h"
#include "ir/nn/Shapes.h"

using namespace mlir;
namespace nn = aotc::nn;

namespace aotc::frontend {

bool isByte(Type element) { return isa<IntegerType>(element) && element.getIntOrFloatBitWidth() == 8; }

static bool isSingle(RankedTensorType type) { return type.hasStaticShape() && type.getNumElements() == 1; }

ElementsAttr knownElements(Value value) {
  auto dequantize = value ? value.getDefiningOp<nn::DequantizeOp>() : nn::DequantizeOp();
  if (!dequantize)
    return NodeBuilder::getConstant(value);
  std::optional<nn::HostTensor> real = nn::dequantized(dequantize);
  return real ? real->toAttr() : ElementsAttr();
}

Value scalarInput(NodeBuilder &node, size_t index) {
  Value value = node.getInput(index);
  if (!value)
    node.fail("input " + llvm::Twine(index) + " is missing");
  else if (!isSingle(node.typeOf(value)))
    node.fail(node.describeInput(index) + " must have one element, found " + nn::describe(value.getType()));
  return node.failed() ? Value() : node.createReshape(value, {});
}

Value scalarZeroPoint(NodeBuilder &node, size_t index, Type element) {
  if (node.failed())
    return {};
  if (!node.getInput(index))
    return node.createScalar(0, element);
  if (node.typeOf(index).getElementType() != element)
    node.fail(node.describeInput(index) + " must be of the type of what it is the zero point of, " +
              nn::describe(RankedTensorType::get({}, element)) + ", found " + nn::describe(node.typeOf(index)));
  return scalarInput(node, index);
}

Value dequantized(NodeBuilder &node, Value x, Value scale, Value zeroPoint) {
  return node.create<nn::DequantizeOp>(x, scale, zeroPoint, /*axis=*/0, /*block_size=*/0);
}

Value quantized(NodeBuilder &node, Value real, Value scale, Value zeroPoint) {
  if (node.failed())
    return {};
  return node.create<nn::QuantizeOp>(real, scale, zeroPoint, /*axis=*/0, /*block_size=*/0,
                                     node.typeOf(zeroPoint).getElementType());
}

Value rounded(NodeBuilder &node, Value real, Value zeroPoint, Type to) {
  Value one = node.createScalar(1, node.getBuilder().getF32Type());
  return node.create<nn::QuantizeOp>(real, one, zeroPoint, /*axis=*/0, /*block_size=*/0, to);
}

Value scaledSums(NodeBuilder &node, Value sums, Value scale) {
  Value real = node.create<nn::CastOp>(sums, node.getBuilder().getF32Type());
  Value scaled = node.create<nn::MulOp>(real, scale);
  if (scaled && scaled.getType() != real.getType())
    node.fail("the scales must broadcast to " + nn::describe(real.getType()) + ", found " +
              nn::describe(scale.getType()));
  return scaled;
}

Value requantized(NodeBuilder &node, Value sums, Value scale, Value zeroPoint, Type to) {
  return rounded(node, scaledSums(node, sums, scale), zeroPoint, to);
}

DynamicallyQuantized dynamicallyQuantized(NodeBuilder &node, Value x) {
  if (node.failed())
    return {};
  Value elements = node.typeOf(x).getRank() == 0 ? node.createReshape(x, {1}) : x;
  llvm::SmallVector<Value> found = node.createAll<nn::DynamicScaleOp>(2, elements);
  if (node.failed())
    return {};
  Value scale = found[0], zeroPoint = found[1];
  return {quantized(node, x, scale, zeroPoint), scale, zeroPoint};
}

namespace {

/// An operand of a product and its zero point in the form that the op takes.
struct Operand {
  Value value, zeroPoint;
};

/// The zero point as a vector where it is one for all, or one for each row or column of the last two dimensions; null
/// elsewhere. `dim`, 1 or 2, is where rows or columns stand, counted from the end.
Value zeroVector(NodeBuilder &node, Value value, Value zeroPoint, size_t dim) {
  auto type = node.typeOf(value), zero = node.typeOf(zeroPoint);
  if (isSingle(zero))
    return node.createReshape(zeroPoint, {1});
  if (type.getRank() < 2)
    return {};
  int64_t count = type.getShape()[type.getShape().size() - dim];
  if (zero.getRank() == 1)
    return zero.getDimSize(0) == count ? zeroPoint : Value();
  bool varies = llvm::any_of(zero.getShape().drop_back(2), [](int64_t extent) { return extent != 1; });
  ArrayRef<int64_t> last = zero.getShape().take_back(2);
  bool isVector = last[2 - dim] == count && last[dim - 1] == 1;
  return isVector && !varies && !ShapedType::isDynamic(count) ? node.createReshape(zeroPoint, {count}) : Value();
}

/// A zero point that varies otherwise is taken off before.
Operand operandOf(NodeBuilder &node, Value value, Value zeroPoint, size_t dim) {
  Type element = node.typeOf(value).getElementType(), i32 = node.getBuilder().getI32Type();
  if (!zeroPoint)
    return {value, node.createConstant(nn::HostTensor(RankedTensorType::get({1}, element)).toAttr())};
  if (node.typeOf(zeroPoint).getElementType() != element) {
    node.fail("a zero point must be of its operand's type, found " + nn::describe(zeroPoint.getType()) + " for " +
              nn::describe(value.getType()));
    return {};
  }
  if (Value vector = zeroVector(node, value, zeroPoint, dim))
    return {value, vector};
  if (node.failed())
    return {};
  Value difference =
      node.create<nn::SubOp>(node.create<nn::CastOp>(value, i32), node.create<nn::CastOp>(zeroPoint, i32));
  if (difference && node.typeOf(difference).getShape() != node.typeOf(value).getShape())
    node.fail("a zero point must broadcast to its operand, found " + nn::describe(zeroPoint.getType()) + " for " +
              nn::describe(value.getType()));
  return {difference, node.createConstant(nn::HostTensor(RankedTensorType::get({1}, i32)).toAttr())};
}

} // namespace

Value integerProduct(NodeBuilder &node, Value a, Value b, Value aZeroPoint, Value bZeroPoint) {
  if (node.failed())
    return {};
  Operand left = operandOf(node, a, aZeroPoint, 2), right = operandOf(node, b, bZeroPoint, 1);
  return node.create<nn::IntegerMatMulOp>(left.value, right.value, left.zeroPoint, right.zeroPoint);
}

Value perRow(NodeBuilder &node, Value value) {
  if (node.failed())
    return {};
  auto type = node.typeOf(value);
  if (isSingle(type))
    return node.createReshape(value, {});
  return type.getRank() == 1 ? node.createReshape(value, {type.getDimSize(0), 1}) : value;
}

} // namespace aotc::frontend
