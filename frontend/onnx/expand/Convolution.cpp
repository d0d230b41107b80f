// Conv: kernel_shape checked against the weights, auto_pad resolved into pads. CausalConvWithState: a convolution over
// what came before.
#include "frontend/onnx/Spatial.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

void buildConv(NodeBuilder &node) {
  ConvolutionAttributes conv = readConvolution(node, node.typeOf(0), node.typeOf(1));
  node.setResult(0, node.create<nn::ConvOp>(node.getInput(0), node.getInput(1), node.getInput(2), conv.strides,
                                            conv.pads, conv.dilations, static_cast<uint64_t>(conv.group),
                                            /*channels_last=*/false));
}

/// (x [N, C, length], weights [C, 1, k], bias, the last k - 1 values of before): a convolution per channel that looks
/// back only. The second output is the last k - 1 values seen.
void buildCausalConv(NodeBuilder &node) {
  Value x = node.getInput(0), past = node.getInput(3);
  auto type = node.typeOf(0), weights = node.typeOf(1);
  std::string activation = node.getString("activation", "none");
  if (type.getRank() != 3 || !type.hasStaticShape() || weights.getRank() != 3 || !weights.hasStaticShape() ||
      weights.getDimSize(2) < 1)
    return node.fail("input and weights must have a rank of 3 and extents that are known when compiling, found " +
                     nn::describe(node.getInput(0)) + " and " + nn::describe(node.getInput(1)));
  if (activation != "none" && activation != "silu" && activation != "swish")
    return node.fail("'activation' must be none, silu or swish, found " + quoted(activation));
  int64_t channels = type.getDimSize(1), length = type.getDimSize(2), before = weights.getDimSize(2) - 1;
  IntList stateShape{type.getDimSize(0), channels, before}, zeros{0, 0, length}, ones{1, 1, 1};
  if (!past)
    past = node.createSplat(0, type.clone(stateShape));
  else if (node.typeOf(past).getShape() != ArrayRef<int64_t>(stateShape))
    return node.fail(node.describeInput(3) + " must have the shape " + listText(stateShape) + ", found " +
                     nn::describe(past.getType()));
  Value whole = node.create<nn::ConcatOp>(ValueRange{past, x}, 2);
  IntList one{1}, noPads{0, 0};
  Value y = node.create<nn::ConvOp>(whole, node.getInput(1), node.getInput(2), one, noPads, one,
                                    static_cast<uint64_t>(channels), /*channels_last=*/false);
  node.setResult(0, activation == "none" ? y : node.create<nn::SiluOp>(y));
  if (node.wantsResult(1))
    node.setResult(1, node.createSlice(whole, zeros, stateShape, ones));
}

} // namespace

void aotc::frontend::addConvolutionRules(OpTable &table) {
  table.add("Conv", 2, 3, buildConv, floats);
  table.add("CausalConvWithState", 2, 4, buildCausalConv, floats);
}
