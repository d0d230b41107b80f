// Conv: kernel_shape checked against the weights, auto_pad resolved into pads.
#include "frontend/onnx/Spatial.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

void buildConv(NodeBuilder &node) {
  auto x = node.typeOf(0), weights = node.typeOf(1);
  if (x.getRank() < 3 || weights.getRank() != x.getRank())
    return node.fail("input and weights must have one rank of at least 3, found " + nn::describe(x) + " and " +
                     nn::describe(weights));
  ArrayRef<int64_t> kernel = weights.getShape().drop_front(2);
  if (auto declared = node.getInts("kernel_shape"); declared && ArrayRef<int64_t>(*declared) != kernel)
    return node.fail("'kernel_shape' must be that of the weights " + nn::describe(weights) + ", found " +
                     listText(*declared));
  WindowAttributes window = readWindow(node, x.getShape().drop_front(2), kernel);
  int64_t group = node.getInt("group", 1);
  if (group < 1)
    return node.fail("'group' must be at least 1, found " + llvm::Twine(group));
  if (group > INT32_MAX)
    return node.fail("'group' must be a number of channels, found " + llvm::Twine(group));
  node.setResult(0, node.create<nn::ConvOp>(node.getInput(0), node.getInput(1), node.getInput(2), window.strides,
                                            window.pads, window.dilations, static_cast<uint64_t>(group),
                                            /*channels_last=*/false));
}

} // namespace

void aotc::frontend::addConvolutionRules(OpTable &table) { table.add("Conv", 2, 3, buildConv, floats); }
