// Operators that only give the same elements another shape, and those that reshape on the way.
#include "frontend/onnx/OpTable.h"
#include "frontend/onnx/Spatial.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

/// The new shape with what its entries stand for: 0 copies an extent, -1 is what is left over. Nothing after an error.
std::optional<nn::Extents> resolveShape(NodeBuilder &node, const nn::Extents &wanted) {
  nn::Extents x = node.extentsOf(0), shape = wanted;
  bool allowZero = node.getBool("allowzero", false);
  AffineExpr known = node.number(1);
  std::optional<size_t> open;
  for (auto [i, extent] : llvm::enumerate(shape)) {
    if (nn::isNumber(extent, -1)) {
      if (open)
        return node.fail("the new shape " + node.describe(wanted) + " has more than one -1"), std::nullopt;
      open = i;
      continue;
    }
    if (nn::isNumber(extent, 0) && !allowZero) {
      if (i >= x.size())
        return node.fail("entry " + llvm::Twine(i) + " of the new shape copies an extent that " +
                         nn::describe(node.typeOf(0)) + " does not have"),
               std::nullopt;
      extent = x[i];
    }
    if (nn::numberOf(extent).value_or(0) < 0)
      return node.fail("the new shape " + node.describe(wanted) + " has negative entries"), std::nullopt;
    if (nn::Interval bounds = node.boundsOf(known); bounds.most > INT32_MAX)
      return node.fail("the new shape " + node.describe(wanted) + " must be of fewer than 2^31 elements"), std::nullopt;
    known = nn::product(known, extent);
  }
  if (open)
    shape[*open] = nn::exactQuotient(nn::product(x, node.getContext()), known);
  if (open && (!shape[*open] || nn::isNumber(known, 0)))
    return node.fail("the new shape " + node.describe(wanted) + " does not fit " + nn::describe(node.getInput(0))),
           std::nullopt;
  return shape;
}

void buildReshape(NodeBuilder &node) {
  std::optional<nn::Extents> wanted = node.getExtents(1);
  if (!wanted)
    return node.fail(node.describeInput(1) + " is missing");
  if (std::optional<nn::Extents> shape = resolveShape(node, *wanted))
    node.setResult(0, node.createReshapeTo(node.getInput(0), *shape));
}

void buildFlatten(NodeBuilder &node) {
  auto type = node.typeOf(0);
  int64_t axis = node.getInt("axis", 1);
  axis = axis == type.getRank() ? axis : node.normalizeAxis(axis, type.getRank());
  if (node.failed())
    return;
  nn::Extents extents = node.extentsOf(0);
  ArrayRef<AffineExpr> x = extents;
  auto rows = static_cast<size_t>(axis);
  node.setResult(0, node.createReshapeTo(node.getInput(0), {nn::product(x.take_front(rows), node.getContext()),
                                                            nn::product(x.drop_front(rows), node.getContext())}));
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
  nn::Extents x = node.extentsOf(0), shape(rank, node.number(1));
  auto next = x.begin();
  for (size_t i = 0; i < rank; ++i)
    if (!llvm::is_contained(sorted, static_cast<int64_t>(i)))
      shape[i] = *next++;
  node.setResult(0, node.createReshapeTo(node.getInput(0), shape));
}

void buildSqueeze(NodeBuilder &node) {
  auto type = node.typeOf(0);
  std::optional<IntList> axes = node.getConstantInts(1);
  IntList sorted = axes ? node.normalizeAxes(*axes, type.getRank()) : IntList();
  nn::Extents shape;
  for (auto [i, extent] : llvm::enumerate(node.extentsOf(0))) {
    bool goes = axes ? llvm::is_contained(sorted, static_cast<int64_t>(i)) : nn::isNumber(extent, 1);
    if (goes && !nn::isNumber(extent, 1))
      return node.fail("dimension " + llvm::Twine(i) + " of " + nn::describe(type) + " must be 1 to be squeezed");
    if (!goes)
      shape.push_back(extent);
  }
  if (!node.failed())
    node.setResult(0, node.createReshapeTo(node.getInput(0), shape));
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
  nn::Extents shape = node.extentsOf(0);
  AffineExpr side = getAffineConstantExpr(block, node.getContext()), n = shape[0], h = shape[2], w = shape[3];
  AffineExpr c = nn::exactQuotient(shape[1], nn::product(side, side));
  if (!c)
    return node.fail("the channels must be a multiple of the block's " + llvm::Twine(block * block) + " cells, found " +
                     node.describe(shape[1]));
  bool depthFirst = mode == "DCR";
  Value split = depthFirst ? node.createReshapeTo(node.getInput(0), {n, side, side, c, h, w})
                           : node.createReshapeTo(node.getInput(0), {n, c, side, side, h, w});
  Value moved =
      depthFirst ? node.createTranspose(split, {0, 3, 4, 1, 5, 2}) : node.createTranspose(split, {0, 1, 4, 2, 5, 3});
  node.setResult(0, node.createReshapeTo(moved, {n, c, nn::product(h, side), nn::product(w, side)}));
}

void buildSpaceToDepth(NodeBuilder &node) {
  int64_t block = readBlock(node);
  if (node.failed())
    return;
  nn::Extents shape = node.extentsOf(0);
  AffineExpr side = getAffineConstantExpr(block, node.getContext()), n = shape[0], c = shape[1];
  AffineExpr h = nn::exactQuotient(shape[2], side), w = nn::exactQuotient(shape[3], side);
  if (!h || !w)
    return node.fail("height and width must be multiples of 'blocksize' (" + llvm::Twine(block) + "), found " +
                     node.describe(shape));
  Value split = node.createReshapeTo(node.getInput(0), {n, c, h, side, w, side});
  Value moved = node.createTranspose(split, {0, 3, 5, 1, 2, 4});
  node.setResult(0, node.createReshapeTo(moved, {n, nn::product(c, nn::product(side, side)), h, w}));
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
