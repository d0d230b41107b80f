// Conversions between element types.
#include "frontend/onnx/ConvertElements.h"
#include "frontend/onnx/ElementType.h"
#include "frontend/onnx/OpTable.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

/// ONNX's rule for 8-bit floats: what is too large, infinity too, becomes the largest number. NaN stays.
Value saturated(NodeBuilder &node, Value x, FloatType to) {
  llvm::APFloat largest = llvm::APFloat::getLargest(to.getFloatSemantics());
  bool losesInfo;
  largest.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  Type element = node.typeOf(x).getElementType();
  Value low = node.createScalar(-largest.convertToDouble(), element);
  Value high = node.createScalar(largest.convertToDouble(), element);
  return node.create<nn::MinOp>(node.create<nn::MaxOp>(x, low), high);
}

Value toFloat8(NodeBuilder &node, Value x, FloatType to) {
  if (!isa<FloatType>(node.typeOf(x).getElementType()))
    x = node.create<nn::CastOp>(x, node.getBuilder().getF32Type());
  if (x && node.getBool("saturate", true))
    x = saturated(node, x, to);
  return node.create<nn::CastOp>(x, to);
}

/// The low four bits, which generated code keeps in a byte: of 8-bit u & 15, signed ones less 16 where bit 3 is set.
Value toInt4(NodeBuilder &node, Value x, IntegerType to) {
  OpBuilder &builder = node.getBuilder();
  if (isa<FloatType>(node.typeOf(x).getElementType()))
    x = node.create<nn::CastOp>(x, builder.getI32Type());
  Type byte = builder.getIntegerType(8);
  x = node.create<nn::CastOp>(x, byte);
  x = node.create<nn::AndOp>(x, node.createScalar(15, byte));
  if (!to.isUnsigned()) {
    Value sign = node.create<nn::AndOp>(x, node.createScalar(8, byte));
    x = node.create<nn::SubOp>(x, node.create<nn::AddOp>(sign, sign));
  }
  return node.create<nn::CastOp>(x, to);
}

} // namespace

Value aotc::frontend::convertElements(NodeBuilder &node, Value x, Type to) {
  if (node.failed())
    return {};
  if (node.typeOf(x).getElementType() == to)
    return x;
  if (NodeBuilder::isNarrowFloat(node.typeOf(x).getElementType()) && !to.isF32())
    x = node.widened(x);
  if (auto narrow = dyn_cast<FloatType>(to); narrow && narrow.getWidth() == 8)
    return toFloat8(node, x, narrow);
  if (to.isInteger(4))
    return toInt4(node, x, cast<IntegerType>(to));
  return node.create<nn::CastOp>(x, to);
}

namespace {

void buildCast(NodeBuilder &node) {
  int64_t number = node.getInt("to");
  node.ignoreAttribute("saturate");
  node.ignoreAttribute("round_mode");
  if (node.failed())
    return;
  Type to =
      number >= 0 && number <= INT32_MAX ? mlirElementType(static_cast<int32_t>(number), node.getContext()) : Type();
  if (!to)
    return node.fail("'to' must be an element type that is supported, found " + llvm::Twine(number) + " (" +
                     elementTypeName(static_cast<int32_t>(std::clamp<int64_t>(number, 0, INT32_MAX))) + ")");
  node.setResult(0, convertElements(node, node.getInput(0), to));
}

void buildCastLike(NodeBuilder &node) {
  node.ignoreAttribute("saturate");
  node.ignoreAttribute("round_mode");
  node.setResult(0, convertElements(node, node.getInput(0), node.typeOf(1).getElementType()));
}

} // namespace

void aotc::frontend::addConversionRules(OpTable &table) {
  table.add("Cast", 1, 1, buildCast);
  table.add("CastLike", 2, 2, buildCastLike);
  table.takeNarrowFloats({"Cast", "CastLike"});
}
