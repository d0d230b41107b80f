// Elements and slices read and written where other tensors say.
#include "frontend/onnx/Indices.h"
#include "frontend/onnx/OpTable.h"
#include "frontend/onnx/Parts.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
using llvm::ArrayRef;
using llvm::Twine;
namespace nn = aotc::nn;

namespace {

/// The dimensions other than `axis` of which the indices cover a part only; an error where they cover more.
IntList partialDims(NodeBuilder &node, int64_t axis) {
  auto x = node.typeOf(0), indices = node.typeOf(1);
  IntList partial;
  if (indices.getRank() != x.getRank()) {
    node.fail(node.describeInput(1) + " must have rank " + Twine(x.getRank()) + ", found " + nn::describe(indices));
    return partial;
  }
  for (auto [d, extents] : llvm::enumerate(llvm::zip(indices.getShape(), x.getShape()))) {
    auto [covered, whole] = extents;
    if (static_cast<int64_t>(d) == axis || covered == whole)
      continue;
    if (ShapedType::isDynamic(covered) || ShapedType::isDynamic(whole) || covered > whole)
      node.fail(node.describeInput(1) + " must not reach beyond dimension " + Twine(d) + " of " + nn::describe(x) +
                ", found " + nn::describe(indices));
    partial.push_back(static_cast<int64_t>(d));
  }
  return partial;
}

void buildGatherElements(NodeBuilder &node) {
  Value x = node.getInput(0), indices = node.getInput(1);
  int64_t axis = node.normalizeAxis(node.getInt("axis", 0), node.typeOf(0).getRank());
  if (node.failed() || !areIndices(node, 1))
    return;
  for (int64_t d : partialDims(node, axis))
    x = createPart(node, x, d, 0, node.typeOf(1).getShape()[d]);
  if (node.failed())
    return;
  checkKnownIndices(node, 1, node.typeOf(0).getShape()[axis]);
  node.setResult(0, node.create<nn::GatherElementsOp>(x, indices, static_cast<uint64_t>(axis)));
}

/// The extents that the rows of input 1 name, behind the first `batch` ones.
ArrayRef<int64_t> namedExtents(NodeBuilder &node, int64_t batch) {
  auto x = node.typeOf(0), indices = node.typeOf(1);
  if (indices.getRank() == 0 || batch < 0 || batch > x.getRank())
    return {};
  int64_t depth = std::clamp<int64_t>(indices.getShape().back(), 0, x.getRank() - batch);
  return x.getShape().slice(static_cast<size_t>(batch), static_cast<size_t>(depth));
}

void buildGatherND(NodeBuilder &node) {
  int64_t batch = node.getInt("batch_dims", 0);
  if (!areIndices(node, 1))
    return;
  checkKnownIndices(node, 1, namedExtents(node, batch));
  node.setResult(0, node.create<nn::GatherNDOp>(node.getInput(0), node.getInput(1), static_cast<uint64_t>(batch)));
}

// ---------------------------------------------------------------------------------------------------------- scattering

/// Floats that are computed with become f32, as for other operators; those that are only moved stay as they are.
nn::ScatterReduction readReduction(NodeBuilder &node) {
  std::string text = node.getString("reduction", "none");
  std::optional<nn::ScatterReduction> reduction = nn::symbolizeScatterReduction(text);
  if (!reduction)
    node.fail("'reduction' must be none, add, mul, max or min, found " + quoted(text));
  else if (*reduction != nn::ScatterReduction::None)
    node.widenInputs();
  return reduction.value_or(nn::ScatterReduction::None);
}

/// Indices that leave out the end of dimensions reach a corner of x only. The corner is scattered into, and the rest
/// put around it, dimension by dimension.
void buildScatterElements(NodeBuilder &node) {
  int64_t axis = node.normalizeAxis(node.getInt("axis", 0), node.typeOf(0).getRank());
  nn::ScatterReduction reduction = readReduction(node);
  if (node.failed() || !areIndices(node, 1))
    return;
  IntList partial = partialDims(node, axis);
  if (node.failed())
    return;
  checkKnownIndices(node, 1, node.typeOf(0).getShape()[axis]);
  llvm::SmallVector<Value> rests;
  Value corner = node.getInput(0);
  for (int64_t d : partial) {
    int64_t covered = node.typeOf(1).getShape()[d];
    rests.push_back(createPart(node, corner, d, covered, node.typeOf(0).getShape()[d]));
    corner = createPart(node, corner, d, 0, covered);
  }
  Value result = node.create<nn::ScatterElementsOp>(corner, node.getInput(1), node.getInput(2),
                                                    static_cast<uint64_t>(axis), reduction);
  for (auto [d, rest] : llvm::reverse(llvm::zip(partial, rests)))
    result = node.create<nn::ConcatOp>(ValueRange{result, rest}, static_cast<uint64_t>(d));
  node.setResult(0, result);
}

void buildScatterND(NodeBuilder &node) {
  nn::ScatterReduction reduction = readReduction(node);
  if (node.failed() || !areIndices(node, 1))
    return;
  checkKnownIndices(node, 1, namedExtents(node, 0));
  node.setResult(0, node.create<nn::ScatterNDOp>(node.getInput(0), node.getInput(1), node.getInput(2), reduction));
}

/// x [batch, …, length, …]: a cache that new entries are written to. Without indices they go to its front.
void buildTensorScatter(NodeBuilder &node) {
  auto type = node.typeOf(0);
  int64_t axis = node.normalizeAxis(node.getInt("axis", -2), type.getRank());
  std::string mode = node.getString("mode", "linear");
  if (mode != "linear" && mode != "circular")
    node.fail("'mode' must be linear or circular, found " + quoted(mode));
  if (node.failed())
    return;
  if (axis == 0)
    return node.fail("'axis' must not be the batch dimension");
  Value begins = node.getInput(2);
  if (begins && !areIndices(node, 2))
    return;
  if (!begins && type.isDynamicDim(0))
    return node.fail("the indices must be given where the batch size is not known when compiling");
  if (!begins)
    begins = node.createSplat(0, RankedTensorType::get({type.getDimSize(0)}, node.getBuilder().getI64Type()));
  node.setResult(0, node.create<nn::TensorScatterOp>(node.getInput(0), node.getInput(1), begins,
                                                     static_cast<uint64_t>(axis), mode == "circular"));
}

void buildReverseSequence(NodeBuilder &node) {
  int64_t batch = node.getInt("batch_axis", 1), time = node.getInt("time_axis", 0);
  if (areIndices(node, 1))
    node.setResult(0, node.create<nn::ReverseSequenceOp>(node.getInput(0), node.getInput(1),
                                                         static_cast<uint64_t>(batch), static_cast<uint64_t>(time)));
}

} // namespace

void aotc::frontend::addIndexingRules(OpTable &table) {
  table.add("GatherElements", 2, 2, buildGatherElements);
  table.add("GatherND", 2, 2, buildGatherND);
  table.add("ScatterElements", 3, 3, buildScatterElements);
  table.add("Scatter", 3, 3, buildScatterElements); // its name before opset 11
  table.add("ScatterND", 3, 3, buildScatterND);
  table.add("TensorScatter", 2, 3, buildTensorScatter);
  table.add("ReverseSequence", 2, 2, buildReverseSequence);
  table.takeNarrowFloats(
      {"GatherElements", "GatherND", "ScatterElements", "Scatter", "ScatterND", "TensorScatter", "ReverseSequence"});
}
