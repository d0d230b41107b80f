// Images cut to size, put together from blocks, and the places at which they are sampled.
#include "frontend/onnx/OpTable.h"
#include "frontend/onnx/Parts.h"
#include "frontend/onnx/Spatial.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
using llvm::ArrayRef;
using llvm::StringRef;
using llvm::Twine;
namespace nn = aotc::nn;

namespace {

/// What is too long loses its ends, what is too short gets zeros around it; the odd one of both is at the end.
void buildCenterCropPad(NodeBuilder &node) {
  Value x = node.getInput(0);
  auto type = node.typeOf(x);
  std::optional<IntList> wanted = node.getConstantInts(1);
  IntList axes;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    axes.push_back(axis);
  axes = node.getInts("axes").value_or(axes);
  node.normalizeAxes(axes, type.getRank());
  if (node.failed() || !wanted || wanted->size() != axes.size())
    return node.fail("an extent is needed for each of " + Twine(axes.size()) + " axes");
  IntList low(static_cast<size_t>(type.getRank()), 0), high = low;
  for (auto [named, extent] : llvm::zip_equal(axes, *wanted)) {
    int64_t axis = node.normalizeAxis(named, type.getRank()), found = type.getShape()[axis];
    if (extent < 0 || extent > INT32_MAX || ShapedType::isDynamic(found))
      return node.fail("extents must be known when compiling and lie in 0 … 2^31 - 1, found " + Twine(extent) +
                       " for " + nn::describe(type));
    if (extent < found) {
      int64_t begin = (found - extent) / 2;
      x = createPart(node, x, axis, begin, begin + extent);
    } else {
      low[axis] = (extent - found) / 2;
      high[axis] = extent - found - low[axis];
    }
  }
  if (llvm::any_of(high, [](int64_t count) { return count > 0; }) && !node.failed())
    x = node.create<nn::PadOp>(x, low, high, nn::PadMode::Constant,
                               cast<TypedAttr>(node.getBuilder().getZeroAttr(type.getElementType())));
  node.setResult(0, x);
}

/// A list of `count` values of at least `least`; `byDefault` for each where the attribute is missing.
IntList readSteps(NodeBuilder &node, StringRef name, size_t count, int64_t byDefault, int64_t least) {
  IntList list = node.getInts(name).value_or(IntList(count, byDefault));
  auto isGood = [&](int64_t value) { return value >= least && value <= INT32_MAX; };
  if (list.size() != count || !llvm::all_of(list, isGood))
    node.fail(quoted(name) + " must have " + Twine(count) + " values of at least " + Twine(least) + ", found " +
              listText(list));
  list.resize(count, byDefault);
  return list;
}

void buildCol2Im(NodeBuilder &node) {
  IntList image = node.getConstantInts(1).value_or(IntList()), block = node.getConstantInts(2).value_or(IntList());
  size_t rank = image.size();
  auto isGood = [](int64_t extent) { return extent >= 1 && extent <= INT32_MAX; };
  if (!node.failed() && (rank < 1 || block.size() != rank || !llvm::all_of(image, isGood) ||
                         !llvm::all_of(block, isGood) || !elementCount(image) || !elementCount(block)))
    node.fail("image and block must have an extent of at least 1 for each dimension, found " + listText(image) +
              " and " + listText(block));
  IntList strides = readSteps(node, "strides", rank, 1, 1), dilations = readSteps(node, "dilations", rank, 1, 1);
  IntList pads = readSteps(node, "pads", 2 * rank, 0, 0);
  for (size_t d = 0; d < rank && !node.failed(); ++d)
    if (image[d] + pads[d] + pads[d + rank] > INT32_MAX || dilations[d] * (block[d] - 1) >= INT32_MAX)
      node.fail("images with their padding and blocks must be smaller than 2^31");
  if (!node.failed())
    node.setResult(0, node.create<nn::Col2ImOp>(node.getInput(0), image, block, strides, dilations, pads));
}

/// `count` places between -1 and 1: the centres of pixels whose outer edges those are, or whose outer centres.
Value createPlaces(NodeBuilder &node, int64_t count, bool areCentres, ArrayRef<int64_t> shape, Type element) {
  nn::HostTensor places(RankedTensorType::get(shape, element));
  for (int64_t i = 0; i < count; ++i) {
    double at = static_cast<double>(2 * i + 1) / static_cast<double>(count) - 1;
    if (areCentres)
      at = count == 1 ? 1 : static_cast<double>(2 * i) / static_cast<double>(count - 1) - 1;
    places.set(i, at);
  }
  return node.createConstant(places.toAttr());
}

/// theta [N, r, r + 1] ==> [N, spatial..., r]: the last column, and the others times the places along each dimension,
/// the last one first.
void buildAffineGrid(NodeBuilder &node) {
  auto type = node.typeOf(0);
  std::optional<IntList> size = node.getConstantInts(1);
  bool areCentres = node.getBool("align_corners", false);
  if (node.failed() || !size)
    return;
  auto rank = static_cast<int64_t>(size->size()) - 2;
  if ((rank != 2 && rank != 3) || !elementCount(*size) || llvm::is_contained(*size, 0))
    return node.fail("'size' must be [N, C, H, W] or [N, C, D, H, W], found " + listText(*size));
  if (type.getShape() != ArrayRef<int64_t>({size->front(), rank, rank + 1}))
    return node.fail("theta must be " + listText({size->front(), rank, rank + 1}) + ", found " + nn::describe(type));
  auto column = [&](int64_t index) {
    IntList shape(static_cast<size_t>(rank) + 2, 1);
    shape.front() = size->front();
    shape.back() = rank;
    return node.createReshape(createPart(node, node.getInput(0), 2, index, index + 1), shape);
  };
  Value grid;
  for (int64_t j = 0; j < rank && !node.failed(); ++j) {
    int64_t dim = rank - j, extent = (*size)[dim + 1]; // of the result, behind N
    IntList shape(static_cast<size_t>(rank) + 2, 1);
    shape[dim] = extent;
    Value product =
        node.create<nn::MulOp>(column(j), createPlaces(node, extent, areCentres, shape, type.getElementType()));
    grid = grid ? node.create<nn::AddOp>(grid, product) : product;
  }
  if (!node.failed())
    node.setResult(0, node.create<nn::AddOp>(grid, column(rank)));
}

} // namespace

void aotc::frontend::addImagesRules(OpTable &table) {
  table.add("CenterCropPad", 2, 2, buildCenterCropPad);
  table.add("Col2Im", 3, 3, buildCol2Im, numbers);
  table.add("AffineGrid", 2, 2, buildAffineGrid, floats);
}
