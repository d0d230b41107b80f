// ConvTranspose as a convolution of stride 1 whose results are interleaved: with stride s, the results q * s + r for
// one r are a convolution of their own, with every s-th tap of the window, in reverse. All s of them are one
// convolution of s times as many filters; what it gives is spread over the s places.
//
//   stride 2, taps a b c d, x0 x1:       r = 0: [c a]    results of x0 x1 with padding: q0 = a x0
//                                        r = 1: [d b]    q1 = c x0 + a x1, …
//
// Dilated windows of a stride above 1 are written out with zeros first.
#include "frontend/onnx/Spatial.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

/// Per spatial dimension. All but the size is the same for any extent of the input.
struct Geometry {
  int64_t stride = 1, dilation = 1;
  int64_t taps = 1;   ///< of each of the `stride` convolutions
  int64_t before = 0; ///< padding of the input
  int64_t after = 0;
  int64_t cut = 0; ///< results to drop at the beginning
  AffineExpr size;
};

struct Transposed {
  Value x, weights, bias;
  int64_t group = 1, filters = 1; ///< filters of one group
  IntList kernel;                 ///< with written-out dilation
  llvm::SmallVector<Geometry, 3> dims;
};

int64_t floorDiv(int64_t a, int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

IntList readExtra(NodeBuilder &node, llvm::StringRef name, size_t rank) {
  IntList values = node.getInts(name).value_or(IntList(rank, 0));
  if (name == "output_shape" && values.size() == rank + 2) // batch and channels too, as some exporters have it
    values.erase(values.begin(), values.begin() + 2);
  if (values.size() != rank)
    node.fail(quoted(name) + " must have " + llvm::Twine(rank) + " values, found " + llvm::Twine(values.size()));
  for (int64_t value : values)
    if (value < 0 || value > INT32_MAX)
      node.fail(quoted(name) + " must be at least 0, found " + listText(values));
  return values;
}

/// The first result that is kept, of those without padding, and how many more than `stride` for each input are.
struct Crop {
  int64_t begin, surplus;
};

/// Padding cuts results off; where the result's extent is given, padding follows from it. An odd cell of that is cut at
/// the end for SAME_UPPER, at the beginning otherwise. Both numbers are what is more than `stride` for each input.
Crop cropOf(int64_t whole, int64_t wanted, llvm::StringRef automatic) {
  int64_t total = whole - wanted;
  int64_t half = floorDiv(total, 2);
  return {automatic == "SAME_UPPER" ? half : total - half, wanted};
}

/// The geometry of one dimension, of a window that spans `kernel` results.
Geometry geometryOf(AffineExpr extent, int64_t kernel, int64_t stride, int64_t dilation, Crop crop) {
  Geometry dim;
  dim.stride = stride;
  dim.dilation = dilation;
  dim.taps = stride == 1 ? kernel : (kernel + stride - 1) / stride;
  int64_t reach = (dim.taps - 1) * (stride == 1 ? dilation : 1);
  // Results are computed in blocks of `stride`: those in front of the first wanted one are left out.
  int64_t first = std::min(floorDiv(crop.begin, stride), reach);
  int64_t end = floorDiv(crop.begin + crop.surplus + stride - 1, stride); // behind as many blocks as there are inputs
  dim.before = reach - first;
  dim.after = std::max<int64_t>(0, end - first + reach - dim.before);
  dim.cut = crop.begin - first * stride;
  dim.size = nn::sum(nn::simplified(extent * stride), crop.surplus);
  return dim;
}

/// Reads the attributes. Errors are the node's.
Transposed read(NodeBuilder &node) {
  Transposed op{node.getInput(0), node.getInput(1), node.getInput(2), 1, 1, {}, {}};
  auto x = node.typeOf(0), weights = node.typeOf(1);
  op.group = node.getInt("group", 1);
  size_t rank = static_cast<size_t>(std::max<int64_t>(x.getRank(), 2)) - 2;
  if (rank < 1 || weights.getRank() != x.getRank() || !weights.hasStaticShape() || x.isDynamicDim(1))
    node.fail("input and weights must have one rank of at least 3, and channels and weights known extents, found " +
              nn::describe(x) + " and " + nn::describe(weights));
  else if (op.group < 1 || x.getDimSize(1) != weights.getDimSize(0) || x.getDimSize(1) % op.group != 0)
    node.fail("'group' must be at least 1 and divide the input's channels, which are the weights' first dimension, "
              "found group " +
              llvm::Twine(op.group) + ", " + nn::describe(x) + " and " + nn::describe(weights));
  if (node.failed())
    return op;
  op.filters = weights.getDimSize(1);
  ArrayRef<int64_t> kernel = weights.getShape().drop_front(2), spatial = x.getShape().drop_front(2);
  if (auto declared = node.getInts("kernel_shape"); declared && ArrayRef<int64_t>(*declared) != kernel)
    node.fail("'kernel_shape' must be that of the weights " + nn::describe(weights) + ", found " + listText(*declared));
  WindowAttributes window = readWindow(node, IntList(rank, 1), kernel); // what auto_pad makes of extents is not used
  std::string automatic = node.getString("auto_pad", "NOTSET");
  IntList extra = readExtra(node, "output_padding", rank), sizes = readExtra(node, "output_shape", rank);
  bool isGiven = node.hasAttribute("output_shape"), isSame = automatic == "SAME_UPPER" || automatic == "SAME_LOWER";
  nn::Extents extents = nn::extentsOf(x);
  for (size_t i = 0; i < rank && !node.failed(); ++i) {
    int64_t span = (kernel[i] - 1) * window.dilations[i] + 1, stride = window.strides[i];
    int64_t whole = span + extra[i] - stride;
    Crop crop{window.pads[i], whole - window.pads[i] - window.pads[rank + i]};
    if (isGiven && ShapedType::isDynamic(spatial[i]))
      node.fail("'output_shape' needs spatial extents that are known when compiling");
    else if (isGiven || isSame)
      crop = cropOf(whole, isGiven ? sizes[i] - spatial[i] * stride : 0, automatic);
    op.kernel.push_back(stride == 1 ? kernel[i] : span);
    op.dims.push_back(geometryOf(extents[i + 2], op.kernel.back(), stride, window.dilations[i], crop));
    nn::Interval bounds = node.boundsOf(op.dims.back().size);
    if (bounds.least < 0 || bounds.most > INT32_MAX)
      node.fail("'pads' cut more than there is of the result, found " + listText(window.pads));
  }
  return op;
}

Value zeroPad(NodeBuilder &node, Value x, size_t dim, int64_t after) {
  if (after == 0 || node.failed())
    return x;
  IntList low(static_cast<size_t>(node.typeOf(x).getRank()), 0), high = low;
  high[dim] = after;
  Type element = node.typeOf(x).getElementType();
  return node.create<nn::PadOp>(x, low, high, nn::PadMode::Constant,
                                cast<TypedAttr>(Attribute(FloatAttr::get(element, 0.0))));
}

/// The weights with zeros between their taps.
Value writeOutDilation(NodeBuilder &node, const Transposed &op, Value weights) {
  for (auto [i, dim] : llvm::enumerate(op.dims)) {
    if (dim.stride == 1 || dim.dilation == 1 || node.failed())
      continue;
    size_t axis = i + 2;
    IntList shape(node.typeOf(weights).getShape()), split = shape, merged = shape;
    split.insert(split.begin() + static_cast<ptrdiff_t>(axis) + 1, 1);
    Value spread = zeroPad(node, node.createReshape(weights, split), axis + 1, dim.dilation - 1);
    merged[axis] = shape[axis] * dim.dilation;
    spread = node.createReshape(spread, merged);
    merged[axis] = op.kernel[i];
    IntList starts(shape.size(), 0), steps(shape.size(), 1);
    weights = node.createSlice(spread, starts, merged, steps);
  }
  return weights;
}

/// [C, filters, kernel…] as the weights [group * strides… * filters, C / group, taps…] of the convolution.
Value convolutionWeights(NodeBuilder &node, const Transposed &op) {
  Value weights = writeOutDilation(node, op, op.weights);
  size_t rank = op.dims.size();
  int64_t channels = node.typeOf(op.weights).getDimSize(0) / op.group;
  IntList split{op.group, channels, op.filters}, order{0}, starts{0, 0, 0}, steps{1, 1, 1};
  IntList shape{op.group * op.filters, channels};
  for (auto [i, dim] : llvm::enumerate(op.dims)) {
    weights = zeroPad(node, weights, i + 2, dim.taps * dim.stride - op.kernel[i]);
    split.append({dim.taps, dim.stride});
    starts.append({dim.taps - 1, 0}); // the taps in reverse
    steps.append({-1, 1});
    order.push_back(static_cast<int64_t>(4 + 2 * i));
    shape[0] *= dim.stride;
    shape.push_back(dim.taps);
  }
  order.append({2, 1});
  for (size_t i = 0; i < rank; ++i)
    order.push_back(static_cast<int64_t>(3 + 2 * i));
  if (node.failed())
    return {};
  Value reversed = node.createSlice(node.createReshape(weights, split), starts, split, steps);
  Value ordered = node.failed() ? Value() : node.createTranspose(reversed, order);
  return node.failed() ? Value() : node.createReshape(ordered, shape);
}

/// The bias of each group's filters, for each of the interleaved convolutions.
Value convolutionBias(NodeBuilder &node, const Transposed &op, int64_t phases) {
  if (!op.bias || node.failed())
    return {};
  if (node.typeOf(op.bias).getShape() != ArrayRef<int64_t>{op.group * op.filters}) {
    node.fail("bias must have the shape [" + llvm::Twine(op.group * op.filters) + "], found " +
              nn::describe(op.bias.getType()));
    return {};
  }
  Value column = node.createReshape(op.bias, {op.group, 1, op.filters});
  Value repeated = node.createExpand(column, IntList{op.group, phases, op.filters});
  return node.failed() ? Value() : node.createReshape(repeated, {op.group * phases * op.filters});
}

/// Spreads [N, group * strides… * filters, q…] to [N, q * stride…, group * filters], channels last: so images stay.
Value interleave(NodeBuilder &node, const Transposed &op, Value y) {
  nn::Extents found = nn::extentsOf(node.typeOf(y));
  int64_t rank = static_cast<int64_t>(op.dims.size());
  nn::Extents split{found[0], node.number(op.group)}, shape{found[0]};
  IntList order{0};
  for (auto [i, dim] : llvm::enumerate(op.dims)) {
    split.push_back(node.number(dim.stride));
    order.append({3 + rank + static_cast<int64_t>(i), 2 + static_cast<int64_t>(i)});
    shape.push_back(nn::simplified(found[i + 2] * dim.stride));
  }
  split.push_back(node.number(op.filters));
  llvm::append_range(split, llvm::drop_begin(found, 2));
  order.append({1, 2 + rank});
  shape.push_back(node.number(op.group * op.filters));
  Value parted = node.createReshapeTo(y, split);
  Value ordered = node.failed() ? Value() : node.createTranspose(parted, order);
  return node.failed() ? Value() : node.createReshapeTo(ordered, shape);
}

/// Drops what was computed beyond the wanted results; `first` is the first spatial dimension.
Value crop(NodeBuilder &node, const Transposed &op, Value y, size_t first) {
  nn::Extents shape = nn::extentsOf(node.typeOf(y)), starts(shape.size(), node.number(0)), sizes = shape;
  for (auto [i, dim] : llvm::enumerate(op.dims)) {
    starts[first + i] = node.number(dim.cut);
    sizes[first + i] = dim.size;
  }
  return sizes == shape ? y : node.createSlice(y, starts, sizes, IntList(shape.size(), 1));
}

void buildConvTranspose(NodeBuilder &node) {
  Transposed op = read(node);
  if (node.failed())
    return;
  size_t rank = op.dims.size();
  IntList strides(rank, 1), dilations, pads(2 * rank);
  int64_t phases = 1;
  for (auto [i, dim] : llvm::enumerate(op.dims)) {
    dilations.push_back(dim.stride == 1 ? dim.dilation : 1);
    pads[i] = dim.before;
    pads[rank + i] = dim.after;
    phases = std::min(phases * dim.stride, int64_t(1) << 31);
  }
  constexpr int64_t mostPhases = 4096; // as many times more filters: none of any network in use has strides like that
  if (phases > mostPhases)
    return node.fail("'strides' whose product is at most " + llvm::Twine(mostPhases) + " are supported, found " +
                     llvm::Twine(phases));
  Value weights = convolutionWeights(node, op), bias = convolutionBias(node, op, phases);
  Value y = node.create<nn::ConvOp>(op.x, weights, bias, strides, pads, dilations, static_cast<uint64_t>(op.group),
                                    /*channels_last=*/false);
  if (!y)
    return;
  if (phases == 1)
    return node.setResult(0, crop(node, op, y, 2));
  Value image = interleave(node, op, y);
  image = node.failed() ? Value() : crop(node, op, image, 1);
  IntList toPlanar{0, static_cast<int64_t>(rank) + 1};
  for (size_t i = 0; i < rank; ++i)
    toPlanar.push_back(static_cast<int64_t>(i) + 1);
  if (!node.failed())
    node.setResult(0, node.createTranspose(image, toPlanar));
}

} // namespace

void aotc::frontend::addTransposedConvolutionRules(OpTable &table) {
  table.add("ConvTranspose", 2, 3, buildConvTranspose, floats);
}
