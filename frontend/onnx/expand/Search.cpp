// Searches: what is largest, and where.
#include "frontend/onnx/OpTable.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

/// Before opset 10, k was an attribute.
void upgradeTopK(NodeBuilder &node) { node.setInput(1, node.createInts({node.getInt("k")})); }

/// How many there are of `length`: a number, or a dim that is found at run time.
AffineExpr readK(NodeBuilder &node, AffineExpr length) {
  auto type = node.typeOf(1);
  if (!type.hasStaticShape() || type.getNumElements() != 1 || !type.getElementType().isInteger(64)) {
    node.fail(node.describeInput(1) + " must be one int64, found " + nn::describe(type));
    return {};
  }
  if (NodeBuilder::getConstant(node.getInput(1)))
    return node.number(node.getConstantInts(1)->front());
  int64_t most = node.boundsOf(length).most;
  return node.createReadExtent(node.getInput(1), length, std::min(node.outputBound(0, most), most));
}

void buildTopK(NodeBuilder &node) {
  int64_t axis = node.normalizeAxis(node.getInt("axis", -1), node.typeOf(0).getRank());
  bool isLargest = node.getBool("largest", true);
  node.ignoreAttribute("sorted"); // any order is allowed where it is 0: theirs is as good as any
  AffineExpr k = node.failed() ? AffineExpr() : readK(node, node.extentsOf(0)[static_cast<size_t>(axis)]);
  if (!node.failed())
    node.setResults(node.createAll<nn::TopKOp>(2, node.getInput(0), nn::shapeOf(k)[0], axis, isLargest, nn::mapOf(k)));
}

template <bool isLargest> void buildArgReduce(NodeBuilder &node) {
  auto x = node.typeOf(0);
  int64_t axis = node.normalizeAxis(node.getInt("axis", 0), x.getRank());
  bool keepDims = node.getBool("keepdims", true), isLast = node.getBool("select_last_index", false);
  Value places = node.create<nn::ArgReduceOp>(node.getInput(0), axis, isLargest, isLast);
  if (!keepDims && !node.failed()) {
    nn::Extents extents = node.extentsOf(0);
    extents.erase(extents.begin() + axis);
    places = node.createReshapeTo(places, extents);
  }
  node.setResult(0, places);
}

} // namespace

void aotc::frontend::addSearchRules(OpTable &table) {
  table.add("ArgMax", 1, 1, buildArgReduce<true>, numbers);
  table.add("ArgMin", 1, 1, buildArgReduce<false>, numbers);
  table.add("TopK", 1, 2, buildTopK, numbers);
  table.addUpgrade("TopK", 10, upgradeTopK);
}
