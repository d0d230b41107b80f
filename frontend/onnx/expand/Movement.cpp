// Slices, padding, concatenation and other selections of elements. Their parameters must be known when compiling.
#include "frontend/onnx/Indices.h"
#include "frontend/onnx/OpTable.h"
#include "frontend/onnx/Spatial.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

// More than any extent; clamping to it keeps sums of two in range.
constexpr int64_t farOutside = int64_t(1) << 48;

void buildTranspose(NodeBuilder &node) {
  int64_t rank = node.typeOf(0).getRank();
  IntList reversed;
  for (int64_t i = rank; i-- > 0;)
    reversed.push_back(i);
  node.setResult(0, node.createTranspose(node.getInput(0), node.getInts("perm").value_or(reversed)));
}

void buildConcat(NodeBuilder &node) {
  int64_t axis = node.normalizeAxis(node.getInt("axis"), node.typeOf(0).getRank());
  if (!node.failed())
    node.setResult(0, node.create<nn::ConcatOp>(ValueRange(node.getInputs()), static_cast<uint64_t>(axis)));
}

/// An index of numpy's kind: negative ones count from the end. `low` and `high` are the ends of where it may point.
int64_t clampIndex(int64_t index, int64_t extent, int64_t low, int64_t high) {
  index = std::clamp(index, -farOutside, farOutside);
  return std::clamp(index < 0 ? index + extent : index, low, high);
}

struct SliceBounds {
  IntList starts, sizes, steps;
};

void setBounds(NodeBuilder &node, SliceBounds &bounds, size_t axis, int64_t start, int64_t end, int64_t step) {
  int64_t extent = bounds.sizes[axis];
  if (step == 0)
    return node.fail("steps must not be 0");
  if (ShapedType::isDynamic(extent)) {
    if (start != 0 || end < farOutside || step != 1)
      node.fail("dimension " + llvm::Twine(axis) + " can be sliced only where its extent is known when compiling");
    return;
  }
  step = std::clamp(step, -farOutside, farOutside);
  bool forward = step > 0;
  start = clampIndex(start, extent, 0, forward ? extent : extent - 1);
  end = clampIndex(end, extent, forward ? 0 : -1, extent);
  int64_t distance = forward ? end - start : start - end, stride = forward ? step : -step;
  bounds.sizes[axis] = distance > 0 ? (distance + stride - 1) / stride : 0;
  bool isEmpty = bounds.sizes[axis] == 0;
  bounds.starts[axis] = isEmpty ? 0 : start;
  bounds.steps[axis] = bounds.sizes[axis] <= 1 ? 1 : step;
}

SliceBounds wholeOf(RankedTensorType type) {
  size_t rank = static_cast<size_t>(type.getRank());
  return {IntList(rank, 0), IntList(type.getShape()), IntList(rank, 1)};
}

Value createSlice(NodeBuilder &node, Value x, const SliceBounds &bounds) {
  return node.create<nn::SliceOp>(x, bounds.starts, bounds.sizes, bounds.steps);
}

void buildSlice(NodeBuilder &node) {
  auto type = node.typeOf(0);
  std::optional<IntList> starts = node.getConstantInts(1), ends = node.getConstantInts(2);
  if (!starts || !ends)
    return node.fail("starts and ends are missing");
  size_t count = starts->size();
  IntList every;
  for (size_t i = 0; i < count; ++i)
    every.push_back(static_cast<int64_t>(i));
  IntList axes = node.getConstantInts(3).value_or(every);
  IntList steps = node.getConstantInts(4).value_or(IntList(count, 1));
  if (ends->size() != count || axes.size() != count || steps.size() != count)
    return node.fail("starts, ends, axes and steps must have one length, found " + llvm::Twine(count) + ", " +
                     llvm::Twine(ends->size()) + ", " + llvm::Twine(axes.size()) + " and " + llvm::Twine(steps.size()));
  node.normalizeAxes(axes, type.getRank());
  SliceBounds bounds = wholeOf(type);
  for (size_t i = 0; i < count && !node.failed(); ++i) {
    auto axis = static_cast<size_t>(node.normalizeAxis(axes[i], type.getRank()));
    setBounds(node, bounds, axis, (*starts)[i], (*ends)[i], steps[i]);
  }
  node.setResult(0, createSlice(node, node.getInput(0), bounds));
}

void buildSplit(NodeBuilder &node) {
  auto type = node.typeOf(0);
  auto axis = static_cast<size_t>(node.normalizeAxis(node.getInt("axis", 0), type.getRank()));
  std::optional<IntList> sizes = node.getConstantInts(1);
  size_t parts = node.getNode().outputs.size();
  int64_t declared = node.getInt("num_outputs", static_cast<int64_t>(parts));
  if (node.failed())
    return;
  int64_t extent = type.getDimSize(static_cast<unsigned>(axis));
  if (ShapedType::isDynamic(extent) || declared != static_cast<int64_t>(parts))
    return node.fail("dimension " + llvm::Twine(axis) + " of " + nn::describe(type) + " cannot be split into " +
                     llvm::Twine(declared) + " parts");
  // Equal parts, the last one smaller where it does not come out even.
  int64_t part = (extent + declared - 1) / declared, at = 0;
  if (sizes && sizes->size() != parts)
    return node.fail("split must have " + llvm::Twine(parts) + " values, found " + llvm::Twine(sizes->size()));
  for (size_t i = 0; i < parts && !node.failed(); ++i) {
    int64_t size = sizes ? (*sizes)[i] : std::min(part, extent - at);
    if (size < 0 || size > extent - at)
      return node.fail("the parts must add up to " + llvm::Twine(extent));
    SliceBounds bounds = wholeOf(type);
    bounds.starts[axis] = at;
    bounds.sizes[axis] = size;
    node.setResult(i, createSlice(node, node.getInput(0), bounds));
    at += size;
  }
  if (sizes && at != extent)
    node.fail("the parts must add up to " + llvm::Twine(extent) + ", found " + llvm::Twine(at));
}

std::optional<nn::PadMode> readPadMode(NodeBuilder &node) {
  std::string text = node.getString("mode", "constant");
  std::optional<nn::PadMode> mode = nn::symbolizePadMode(text);
  if (!mode)
    node.fail("'mode' must be constant, reflect, edge or wrap, found " + quoted(text));
  return mode;
}

/// The value of the padding as an attribute of the element type; null after an error.
TypedAttr readPadValue(NodeBuilder &node, Type element) {
  Value value = node.getInput(2);
  if (!value)
    return cast<TypedAttr>(node.getBuilder().getZeroAttr(element));
  auto constant = dyn_cast_or_null<DenseElementsAttr>(NodeBuilder::getConstant(value));
  if (!constant || constant.getNumElements() != 1 || constant.getElementType() != element) {
    node.fail(node.describeInput(2) + " must be a scalar of the input's type that is known when compiling");
    return {};
  }
  return cast<TypedAttr>(*constant.getValues<mlir::Attribute>().begin());
}

/// Mirrored and repeated elements must be there.
void checkPads(NodeBuilder &node, nn::PadMode mode, ArrayRef<int64_t> low, ArrayRef<int64_t> high) {
  for (auto [before, after, extent] : llvm::zip(low, high, node.typeOf(0).getShape())) {
    int64_t most = std::max(before, after);
    bool moves = before != 0 || after != 0;
    if (most > INT32_MAX || std::min(before, after) < -INT32_MAX)
      return node.fail("'pads' must be less than 2^31");
    if (ShapedType::isDynamic(extent) && moves)
      return node.fail("only dimensions whose extent is known when compiling can be padded");
    if (mode != nn::PadMode::Constant && most > 0 && (extent == 0 || (mode == nn::PadMode::Reflect && most >= extent)))
      return node.fail("'pads' reach beyond what is there, " + nn::describe(node.typeOf(0)));
  }
}

void buildPad(NodeBuilder &node) {
  auto type = node.typeOf(0);
  auto rank = static_cast<size_t>(type.getRank());
  std::optional<IntList> pads = node.getConstantInts(1);
  std::optional<nn::PadMode> mode = readPadMode(node);
  TypedAttr value = readPadValue(node, type.getElementType());
  IntList every;
  for (size_t i = 0; i < rank; ++i)
    every.push_back(static_cast<int64_t>(i));
  IntList axes = node.getConstantInts(3).value_or(every);
  if (node.failed() || !pads)
    return node.fail("the pads are missing");
  if (pads->size() != 2 * axes.size())
    return node.fail("'pads' must have " + llvm::Twine(2 * axes.size()) + " values, found " +
                     llvm::Twine(pads->size()));
  node.normalizeAxes(axes, type.getRank());
  IntList low(rank, 0), high(rank, 0);
  for (size_t i = 0; i < axes.size() && !node.failed(); ++i) {
    auto axis = static_cast<size_t>(node.normalizeAxis(axes[i], type.getRank()));
    low[axis] = (*pads)[i];
    high[axis] = (*pads)[axes.size() + i];
  }
  if (!node.failed())
    checkPads(node, *mode, low, high);
  bool isNothing = llvm::all_of(*pads, [](int64_t pad) { return pad == 0; });
  node.setResult(0, isNothing ? node.getInput(0) : node.create<nn::PadOp>(node.getInput(0), low, high, *mode, value));
}

void buildGather(NodeBuilder &node) {
  auto x = node.typeOf(0);
  int64_t axis = node.normalizeAxis(node.getInt("axis", 0), x.getRank());
  if (node.failed() || !areIndices(node, 1))
    return;
  int64_t extent = x.getDimSize(static_cast<unsigned>(axis));
  std::optional<nn::HostTensor> known = NodeBuilder::viewConstant(node.getInput(1));
  if (known && !ShapedType::isDynamic(extent)) {
    const nn::HostTensor &indices = *known;
    for (int64_t i = 0; i < indices.size(); ++i)
      if (int64_t index = indices.toInteger(i); index < -extent || index >= extent)
        return node.fail(node.describeInput(1) + " must be within the extent " + llvm::Twine(extent) + " of axis " +
                         llvm::Twine(axis) + ", found " + llvm::Twine(index));
  }
  node.setResult(0, node.create<nn::GatherOp>(node.getInput(0), node.getInput(1), static_cast<uint64_t>(axis)));
}

/// The shape that both broadcast to; 1 gives way.
void buildExpand(NodeBuilder &node) {
  Value x = node.getInput(0);
  auto type = node.typeOf(x);
  std::optional<IntList> wanted = node.getConstantInts(1);
  if (!wanted)
    return;
  size_t rank = std::max(wanted->size(), static_cast<size_t>(type.getRank()));
  IntList shape(rank, 1);
  llvm::copy(type.getShape(), shape.end() - type.getRank());
  for (size_t i = 0; i < wanted->size(); ++i) {
    int64_t &extent = shape[rank - wanted->size() + i], other = (*wanted)[i];
    if (other < 0 || (extent != 1 && other != 1 && extent != other))
      return node.fail(nn::describe(type) + " does not broadcast to " + listText(*wanted));
    extent = extent == 1 ? other : extent;
  }
  node.setResult(0, type.getShape() == ArrayRef<int64_t>(shape) ? x : node.create<nn::ExpandOp>(x, shape));
}

/// [a, b] repeated [r, s] times: [1, a, 1, b] ==> [r, a, s, b] ==> [r * a, s * b]
void buildTile(NodeBuilder &node) {
  auto type = node.typeOf(0);
  std::optional<IntList> repeats = node.getConstantInts(1);
  if (!repeats || repeats->size() != static_cast<size_t>(type.getRank()))
    return node.fail("repeats must have " + llvm::Twine(type.getRank()) + " values");
  IntList split, wide, merged;
  for (auto [repeat, extent] : llvm::zip(*repeats, type.getShape())) {
    if (repeat < 0 || repeat > INT16_MAX || (ShapedType::isDynamic(extent) && repeat != 1))
      return node.fail("repeats must be at least 0 and less than 2^15, found " + llvm::Twine(repeat));
    split.append({1, extent});
    wide.append({repeat, extent});
    merged.push_back(repeat == 1 ? extent : repeat * extent);
  }
  if (type.getShape() == ArrayRef<int64_t>(merged))
    return node.setResult(0, node.getInput(0));
  if (!type.hasStaticShape())
    return node.fail("only tensors whose shape is known when compiling can be tiled");
  Value spread = node.create<nn::ExpandOp>(node.createReshape(node.getInput(0), split), wide);
  node.setResult(0, node.createReshape(spread, merged));
}

} // namespace

void aotc::frontend::addMovementRules(OpTable &table) {
  table.add("Transpose", 1, 1, buildTranspose);
  table.add("Concat", 1, anyNumber, buildConcat);
  table.add("Slice", 1, 5, buildSlice);
  table.add("Split", 1, 2, buildSplit);
  table.add("Pad", 1, 4, buildPad);
  table.add("Gather", 2, 2, buildGather);
  table.add("Expand", 2, 2, buildExpand);
  table.add("Tile", 2, 2, buildTile);
  table.takeNarrowFloats({"Transpose", "Concat", "Slice", "Split", "Gather", "Expand", "Tile"});
}
