// Constants, and values that follow from shapes alone.
#include "frontend/onnx/OpTable.h"
#include "frontend/onnx/Spatial.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

Value createFloats(NodeBuilder &node, ArrayRef<float> values, bool isScalar) {
  auto count = static_cast<int64_t>(values.size());
  auto type =
      RankedTensorType::get(isScalar ? ArrayRef<int64_t>() : ArrayRef<int64_t>(count), node.getBuilder().getF32Type());
  return node.createConstant(DenseElementsAttr::get(type, values));
}

Value createInts(NodeBuilder &node, ArrayRef<int64_t> values, bool isScalar) {
  auto count = static_cast<int64_t>(values.size());
  auto type =
      RankedTensorType::get(isScalar ? ArrayRef<int64_t>() : ArrayRef<int64_t>(count), node.getBuilder().getI64Type());
  return node.createConstant(DenseElementsAttr::get(type, values));
}

void buildConstant(NodeBuilder &node) {
  if (node.getNode().attributes.size() != 1)
    return node.fail("exactly one attribute must give the value, found " +
                     llvm::Twine(node.getNode().attributes.size()));
  if (node.hasAttribute("value"))
    return node.setResult(0, node.createConstant(node.getTensor("value")));
  if (node.hasAttribute("value_float"))
    return node.setResult(0, createFloats(node, {node.getFloat("value_float", 0)}, true));
  if (node.hasAttribute("value_int"))
    return node.setResult(0, createInts(node, {node.getInt("value_int", 0)}, true));
  if (auto values = node.getFloats("value_floats"))
    return node.setResult(0, createFloats(node, *values, false));
  if (auto values = node.getInts("value_ints"))
    return node.setResult(0, createInts(node, *values, false));
  if (node.hasAttribute("value_string") || node.hasAttribute("value_strings"))
    return node.fail("strings are not supported");
  if (node.hasAttribute("sparse_value"))
    return node.fail("sparse tensors are not supported");
}

void buildConstantOfShape(NodeBuilder &node) {
  std::optional<nn::Extents> extents = node.getExtents(0);
  if (!extents)
    return;
  IntList shape(nn::shapeOf(*extents));
  bool isOpen = llvm::any_of(shape, ShapedType::isDynamic);
  if (!isOpen && !elementCount(shape))
    return node.fail("the shape must be of fewer than 2^31 elements, found " + listText(shape));
  auto value = DenseElementsAttr::get(RankedTensorType::get({}, node.getBuilder().getF32Type()), 0.0F);
  if (node.hasAttribute("value"))
    value = dyn_cast_or_null<DenseElementsAttr>(node.getTensor("value"));
  if (node.failed())
    return;
  if (!value || value.getNumElements() != 1)
    return node.fail("'value' must have one element");
  auto resized = [&](ArrayRef<int64_t> to) {
    return node.createConstant(value.resizeSplat(RankedTensorType::get(to, value.getElementType())));
  };
  node.setResult(0, isOpen ? node.createExpand(resized({}), *extents) : resized(shape));
}

void buildShape(NodeBuilder &node) {
  int64_t rank = node.typeOf(0).getRank();
  auto bound = [&](llvm::StringRef name, int64_t byDefault) {
    int64_t value = std::clamp(node.getInt(name, byDefault), -rank, rank);
    return value < 0 ? value + rank : value;
  };
  int64_t start = bound("start", 0), end = bound("end", rank);
  auto first = static_cast<size_t>(start), count = static_cast<size_t>(std::max(start, end) - start);
  nn::Extents extents = node.extentsOf(0);
  node.setResult(0, node.createExtents(ArrayRef<AffineExpr>(extents).slice(first, count)));
}

void buildSize(NodeBuilder &node) {
  Value count = node.createExtents(nn::product(node.extentsOf(0), node.getContext()));
  node.setResult(0, node.createReshape(count, ArrayRef<int64_t>()));
}

} // namespace

void aotc::frontend::addConstantRules(OpTable &table) {
  table.add("Constant", 0, 0, buildConstant);
  table.add("ConstantOfShape", 1, 1, buildConstantOfShape, ints);
  table.add("Shape", 1, 1, buildShape);
  table.add("Size", 1, 1, buildSize);
  table.takeNarrowFloats({"Constant", "ConstantOfShape", "Shape", "Size"});
}
