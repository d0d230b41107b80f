// Pooling with a window, and over a whole map (a reduction); unpooling.
#include "frontend/onnx/AlongAxes.h"
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

/// The window of two spatial dimensions, or of one.
struct Window {
  IntList kernel, strides, pads, dilations;
};

/// That of the dimensions [begin, end).
Window partOf(ArrayRef<int64_t> kernel, const WindowAttributes &window, size_t begin, size_t end) {
  size_t rank = kernel.size();
  Window part;
  for (size_t i = begin; i < end; ++i) {
    part.kernel.push_back(kernel[i]);
    part.strides.push_back(window.strides[i]);
    part.dilations.push_back(window.dilations[i]);
    part.pads.push_back(window.pads[i]);
  }
  for (size_t i = begin; i < end; ++i)
    part.pads.push_back(window.pads[rank + i]);
  return part;
}

int64_t product(ArrayRef<int64_t> extents) {
  return llvm::any_of(extents, ShapedType::isDynamic) ? ShapedType::kDynamic : ShapedType::getNumElements(extents);
}

/// Pools x with pool(image, window, channels last). A window of three or more dimensions is one of the last two, and
/// then one of each other dimension, with all dimensions after it as its channels: maxima of maxima, and averages of
/// averages too, since how many cells count is a product over the dimensions.
template <class Pool>
Value poolByDimensions(NodeBuilder &node, Value x, ArrayRef<int64_t> kernel, const WindowAttributes &window,
                       const Pool &pool) {
  size_t rank = kernel.size();
  if (rank <= 2)
    return pool(x, partOf(kernel, window, 0, rank), false);
  IntList shape(node.typeOf(x).getShape());
  IntList planes{shape[0], product(ArrayRef<int64_t>(shape).slice(1, rank - 1)), shape[rank], shape[rank + 1]};
  x = pool(node.createReshape(x, planes), partOf(kernel, window, rank - 2, rank), false);
  if (node.failed())
    return {};
  shape[rank] = node.typeOf(x).getDimSize(2);
  shape[rank + 1] = node.typeOf(x).getDimSize(3);
  for (size_t axis = rank - 1; axis >= 2; --axis) {
    ArrayRef<int64_t> extents(shape);
    IntList image{product(extents.take_front(axis)), shape[axis], product(extents.drop_front(axis + 1))};
    x = pool(node.createReshape(x, image), partOf(kernel, window, axis - 2, axis - 1), true);
    if (node.failed())
      return {};
    shape[axis] = node.typeOf(x).getDimSize(1);
  }
  return node.createReshape(x, shape);
}

/// Two outputs: the maxima and where they lie.
void buildMaxPoolWithIndices(NodeBuilder &node, ArrayRef<int64_t> kernel, const WindowAttributes &window, bool ceilMode,
                             bool isColumnMajor) {
  node.setResults(node.createAll<nn::MaxPoolIndicesOp>(2, node.getInput(0), kernel, window.strides, window.pads,
                                                       window.dilations, ceilMode, isColumnMajor));
}

void buildMaxPool(NodeBuilder &node) {
  IntList kernel = readKernel(node);
  if (node.failed())
    return;
  WindowAttributes window = readWindow(node, node.typeOf(0).getShape().drop_front(2), kernel);
  checkPads(node, kernel, window);
  bool ceilMode = node.getBool("ceil_mode", false), isColumnMajor = node.getBool("storage_order", false);
  if (node.failed())
    return;
  if (node.wantsResult(1))
    return buildMaxPoolWithIndices(node, kernel, window, ceilMode, isColumnMajor);
  auto pool = [&](Value x, const Window &part, bool channelsLast) {
    return node.create<nn::MaxPoolOp>(x, part.kernel, part.strides, part.pads, part.dilations, ceilMode, channelsLast);
  };
  node.setResult(0, poolByDimensions(node, node.getInput(0), kernel, window, pool));
}

Value averagePool(NodeBuilder &node, Value x, ArrayRef<int64_t> kernel, const WindowAttributes &window, bool ceilMode,
                  bool countIncludePad) {
  auto pool = [&](Value image, const Window &part, bool channelsLast) {
    return node.create<nn::AveragePoolOp>(image, part.kernel, part.strides, part.pads, part.dilations, ceilMode,
                                          countIncludePad, channelsLast);
  };
  return poolByDimensions(node, x, kernel, window, pool);
}

} // namespace

Value aotc::frontend::averagePooled(NodeBuilder &node) {
  IntList kernel = readKernel(node);
  if (node.failed())
    return {};
  WindowAttributes window = readWindow(node, node.typeOf(0).getShape().drop_front(2), kernel);
  checkPads(node, kernel, window);
  bool ceilMode = node.getBool("ceil_mode", false);
  bool countIncludePad = node.getBool("count_include_pad", false);
  return node.failed() ? Value() : averagePool(node, node.getInput(0), kernel, window, ceilMode, countIncludePad);
}

namespace {

void buildAveragePool(NodeBuilder &node) { node.setResult(0, averagePooled(node)); }

// ------------------------------------------------------------------------------------------------------- p-norms
/// base ^ exponent for a whole exponent of at least 1.
Value powerOf(NodeBuilder &node, Value base, int64_t exponent) {
  Value result;
  for (Value square = base; !node.failed(); square = node.create<nn::MulOp>(square, square)) {
    if (exponent % 2 != 0)
      result = result ? node.create<nn::MulOp>(result, square) : square;
    exponent /= 2;
    if (exponent == 0)
      break;
  }
  return result;
}

/// The p-th root of a value that is not negative: square roots where those do it, since they are exact.
Value rootOf(NodeBuilder &node, Value x, int64_t p) {
  for (; p % 2 == 0 && !node.failed(); p /= 2)
    x = node.create<nn::SqrtOp>(x);
  if (p == 1 || node.failed())
    return x;
  Value factor = node.createScalar(1.0 / static_cast<double>(p), node.typeOf(x).getElementType());
  return node.create<nn::ExpOp>(node.create<nn::MulOp>(node.create<nn::LogOp>(x), factor));
}

/// 'p', an integer since opset 2.
int64_t readP(NodeBuilder &node) {
  int64_t p = node.getOpset() < 2 ? static_cast<int64_t>(node.getFloat("p", 2)) : node.getInt("p", 2);
  if (p < 1 || p > 1024)
    node.fail("'p' must lie in 1 … 1024, found " + llvm::Twine(p));
  return p;
}

/// Padding at the end up to where ceil_mode's last window ends: zeros add nothing to a norm.
void padToWindows(NodeBuilder &node, ArrayRef<int64_t> spatial, ArrayRef<int64_t> kernel, WindowAttributes &window) {
  size_t rank = kernel.size();
  for (size_t i = 0; i < rank; ++i) {
    int64_t reach = (kernel[i] - 1) * window.dilations[i] + 1, stride = window.strides[i];
    if (ShapedType::isDynamic(spatial[i]) && stride != 1)
      return node.fail("'ceil_mode' with strides needs spatial extents that are known when compiling");
    if (stride == 1)
      continue;
    int64_t room = spatial[i] + window.pads[i] + window.pads[rank + i] - reach;
    int64_t steps = (room + stride - 1) / stride;
    if (room > 0 && steps * stride < spatial[i] + window.pads[i])
      window.pads[rank + i] += steps * stride - room;
  }
}

/// (sum of |x|^p in the window)^(1/p): the sum is an average over all cells, padding included, times their number.
void buildLpPool(NodeBuilder &node) {
  IntList kernel = readKernel(node);
  int64_t p = readP(node);
  if (node.failed())
    return;
  ArrayRef<int64_t> spatial = node.typeOf(0).getShape().drop_front(2);
  WindowAttributes window = readWindow(node, spatial, kernel);
  if (node.getBool("ceil_mode", false))
    padToWindows(node, spatial, kernel, window);
  Value magnitude = powerOf(node, node.create<nn::AbsOp>(node.getInput(0)), p);
  if (node.failed())
    return;
  Value average = averagePool(node, magnitude, kernel, window, /*ceilMode=*/false, /*countIncludePad=*/true);
  if (node.failed())
    return;
  double cells = static_cast<double>(ShapedType::getNumElements(kernel));
  Value sum = node.create<nn::MulOp>(average, node.createScalar(cells, node.typeOf(0).getElementType()));
  node.setResult(0, node.failed() ? Value() : rootOf(node, sum, p));
}

/// Where MaxPool, which this inverts, had an input of another extent than the window's geometry gives, the difference
/// is zeros at the end.
void buildMaxUnpool(NodeBuilder &node) {
  IntList kernel = readKernel(node);
  if (node.failed())
    return;
  auto x = node.typeOf(0);
  WindowAttributes window = readWindow(node, x.getShape().drop_front(2), kernel);
  IntList shape(x.getShape());
  size_t rank = kernel.size();
  for (size_t i = 0; i < rank; ++i)
    shape[i + 2] = (shape[i + 2] - 1) * window.strides[i] - window.pads[i] - window.pads[rank + i] + kernel[i];
  if (!x.hasStaticShape() || llvm::any_of(shape, [](int64_t extent) { return extent < 0; }))
    return node.fail("the result must have known extents of at least 0, found " + listText(shape));
  Value y = node.create<nn::MaxUnpoolOp>(node.getInput(0), node.getInput(1), shape);
  std::optional<IntList> wanted = node.getConstantInts(2);
  if (node.failed() || !wanted || *wanted == shape)
    return node.setResult(0, y);
  if (wanted->size() != shape.size())
    return node.fail("output_shape must have " + llvm::Twine(shape.size()) + " values, found " + listText(*wanted));
  IntList low(shape.size(), 0), high;
  for (auto [extent, given] : llvm::zip(shape, *wanted))
    high.push_back(given - extent);
  nn::HostTensor zero(RankedTensorType::get({}, x.getElementType()));
  node.setResult(0, node.create<nn::PadOp>(
                        y, low, high, nn::PadMode::Constant,
                        cast<TypedAttr>(cast<DenseElementsAttr>(zero.toAttr()).getSplatValue<mlir::Attribute>())));
}

// ---------------------------------------------------------------------------------------------------- whole maps
/// All dimensions but the first two, kept with extent 1.
void buildGlobal(NodeBuilder &node, nn::ReduceKind kind) {
  int64_t rank = node.typeOf(0).getRank();
  if (rank < 3)
    return node.fail("input must have a rank of at least 3, found " + nn::describe(node.typeOf(0)));
  IntList axes;
  for (int64_t axis = 2; axis < rank; ++axis)
    axes.push_back(axis);
  bool isMean = kind == nn::ReduceKind::Mean;
  node.setResult(0, isMean ? createMean(node, node.getInput(0), axes, /*keepDims=*/true)
                           : node.create<nn::ReduceOp>(node.getInput(0), kind, axes, /*keepdims=*/true));
}

/// (sum of |x|^p)^(1/p).
void buildGlobalLpPool(NodeBuilder &node) {
  int64_t p = readP(node), rank = node.typeOf(0).getRank();
  if (rank < 3)
    return node.fail("input must have a rank of at least 3, found " + nn::describe(node.typeOf(0)));
  IntList axes;
  for (int64_t axis = 2; axis < rank; ++axis)
    axes.push_back(axis);
  Value magnitude = powerOf(node, node.create<nn::AbsOp>(node.getInput(0)), p);
  Value sum = node.create<nn::ReduceOp>(magnitude, nn::ReduceKind::Sum, axes, /*keepdims=*/true);
  node.setResult(0, node.failed() ? Value() : rootOf(node, sum, p));
}

void buildGlobalAveragePool(NodeBuilder &node) { buildGlobal(node, nn::ReduceKind::Mean); }
void buildGlobalMaxPool(NodeBuilder &node) { buildGlobal(node, nn::ReduceKind::Max); }

} // namespace

void aotc::frontend::addPoolingRules(OpTable &table) {
  table.add("MaxPool", 1, 1, buildMaxPool, numbers);
  table.add("AveragePool", 1, 1, buildAveragePool, floats);
  table.add("GlobalAveragePool", 1, 1, buildGlobalAveragePool, floats);
  table.add("GlobalMaxPool", 1, 1, buildGlobalMaxPool, floats);
  table.add("LpPool", 1, 1, buildLpPool, floats);
  table.add("GlobalLpPool", 1, 1, buildGlobalLpPool, floats);
  table.add("MaxUnpool", 2, 3, buildMaxUnpool, floats);
}
