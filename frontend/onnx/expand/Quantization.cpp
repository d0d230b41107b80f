// QuantizeLinear and DequantizeLinear.
#include "frontend/onnx/OpTable.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

struct Grouping {
  int64_t axis = 0, blockSize = 0;
};

/// One scale for all needs no axis, whatever the attribute says.
Grouping readGrouping(NodeBuilder &node) {
  Grouping grouping;
  auto scale = node.typeOf(1);
  int64_t axis = node.getInt("axis", 1);
  grouping.blockSize = node.getInt("block_size", 0);
  if (grouping.blockSize < 0 || grouping.blockSize > INT32_MAX)
    node.fail("'block_size' must be at least 0 and less than 2^31, found " + llvm::Twine(grouping.blockSize));
  auto isOne = [&](RankedTensorType type) { return type.hasStaticShape() && type.getNumElements() == 1; };
  bool isSingle = isOne(scale) && grouping.blockSize == 0;
  if (!isSingle)
    grouping.axis = node.normalizeAxis(axis, node.typeOf(0).getRank());
  Value zeroPoint = node.getInput(2);
  bool agree = !zeroPoint || node.typeOf(zeroPoint).getShape() == scale.getShape() ||
               (isOne(scale) && isOne(node.typeOf(zeroPoint)));
  if (!agree)
    node.fail("scale and zero point must have one shape, found " + nn::describe(scale) + " and " +
              nn::describe(zeroPoint.getType()));
  if (!isa<FloatType>(scale.getElementType()))
    node.fail(node.describeInput(1) + " must be a float, found " + nn::describe(scale));
  return grouping;
}

bool isQuantized(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  return (integer && integer.getWidth() > 1 && integer.getWidth() <= 32) ||
         (isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8);
}

void buildDequantize(NodeBuilder &node) {
  Type element = node.typeOf(0).getElementType();
  Grouping grouping = readGrouping(node);
  if (int64_t wanted = node.getInt("output_dtype", 0);
      wanted != 0 &&
      mlirElementType(static_cast<int32_t>(wanted), node.getContext()) != node.typeOf(1).getElementType())
    return node.fail("'output_dtype' must be the type of the scale");
  if (Value zeroPoint = node.getInput(2); zeroPoint && node.typeOf(zeroPoint).getElementType() != element)
    return node.fail("the zero point must have the input's type " + nn::describe(node.typeOf(0)) + ", found " +
                     nn::describe(zeroPoint.getType()));
  if (!isQuantized(element))
    return node.fail("input must be quantized, found " + nn::describe(node.typeOf(0)));
  node.setResult(0, node.create<nn::DequantizeOp>(node.getInput(0), node.getInput(1), node.getInput(2),
                                                  static_cast<uint64_t>(grouping.axis),
                                                  static_cast<uint64_t>(grouping.blockSize)));
}

void buildQuantize(NodeBuilder &node) {
  Grouping grouping = readGrouping(node);
  node.ignoreAttribute("saturate");
  node.ignoreAttribute("precision");
  Type to = node.getBuilder().getIntegerType(8, /*isSigned=*/false);
  int64_t wanted = node.getInt("output_dtype", 0);
  if (wanted > 0 && wanted <= INT32_MAX)
    to = mlirElementType(static_cast<int32_t>(wanted), node.getContext());
  if (Value zeroPoint = node.getInput(2)) {
    Type element = node.typeOf(zeroPoint).getElementType();
    if (wanted != 0 && element != to)
      return node.fail("'output_dtype' must be the type of the zero point " + nn::describe(zeroPoint.getType()));
    to = element;
  }
  if (!to || !isQuantized(to))
    return node.fail("the result must be of a quantized type");
  node.setResult(0, node.create<nn::QuantizeOp>(node.getInput(0), node.getInput(1), node.getInput(2),
                                                static_cast<uint64_t>(grouping.axis),
                                                static_cast<uint64_t>(grouping.blockSize), to));
}

} // namespace

void aotc::frontend::addQuantizationRules(OpTable &table) {
  table.add("DequantizeLinear", 2, 3, buildDequantize);
  table.add("QuantizeLinear", 2, 3, buildQuantize, floats | signedInts);
}
