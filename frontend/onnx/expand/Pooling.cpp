// Pooling with a window, and over a whole map (a reduction).
#include "frontend/onnx/Spatial.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

/// The window's extents; empty after an error.
IntList readKernel(NodeBuilder &node) {
  auto x = node.typeOf(0);
  if (x.getRank() < 3) {
    node.fail("input must have a rank of at least 3, found " + nn::describe(x));
    return {};
  }
  std::optional<IntList> kernel = node.getInts("kernel_shape");
  size_t rank = static_cast<size_t>(x.getRank()) - 2;
  if (!kernel)
    node.fail("attribute 'kernel_shape' is missing");
  else if (kernel->size() != rank)
    node.fail("'kernel_shape' must have " + llvm::Twine(rank) + " values, found " + llvm::Twine(kernel->size()));
  return node.failed() ? IntList() : *kernel;
}

/// A window that lies in the padding altogether has no maximum and no average.
void checkPads(NodeBuilder &node, ArrayRef<int64_t> kernel, const WindowAttributes &window) {
  for (size_t i = 0; !node.failed() && i < window.pads.size(); ++i) {
    size_t axis = i % kernel.size();
    int64_t reach = (kernel[axis] - 1) * window.dilations[axis] + 1;
    if (window.pads[i] >= reach)
      node.fail("'pads' must be smaller than the window, found " + listText(window.pads) + " for a window of " +
                listText(kernel));
  }
}

void buildMaxPool(NodeBuilder &node) {
  IntList kernel = readKernel(node);
  if (node.failed())
    return;
  WindowAttributes window = readWindow(node, node.typeOf(0).getShape().drop_front(2), kernel);
  checkPads(node, kernel, window);
  bool ceilMode = node.getBool("ceil_mode", false);
  node.ignoreAttribute("storage_order"); // of the indices, which are the second output
  node.setResult(0, node.create<nn::MaxPoolOp>(node.getInput(0), kernel, window.strides, window.pads, window.dilations,
                                               ceilMode, /*channels_last=*/false));
}

void buildAveragePool(NodeBuilder &node) {
  IntList kernel = readKernel(node);
  if (node.failed())
    return;
  WindowAttributes window = readWindow(node, node.typeOf(0).getShape().drop_front(2), kernel);
  checkPads(node, kernel, window);
  bool ceilMode = node.getBool("ceil_mode", false);
  bool countIncludePad = node.getBool("count_include_pad", false);
  node.setResult(0, node.create<nn::AveragePoolOp>(node.getInput(0), kernel, window.strides, window.pads,
                                                   window.dilations, ceilMode, countIncludePad,
                                                   /*channels_last=*/false));
}

/// All dimensions but the first two, kept with extent 1.
void buildGlobal(NodeBuilder &node, nn::ReduceKind kind) {
  int64_t rank = node.typeOf(0).getRank();
  if (rank < 3)
    return node.fail("input must have a rank of at least 3, found " + nn::describe(node.typeOf(0)));
  IntList axes;
  for (int64_t axis = 2; axis < rank; ++axis)
    axes.push_back(axis);
  node.setResult(0, node.create<nn::ReduceOp>(node.getInput(0), kind, axes, /*keepdims=*/true));
}

void buildGlobalAveragePool(NodeBuilder &node) { buildGlobal(node, nn::ReduceKind::Mean); }
void buildGlobalMaxPool(NodeBuilder &node) { buildGlobal(node, nn::ReduceKind::Max); }

} // namespace

void aotc::frontend::addPoolingRules(OpTable &table) {
  table.add("MaxPool", 1, 1, buildMaxPool, numbers);
  table.add("AveragePool", 1, 1, buildAveragePool, floats);
  table.add("GlobalAveragePool", 1, 1, buildGlobalAveragePool, floats);
  table.add("GlobalMaxPool", 1, 1, buildGlobalMaxPool, floats);
}
