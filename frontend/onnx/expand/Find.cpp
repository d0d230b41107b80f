// Operators that find out how much they give.
#include "frontend/onnx/OpTable.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

/// How many elements there are at most. An error where they might be more than 2^31.
int64_t mostElements(NodeBuilder &node, ArrayRef<AffineExpr> extents) {
  int64_t most = node.boundsOf(nn::product(extents, node.getContext())).most;
  if (most > INT32_MAX)
    node.fail("there may be more than 2^31 elements");
  return most;
}

/// The tensor as one of a single dimension where `axis` is left out; the axis to work along.
uint64_t flattenUnlessAxis(NodeBuilder &node, Value &x) {
  if (node.hasAttribute("axis"))
    return static_cast<uint64_t>(node.normalizeAxis(node.getInt("axis"), node.typeOf(x).getRank()));
  x = node.createReshapeTo(x, nn::product(nn::extentsOf(x), node.getContext()));
  return 0;
}

void buildNonzero(NodeBuilder &node) {
  Value x = node.getInput(0);
  if (node.typeOf(x).getRank() == 0) // as in numpy, a scalar has one dimension of one element
    x = node.createReshape(x, {1});
  AffineMap found = node.createFoundDim(mostElements(node, nn::extentsOf(x)));
  node.setResult(0, node.create<nn::NonzeroOp>(x, found));
}

void buildCompress(NodeBuilder &node) {
  Value x = node.getInput(0), condition = node.getInput(1);
  uint64_t axis = flattenUnlessAxis(node, x);
  if (node.failed() || node.typeOf(condition).getRank() != 1)
    return node.fail(node.describeInput(1) + " must be a list, found " + nn::describe(node.typeOf(condition)));
  nn::Interval flags = node.boundsOf(nn::extentsOf(condition)[0]);
  nn::Interval room = node.boundsOf(nn::difference(nn::extentsOf(x)[axis], nn::extentsOf(condition)[0]));
  if (room.least < 0)
    return node.fail(node.describeInput(1) + " must have no more flags than there are slices, found " +
                     nn::describe(condition) + " for " + nn::describe(x));
  node.setResult(0, node.create<nn::CompressOp>(x, condition, axis, node.createFoundDim(flags.most)));
}

void buildUnique(NodeBuilder &node) {
  Value x = node.getInput(0);
  uint64_t axis = flattenUnlessAxis(node, x);
  bool sorted = node.getBool("sorted", true);
  if (node.failed())
    return;
  int64_t most = node.boundsOf(nn::extentsOf(x)[axis]).most;
  node.setResults(node.createAll<nn::UniqueOp>(4, x, axis, sorted, node.createFoundDim(most)));
}

/// One element of an input, or a default.
Value readScalar(NodeBuilder &node, size_t index, double byDefault, Type element) {
  Value value = node.getInput(index);
  if (!value)
    return node.createReshape(node.createScalar(byDefault, element), {1});
  auto type = node.typeOf(value);
  if (!type.hasStaticShape() || type.getNumElements() != 1 || type.getElementType() != element)
    node.fail(node.describeInput(index) + " must be one element, found " + nn::describe(type));
  return node.failed() ? Value() : node.createReshape(value, {1});
}

void buildNonMaxSuppression(NodeBuilder &node) {
  Type real = node.getBuilder().getF32Type();
  Value most = readScalar(node, 2, 0, node.getBuilder().getI64Type());
  Value overlap = readScalar(node, 3, 0, real);
  Value least = readScalar(node, 4, -std::numeric_limits<double>::infinity(), real);
  bool centered = node.getBool("center_point_box", false);
  if (node.failed() || node.typeOf(1).getRank() != 3)
    return node.fail(node.describeInput(1) + " must have three dimensions");
  int64_t found = mostElements(node, node.extentsOf(1)), boxes = node.boundsOf(node.extentsOf(1)[2]).most;
  if (std::optional<nn::HostTensor> known = NodeBuilder::viewConstant(most); known && boxes > 0)
    found = found / boxes * std::clamp<int64_t>(known->toInteger(0), 0, boxes);
  node.setResult(0, node.create<nn::NonMaxSuppressionOp>(node.getInput(0), node.getInput(1), most, overlap, least,
                                                         centered, node.createFoundDim(found)));
}

} // namespace

void aotc::frontend::addFindRules(OpTable &table) {
  table.add("NonZero", 1, 1, buildNonzero);
  table.add("Compress", 2, 2, buildCompress);
  table.add("Unique", 1, 1, buildUnique);
  table.add("NonMaxSuppression", 2, 5, buildNonMaxSuppression, floats);
  table.takeNarrowFloats({"Compress"});
}
