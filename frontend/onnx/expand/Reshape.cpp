// Operators that only give the same elements another shape, and those that reshape on the way.
#include "frontend/onnx/OpTable.h"
#include "frontend/onnx/Spatial.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

/// The product of extents; kDynamic where one is only known at run time.
int64_t product(ArrayRef<int64_t> extents) {
  return llvm::any_of(extents, ShapedType::isDynamic) ? ShapedType::kDynamic : ShapedType::getNumElements(extents);
}

/// What -1 stands for in a new shape with `known` elements in its other dimensions.
int64_t inferredExtent(NodeBuilder &node, RankedTensorType x, ArrayRef<int64_t> shape, int64_t known) {
  if (x.getNumDynamicDims() != llvm::count_if(shape, ShapedType::isDynamic))
    return ShapedType::kDynamic;
  int64_t count = 1;
  for (int64_t extent : x.getShape())
    count *= ShapedType::isDynamic(extent) ? 1 : extent;
  // An open extent that is copied stands on both sides.
  if (known == 0 || count % known != 0) {
    node.fail("the new shape " + listText(shape) + " does not fit " + nn::describe(x));
    return 1;
  }
  return count / known;
}

/// 0 copies an extent, -1 is what is left over.
void buildReshape(NodeBuilder &node) {
  Value x = node.getInput(0);
  auto type = node.typeOf(x);
  std::optional<IntList> wanted = node.getConstantInts(1);
  bool allowZero = node.getBool("allowzero", false);
  if (!wanted)
    return node.fail(node.describeInput(1) + " is missing");
  if (llvm::any_of(*wanted, [](int64_t extent) { return extent < -1; }))
    return node.fail("the new shape " + listText(*wanted) + " has negative entries");
  IntList shape = *wanted;
  int64_t known = 1;
  std::optional<size_t> open;
  for (auto [i, extent] : llvm::enumerate(shape)) {
    if (extent == 0 && !allowZero) {
      if (static_cast<int64_t>(i) >= type.getRank())
        return node.fail("entry " + llvm::Twine(i) + " of the new shape copies an extent that " + nn::describe(type) +
                         " does not have");
      extent = type.getDimSize(static_cast<unsigned>(i));
    }
    if (extent == -1 && open)
      return node.fail("the new shape " + listText(*wanted) + " has more than one -1");
    if (extent == -1)
      open = i;
    else if (!ShapedType::isDynamic(extent) && extent != 0 && known <= INT32_MAX / extent)
      known *= extent;
    else if (!ShapedType::isDynamic(extent) && extent != 0)
      return node.fail("the new shape " + listText(*wanted) + " must be of fewer than 2^31 elements");
    else if (extent == 0)
      known = 0;
  }
  if (open)
    shape[*open] = inferredExtent(node, type, shape, known);
  if (node.failed())
    return;
  bool isOpen = llvm::any_of(shape, ShapedType::isDynamic);
  if (isOpen == type.hasStaticShape())
    return node.fail("the new shape " + listText(*wanted) + " does not fit " + nn::describe(type));
  node.setResult(0, node.createReshape(x, shape));
}

void buildFlatten(NodeBuilder &node) {
  auto type = node.typeOf(0);
  int64_t axis = node.getInt("axis", 1);
  axis = axis == type.getRank() ? axis : node.normalizeAxis(axis, type.getRank());
  if (!node.failed())
    node.setResult(0, node.createReshape(node.getInput(0), {product(type.getShape().take_front(axis)),
                                                            product(type.getShape().drop_front(axis))}));
}

void buildUnsqueeze(NodeBuilder &node) {
  auto type = node.typeOf(0);
  std::optional<IntList> axes = node.getConstantInts(1);
  if (!axes)
    return node.fail("the axes are missing");
  size_t rank = static_cast<size_t>(type.getRank()) + axes->size();
  IntList sorted = node.normalizeAxes(*axes, static_cast<int64_t>(rank));
  if (node.failed())
    return;
  IntList shape(rank, 0);
  for (int64_t axis : sorted)
    shape[static_cast<size_t>(axis)] = 1;
  const int64_t *next = type.getShape().begin();
  for (int64_t i = 0; i < static_cast<int64_t>(rank); ++i)
    if (!llvm::is_contained(sorted, i))
      shape[static_cast<size_t>(i)] = *next++;
  node.setResult(0, node.createReshape(node.getInput(0), shape));
}

void buildSqueeze(NodeBuilder &node) {
  auto type = node.typeOf(0);
  std::optional<IntList> axes = node.getConstantInts(1);
  IntList sorted = axes ? node.normalizeAxes(*axes, type.getRank()) : IntList();
  IntList shape;
  for (auto [i, extent] : llvm::enumerate(type.getShape())) {
    bool goes = axes ? llvm::is_contained(sorted, static_cast<int64_t>(i)) : extent == 1;
    if (goes && extent != 1)
      return node.fail("dimension " + llvm::Twine(i) + " of " + nn::describe(type) + " must be 1 to be squeezed");
    if (!goes)
      shape.push_back(extent);
  }
  if (!node.failed())
    node.setResult(0, node.createReshape(node.getInput(0), shape));
}

/// x [N, C, H, W]; the block size, after checks. 0 after an error.
int64_t readBlock(NodeBuilder &node) {
  auto type = node.typeOf(0);
  int64_t block = node.getInt("blocksize");
  if (type.getRank() != 4)
    node.fail("input must have rank 4, found " + nn::describe(type));
  if (block < 1 || block > INT16_MAX)
    node.fail("'blocksize' must be at least 1 and less than 2^15, found " + llvm::Twine(block));
  return node.failed() ? 0 : block;
}

/// [N, b, b, C', H, W] (DCR) or [N, C', b, b, H, W] (CRD) ==> [N, C', H * b, W * b]
void buildDepthToSpace(NodeBuilder &node) {
  int64_t block = readBlock(node);
  std::string mode = node.getString("mode", "DCR");
  if (mode != "DCR" && mode != "CRD")
    node.fail("'mode' must be DCR or CRD, found " + quoted(mode));
  if (node.failed())
    return;
  ArrayRef<int64_t> shape = node.typeOf(0).getShape();
  int64_t n = shape[0], c = shape[1] / (block * block), h = shape[2], w = shape[3];
  if (shape[1] % (block * block) != 0 || llvm::any_of(shape.drop_front(), ShapedType::isDynamic))
    return node.fail("the channels must be a multiple of the block's " + llvm::Twine(block * block) + " cells, found " +
                     llvm::Twine(shape[1]));
  bool depthFirst = mode == "DCR";
  Value split = depthFirst ? node.createReshape(node.getInput(0), {n, block, block, c, h, w})
                           : node.createReshape(node.getInput(0), {n, c, block, block, h, w});
  Value moved =
      depthFirst ? node.createTranspose(split, {0, 3, 4, 1, 5, 2}) : node.createTranspose(split, {0, 1, 4, 2, 5, 3});
  node.setResult(0, node.createReshape(moved, {n, c, h * block, w * block}));
}

void buildSpaceToDepth(NodeBuilder &node) {
  int64_t block = readBlock(node);
  if (node.failed())
    return;
  ArrayRef<int64_t> shape = node.typeOf(0).getShape();
  int64_t n = shape[0], c = shape[1], h = shape[2], w = shape[3];
  if (llvm::any_of(shape.drop_front(), ShapedType::isDynamic) || h % block != 0 || w % block != 0)
    return node.fail("height and width must be multiples of 'blocksize' (" + llvm::Twine(block) + "), found " +
                     nn::describe(node.typeOf(0)));
  Value split = node.createReshape(node.getInput(0), {n, c, h / block, block, w / block, block});
  Value moved = node.createTranspose(split, {0, 3, 5, 1, 2, 4});
  node.setResult(0, node.createReshape(moved, {n, c * block * block, h / block, w / block}));
}

} // namespace

void aotc::frontend::addReshapeRules(OpTable &table) {
  table.add("Reshape", 2, 2, buildReshape);
  table.add("Flatten", 1, 1, buildFlatten);
  table.add("Unsqueeze", 1, 2, buildUnsqueeze);
  table.add("Squeeze", 1, 2, buildSqueeze);
  table.add("DepthToSpace", 1, 1, buildDepthToSpace);
  table.add("SpaceToDepth", 1, 1, buildSpaceToDepth);
  table.takeNarrowFloats({"Reshape", "Flatten", "Unsqueeze", "Squeeze", "DepthToSpace", "SpaceToDepth"});
}
