// Strides, dilations and padding of windows.
#include "frontend/onnx/Spatial.h"

#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using llvm::Twine;
namespace nn = aotc::nn;

namespace {

// Products of two of these do not overflow.
constexpr int64_t largestEntry = INT32_MAX;

/// The end of the range of entries that `value` lies beyond.
std::string rangeText(int64_t value, int64_t least) {
  return value < least ? "at least " + std::to_string(least) : "less than 2^31";
}

IntList readList(NodeBuilder &node, llvm::StringRef name, size_t count, int64_t byDefault, int64_t least) {
  IntList values = node.getInts(name).value_or(IntList(count, byDefault));
  if (values.size() != count)
    node.fail(quoted(name) + " must have " + Twine(count) + " values, found " + Twine(values.size()));
  for (int64_t value : values)
    if (value < least || value > largestEntry)
      node.fail(quoted(name) + " must be " + rangeText(value, least) + ", found " + Twine(value));
  return values;
}

/// SAME_UPPER and SAME_LOWER: ceil(input / stride) results; an odd cell of padding goes to the end or to the beginning.
IntList samePads(NodeBuilder &node, llvm::ArrayRef<int64_t> spatial, llvm::ArrayRef<int64_t> kernel,
                 const WindowAttributes &window, bool lower) {
  size_t rank = spatial.size();
  IntList pads(2 * rank, 0);
  for (size_t i = 0; i < rank; ++i) {
    bool isOpen = mlir::ShapedType::isDynamic(spatial[i]);
    if (isOpen && window.strides[i] != 1) {
      node.fail("'auto_pad' with strides needs spatial extents that are known when compiling");
      return pads;
    }
    int64_t extent = isOpen ? 0 : spatial[i]; // the padding is the same for all extents where the stride is 1
    int64_t results = (extent + window.strides[i] - 1) / window.strides[i];
    int64_t reach = (kernel[i] - 1) * window.dilations[i] + 1;
    int64_t total = std::max<int64_t>(0, (results - 1) * window.strides[i] + reach - extent);
    pads[i] = lower ? total - total / 2 : total / 2;
    pads[rank + i] = total - pads[i];
  }
  return pads;
}

} // namespace

WindowAttributes aotc::frontend::readWindow(NodeBuilder &node, llvm::ArrayRef<int64_t> spatial,
                                            llvm::ArrayRef<int64_t> kernel) {
  WindowAttributes window;
  size_t rank = spatial.size();
  for (int64_t extent : kernel)
    if (extent < 1 || extent > largestEntry)
      node.fail("'kernel_shape' must be " + rangeText(extent, 1) + ", found " + Twine(extent));
  window.strides = readList(node, "strides", rank, 1, 1);
  window.dilations = readList(node, "dilations", rank, 1, 1);
  std::string automatic = node.getString("auto_pad", "NOTSET");
  if (automatic == "NOTSET" || automatic.empty()) {
    window.pads = readList(node, "pads", 2 * rank, 0, 0);
    return window;
  }
  node.ignoreAttribute("pads");
  window.pads.assign(2 * rank, 0);
  bool isSame = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  if (!isSame && automatic != "VALID")
    node.fail("'auto_pad' must be NOTSET, VALID, SAME_UPPER or SAME_LOWER, found " + quoted(automatic));
  if (isSame && !node.failed())
    window.pads = samePads(node, spatial, kernel, window, automatic == "SAME_LOWER");
  return window;
}

ConvolutionAttributes aotc::frontend::readConvolution(NodeBuilder &node, mlir::RankedTensorType x,
                                                      mlir::RankedTensorType weights) {
  ConvolutionAttributes result;
  if (x.getRank() < 3 || weights.getRank() != x.getRank()) {
    node.fail("input and weights must have one rank of at least 3, found " + nn::describe(x) + " and " +
              nn::describe(weights));
    return result;
  }
  if (!weights.hasStaticShape()) {
    node.fail("the weights' extents must be known when compiling, found " + nn::describe(weights));
    return result;
  }
  llvm::ArrayRef<int64_t> kernel = weights.getShape().drop_front(2);
  if (auto declared = node.getInts("kernel_shape"); declared && llvm::ArrayRef<int64_t>(*declared) != kernel)
    node.fail("'kernel_shape' must be that of the weights " + nn::describe(weights) + ", found " + listText(*declared));
  static_cast<WindowAttributes &>(result) = readWindow(node, x.getShape().drop_front(2), kernel);
  result.group = node.getInt("group", 1);
  if (result.group < 1)
    node.fail("'group' must be at least 1, found " + Twine(result.group));
  if (result.group > INT32_MAX)
    node.fail("'group' must be a number of channels, found " + Twine(result.group));
  return result;
}

std::string aotc::frontend::listText(llvm::ArrayRef<int64_t> values) {
  std::string text = "[";
  for (size_t i = 0; i < values.size(); ++i)
    text += (i ? "," : "") + std::to_string(values[i]);
  return text + "]";
}
