// QuantizeLinear, DequantizeLinear and DynamicQuantizeLinear.
#include "frontend/onnx/ConvertElements.h"
#include "frontend/onnx/Quantized.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

/// One scale and zero point for all, for each index of `axis`, or for each `blockSize` indices of it (0: no blocks).
struct Grouping {
  bool isSingle = false;
  int64_t axis = 0, blockSize = 0;
};

/// What is computed with: zeroPoint may be null.
struct Operands {
  Value x, scale, zeroPoint;
};

bool isFloat8(Type element) { return isa<FloatType>(element) && element.getIntOrFloatBitWidth() == 8; }

/// ONNX quantizes to at most 16 bits, and sums of products are of 32.
bool isQuantized(Type element) {
  auto integer = dyn_cast<IntegerType>(element);
  bool isNarrow = integer && integer.getWidth() > 1 && integer.getWidth() <= 16;
  return isNarrow || element.isSignlessInteger(32) || isFloat8(element);
}

bool isOne(RankedTensorType type) { return type.hasStaticShape() && type.getNumElements() == 1; }

// ------------------------------------------------------------------------------------------------------ grouping
/// The scale's shape that blocks ask for: x's, but for the axis.
void checkBlocks(NodeBuilder &node, const Grouping &grouping) {
  auto x = node.typeOf(0), scale = node.typeOf(1);
  int64_t extent = x.getDimSize(grouping.axis);
  if (ShapedType::isDynamic(extent))
    return node.fail("blocks need an extent of the axis that is known when compiling, found " + nn::describe(x));
  IntList expected(x.getShape());
  expected[static_cast<size_t>(grouping.axis)] = llvm::divideCeil(extent, grouping.blockSize);
  if (scale.getShape() != ArrayRef<int64_t>(expected))
    node.fail("scale must have shape " + nn::describe(scale.clone(expected)) + ", found " + nn::describe(scale));
}

/// One scale for all needs no axis, whatever the attribute says.
Grouping readGrouping(NodeBuilder &node) {
  Grouping grouping;
  auto scale = node.typeOf(1);
  int64_t axis = node.getInt("axis", 1);
  grouping.blockSize = node.getInt("block_size", 0);
  if (grouping.blockSize < 0 || grouping.blockSize > INT32_MAX)
    node.fail("'block_size' must be at least 0 and less than 2^31, found " + llvm::Twine(grouping.blockSize));
  grouping.isSingle = isOne(scale) && grouping.blockSize == 0;
  if (!grouping.isSingle)
    grouping.axis = node.normalizeAxis(axis, node.typeOf(0).getRank());
  Value zeroPoint = node.getInput(2);
  bool agree = !zeroPoint || node.typeOf(zeroPoint).getShape() == scale.getShape() ||
               (isOne(scale) && isOne(node.typeOf(zeroPoint)));
  if (!agree)
    node.fail("scale and zero point must have one shape, found " + nn::describe(scale) + " and " +
              nn::describe(zeroPoint.getType()));
  if (!grouping.isSingle && grouping.blockSize == 0 && scale.getRank() != 1)
    node.fail(node.describeInput(1) + " must have one dimension, or one element, found " + nn::describe(scale));
  Type element = scale.getElementType();
  if (!isa<FloatType>(element) || isFloat8(element) || element.isF64())
    node.fail(node.describeInput(1) + " must be of float, float16 or bfloat16, found " + nn::describe(scale));
  if (grouping.blockSize > 0 && !node.failed())
    checkBlocks(node, grouping);
  return grouping;
}

/// The part of `value` from `begin` on, `extent` long, along `axis`.
Value slice(NodeBuilder &node, Value value, int64_t axis, int64_t begin, int64_t extent) {
  return value ? node.createSliceAlong(value, static_cast<size_t>(axis), begin, extent) : value;
}

Operands slice(NodeBuilder &node, const Operands &all, int64_t axis, int64_t begin, int64_t end, int64_t blockSize) {
  int64_t block = begin / blockSize, blocks = llvm::divideCeil(end - begin, blockSize);
  return {slice(node, all.x, axis, begin, end - begin), slice(node, all.scale, axis, block, blocks),
          slice(node, all.zeroPoint, axis, block, blocks)};
}

/// compute(operands) where scale and zero point broadcast to x: the axis becomes [blocks, size of a block].
template <class Compute>
Value onWholeBlocks(NodeBuilder &node, const Operands &all, int64_t axis, int64_t blockSize, const Compute &compute) {
  if (node.failed())
    return {};
  IntList shape(node.typeOf(all.x).getShape()), split(shape), each(shape);
  split[static_cast<size_t>(axis)] /= blockSize;
  each[static_cast<size_t>(axis)] /= blockSize;
  split.insert(split.begin() + axis + 1, blockSize);
  each.insert(each.begin() + axis + 1, 1);
  Value zeroPoint = all.zeroPoint ? node.createReshape(all.zeroPoint, each) : Value();
  Value result = compute(Operands{node.createReshape(all.x, split), node.createReshape(all.scale, each), zeroPoint});
  return node.failed() ? Value() : node.createReshape(result, shape);
}

/// The same with a last block that may be smaller.
template <class Compute>
Value onBlocks(NodeBuilder &node, const Operands &all, const Grouping &grouping, const Compute &compute) {
  int64_t axis = grouping.axis, blockSize = grouping.blockSize;
  int64_t extent = node.typeOf(all.x).getDimSize(axis), whole = extent / blockSize * blockSize;
  if (whole == extent)
    return onWholeBlocks(node, all, axis, blockSize, compute);
  if (!node.typeOf(all.x).hasStaticShape()) {
    node.fail("blocks that do not divide the axis need known extents, found " + nn::describe(all.x.getType()));
    return {};
  }
  Value rest = compute(slice(node, all, axis, whole, extent, blockSize));
  if (whole == 0 || node.failed())
    return rest;
  Value first = onWholeBlocks(node, slice(node, all, axis, 0, whole, blockSize), axis, blockSize, compute);
  return node.create<nn::ConcatOp>(ValueRange{first, rest}, static_cast<uint64_t>(axis));
}

/// Scale or zero point for each index of the axis, such that it broadcasts to x.
Value alongAxis(NodeBuilder &node, Value value, const Grouping &grouping, int64_t rank) {
  if (!value || node.failed() || grouping.isSingle || node.typeOf(value).getRank() != 1)
    return value;
  IntList shape(static_cast<size_t>(rank - grouping.axis), 1);
  shape[0] = node.typeOf(value).getDimSize(0);
  return node.createReshape(value, shape);
}

// ---------------------------------------------------------------------------------------------------- dequantizing
/// ONNX knows no zero point of 8-bit floats but 0.
void checkZero(NodeBuilder &node, Value zeroPoint) {
  if (!zeroPoint)
    return;
  std::optional<nn::HostTensor> values = NodeBuilder::viewConstant(zeroPoint);
  for (int64_t i = 0; values && i < values->size(); ++i)
    if (values->toDouble(i) != 0)
      return node.fail("zero points of 8-bit floats must be 0");
}

Value dequantizedFloat8(NodeBuilder &node, const Operands &operands, const Grouping &grouping) {
  Value real = node.create<nn::CastOp>(operands.x, node.getBuilder().getF32Type());
  if (node.failed())
    return {};
  return node.create<nn::MulOp>(real, alongAxis(node, operands.scale, grouping, node.typeOf(real).getRank()));
}

/// f32. Blocks stay blocks where everything is constant, and becomes the real values when compiling.
Value dequantized(NodeBuilder &node, const Operands &operands, const Grouping &grouping) {
  auto axis = static_cast<uint64_t>(grouping.axis), blockSize = static_cast<uint64_t>(grouping.blockSize);
  auto isConstant = [](Value value) { return !value || NodeBuilder::getConstant(value); };
  if (isConstant(operands.x) && isConstant(operands.scale) && isConstant(operands.zeroPoint))
    return node.create<nn::DequantizeOp>(operands.x, operands.scale, operands.zeroPoint, axis, blockSize);
  auto compute = [&](const Operands &each) -> Value {
    if (isFloat8(node.typeOf(operands.x).getElementType()))
      return dequantizedFloat8(node, each, grouping);
    return node.create<nn::DequantizeOp>(each.x, each.scale, each.zeroPoint, axis, 0);
  };
  return grouping.blockSize > 0 ? onBlocks(node, operands, grouping, compute) : compute(operands);
}

/// The type that 'output_dtype' names; null where it is left out.
Type readOutputType(NodeBuilder &node) {
  int64_t wanted = node.getInt("output_dtype", 0);
  if (wanted == 0)
    return {};
  Type type =
      wanted > 0 && wanted <= INT32_MAX ? mlirElementType(static_cast<int32_t>(wanted), node.getContext()) : Type();
  if (!type)
    node.fail("'output_dtype' must be an element type that is supported, found " + llvm::Twine(wanted));
  return type;
}

void buildDequantize(NodeBuilder &node) {
  Type element = node.typeOf(0).getElementType();
  Grouping grouping = readGrouping(node);
  Type to = readOutputType(node);
  if (node.failed())
    return;
  if (!to)
    to = node.typeOf(1).getElementType();
  if (!isa<FloatType>(to) || isFloat8(to) || to.isF64())
    return node.fail("'output_dtype' must be float, float16 or bfloat16");
  if (Value zeroPoint = node.getInput(2); zeroPoint && node.typeOf(zeroPoint).getElementType() != element)
    return node.fail("the zero point must have the input's type " + nn::describe(node.typeOf(0)) + ", found " +
                     nn::describe(zeroPoint.getType()));
  if (!isQuantized(element))
    return node.fail("input must be quantized, found " + nn::describe(node.typeOf(0)));
  Operands operands{node.getInput(0), node.widened(node.getInput(1)), node.getInput(2)};
  if (isFloat8(element)) {
    checkZero(node, operands.zeroPoint);
    operands.zeroPoint = {};
  }
  if (!node.failed())
    node.setResult(0, convertElements(node, dequantized(node, operands, grouping), to));
}

// ------------------------------------------------------------------------------------------------------ quantizing
/// What the quotient is rounded to before it is rounded to an integer; null for f32. Before opset 23 that was left
/// open.
FloatType readPrecision(NodeBuilder &node) {
  int64_t number = node.getInt("precision", 0);
  Type type = node.getOpset() >= 23 ? node.typeOf(1).getElementType() : node.getBuilder().getF32Type();
  if (number != 0)
    type =
        number > 0 && number <= INT32_MAX ? mlirElementType(static_cast<int32_t>(number), node.getContext()) : Type();
  auto precision = dyn_cast_or_null<FloatType>(type);
  if (!precision || precision.getWidth() == 8 || precision.isF64()) {
    node.fail("'precision' must be float, float16 or bfloat16, found " + llvm::Twine(number));
    return {};
  }
  return precision.isF32() ? FloatType() : precision;
}

/// The type of the result: that of the zero point, else what 'output_dtype' says.
Type readQuantizedType(NodeBuilder &node) {
  Type wanted = readOutputType(node);
  if (node.failed())
    return {};
  Type to = wanted ? wanted : node.getBuilder().getIntegerType(8, /*isSigned=*/false);
  if (Value zeroPoint = node.getInput(2)) {
    Type element = node.typeOf(zeroPoint).getElementType();
    if (wanted && element != wanted)
      node.fail("'output_dtype' must be the type of the zero point " + nn::describe(zeroPoint.getType()));
    to = element;
  }
  if (!isQuantized(to) || to.getIntOrFloatBitWidth() > 16)
    node.fail("the result must be of an integer of 4, 8 or 16 bits or of an 8-bit float");
  return to;
}

/// x / scale, rounded.
Value quotient(NodeBuilder &node, const Operands &operands, const Grouping &grouping, FloatType precision) {
  if (node.failed())
    return {};
  Value scale = alongAxis(node, operands.scale, grouping, node.typeOf(operands.x).getRank());
  Value result = node.create<nn::DivOp>(operands.x, scale);
  return precision ? node.create<nn::RoundToOp>(result, precision) : result;
}

void buildQuantize(NodeBuilder &node) {
  Grouping grouping = readGrouping(node);
  Type to = readQuantizedType(node);
  FloatType precision = readPrecision(node);
  if (node.failed())
    return;
  auto axis = static_cast<uint64_t>(grouping.axis);
  auto compute = [&](const Operands &each) -> Value {
    if (isFloat8(to)) // the zero point gives the type only
      return convertElements(node, quotient(node, each, grouping, precision), to);
    if (!precision)
      return node.create<nn::QuantizeOp>(each.x, each.scale, each.zeroPoint, axis, 0, to);
    Value real = quotient(node, each, grouping, precision);
    if (node.failed())
      return {};
    return rounded(node, real, alongAxis(node, each.zeroPoint, grouping, node.typeOf(real).getRank()), to);
  };
  node.ignoreAttribute("saturate"); // of 8-bit floats only
  Type element = node.typeOf(0).getElementType();
  if (element.isF64() || isFloat8(element) || (isa<IntegerType>(element) && !element.isSignlessInteger(32)))
    return node.fail(node.describeInput(0) + " must be of float, float16, bfloat16 or int32, found " +
                     nn::describe(node.typeOf(0)));
  Operands operands{node.widened(node.getInput(0)), node.widened(node.getInput(1)), node.getInput(2)};
  if (isa<IntegerType>(element))
    operands.x = node.create<nn::CastOp>(operands.x, node.getBuilder().getF32Type());
  if (!node.failed())
    node.setResult(0, grouping.blockSize > 0 ? onBlocks(node, operands, grouping, compute) : compute(operands));
}

void buildDynamicQuantize(NodeBuilder &node) {
  Value x = node.getInput(0);
  if (!node.typeOf(x).getElementType().isF32())
    return node.fail(node.describeInput(0) + " must be of float, found " + nn::describe(x.getType()));
  DynamicallyQuantized result = dynamicallyQuantized(node, x);
  node.setResults({result.x, result.scale, result.zeroPoint});
}

} // namespace

void aotc::frontend::addQuantizationRules(OpTable &table) {
  table.add("DequantizeLinear", 2, 3, buildDequantize);
  table.add("QuantizeLinear", 2, 3, buildQuantize, floats | signedInts);
  table.add("DynamicQuantizeLinear", 1, 1, buildDynamicQuantize, floats);
  table.add("com.microsoft.DequantizeLinear", 2, 3, buildDequantize);
  table.add("com.microsoft.QuantizeLinear", 2, 3, buildQuantize, floats | signedInts);
  table.takeNarrowFloats(
      {"DequantizeLinear", "QuantizeLinear", "com.microsoft.DequantizeLinear", "com.microsoft.QuantizeLinear"});
}
