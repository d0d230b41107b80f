// Slices, padding, concatenation and other selections of elements. Their parameters must be known when compiling.
#include "frontend/onnx/Indices.h"
#include "frontend/onnx/OpTable.h"
#include "frontend/onnx/OpenMoves.h"
#include "frontend/onnx/Quantized.h"
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
  nn::Extents starts, sizes;
  IntList steps;
};

/// `index` counted from the end where it is negative, then limited to 0 … `extent`. Null where that depends on the run.
AffineExpr clampOpenIndex(NodeBuilder &node, AffineExpr index, AffineExpr extent) {
  if (std::optional<int64_t> number = nn::numberOf(index))
    index = node.number(std::clamp(*number, -farOutside, farOutside));
  nn::Interval bounds = node.boundsOf(index);
  if (bounds.least < 0 && bounds.most >= 0)
    return {};
  if (bounds.most < 0)
    index = nn::sum(index, extent);
  nn::Interval below = node.boundsOf(index), room = node.boundsOf(nn::difference(extent, index));
  if (below.most <= 0)
    return node.number(0);
  if (room.most <= 0)
    return extent;
  return below.least >= 0 && room.least >= 0 ? index : AffineExpr();
}

/// Bounds that depend on the dims of the run: forward, and such that it is known which of two limits counts.
void setOpenBounds(NodeBuilder &node, SliceBounds &bounds, size_t axis, AffineExpr start, AffineExpr end,
                   int64_t step) {
  AffineExpr extent = bounds.sizes[axis];
  AffineExpr first = clampOpenIndex(node, start, extent), last = clampOpenIndex(node, end, extent);
  AffineExpr length = nn::difference(last, first);
  nn::Interval room = length ? node.boundsOf(length) : nn::Interval{0, 0};
  if (step < 1 || !length || (room.least < 0 && room.most > 0))
    return node.fail("dimension " + llvm::Twine(axis) + " of " + nn::describe(node.getInput(0)) +
                     " cannot be sliced from " + node.describe(start) + " to " + node.describe(end) + " in steps of " +
                     llvm::Twine(step) + " for all sizes that it may have");
  bounds.starts[axis] = first;
  bounds.sizes[axis] = room.most <= 0 ? node.number(0) : nn::quotient(nn::sum(length, step - 1), step);
  bounds.steps[axis] = step;
}

void setBounds(NodeBuilder &node, SliceBounds &bounds, size_t axis, AffineExpr from, AffineExpr to, int64_t step) {
  if (step == 0)
    return node.fail("steps must not be 0");
  std::optional<int64_t> known = nn::numberOf(bounds.sizes[axis]), first = nn::numberOf(from), last = nn::numberOf(to);
  step = std::clamp(step, -farOutside, farOutside);
  if (!known || !first || !last)
    return setOpenBounds(node, bounds, axis, from, to, step);
  bool forward = step > 0;
  int64_t furthest = forward ? *known : *known - 1; // before the first element, where there is none
  int64_t start = clampIndex(*first, *known, std::min<int64_t>(0, furthest), furthest);
  int64_t end = clampIndex(*last, *known, forward ? 0 : -1, *known);
  int64_t distance = forward ? end - start : start - end, stride = forward ? step : -step;
  int64_t size = distance > 0 ? (distance + stride - 1) / stride : 0;
  bounds.sizes[axis] = node.number(size);
  bounds.starts[axis] = node.number(size == 0 ? 0 : start);
  bounds.steps[axis] = size <= 1 ? 1 : step;
}

/// Whether start and end take in the whole dimension backwards, whatever its extent is.
bool isReversed(NodeBuilder &node, AffineExpr extent, AffineExpr start, AffineExpr end, int64_t step) {
  std::optional<int64_t> first = nn::numberOf(start), last = nn::numberOf(end);
  int64_t most = node.boundsOf(extent).most;
  return step < 0 && first && last && (*first == -1 || *first >= most - 1) && *last < -most;
}

SliceBounds wholeOf(NodeBuilder &node) {
  nn::Extents extents = node.extentsOf(0);
  return {nn::Extents(extents.size(), node.number(0)), extents, IntList(extents.size(), 1)};
}

Value createSlice(NodeBuilder &node, Value x, const SliceBounds &bounds) {
  return node.createSlice(x, bounds.starts, bounds.sizes, bounds.steps);
}

void buildSlice(NodeBuilder &node) {
  auto type = node.typeOf(0);
  std::optional<nn::Extents> starts = node.getExtents(1), ends = node.getExtents(2);
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
  SliceBounds bounds = wholeOf(node);
  Value x = node.getInput(0);
  for (size_t i = 0; i < count && !node.failed(); ++i) {
    auto axis = static_cast<size_t>(node.normalizeAxis(axes[i], type.getRank()));
    AffineExpr extent = bounds.sizes[axis], start = (*starts)[i], end = (*ends)[i];
    if (nn::numberOf(extent) || !isReversed(node, extent, start, end, steps[i])) {
      setBounds(node, bounds, axis, start, end, steps[i]);
    } else if ((x = createReversed(node, x, axis, std::max(steps[i], -farOutside)))) {
      bounds.sizes[axis] = nn::extentsOf(node.typeOf(x))[axis];
    }
  }
  node.setResult(0, node.failed() ? Value() : createSlice(node, x, bounds));
}

/// Parts of equal size, the last one smaller where it does not come out even. Nothing after an error.
std::optional<nn::Extents> equalParts(NodeBuilder &node, AffineExpr extent, int64_t parts) {
  std::optional<int64_t> known = nn::numberOf(extent);
  if (!known) {
    AffineExpr part = nn::exactQuotient(extent, node.number(parts));
    if (part)
      return nn::Extents(static_cast<size_t>(parts), part);
    part = nn::quotient(nn::sum(extent, parts - 1), parts);
    nn::Extents sizes(static_cast<size_t>(parts), part);
    sizes.back() = nn::difference(extent, nn::product(part, node.number(parts - 1)));
    if (node.boundsOf(sizes.back()).least >= 0)
      return sizes;
    node.fail(node.describe({extent}) + " elements cannot be split into " + llvm::Twine(parts) + " equal parts");
    return std::nullopt;
  }
  int64_t part = (*known + parts - 1) / parts;
  nn::Extents sizes;
  for (int64_t i = 0; i < parts; ++i)
    sizes.push_back(node.number(std::min(part, *known - i * part)));
  return sizes;
}

void buildSplit(NodeBuilder &node) {
  auto axis = static_cast<size_t>(node.normalizeAxis(node.getInt("axis", 0), node.typeOf(0).getRank()));
  std::optional<nn::Extents> sizes = node.getExtents(1);
  size_t parts = node.getNode().outputs.size();
  int64_t declared = node.getInt("num_outputs", static_cast<int64_t>(parts));
  if (node.failed())
    return;
  AffineExpr extent = node.extentsOf(0)[axis], at = node.number(0);
  if (declared != static_cast<int64_t>(parts))
    return node.fail("'num_outputs' must be the number of outputs " + llvm::Twine(parts) + ", found " +
                     llvm::Twine(declared));
  if (sizes && sizes->size() != parts)
    return node.fail("split must have " + llvm::Twine(parts) + " values, found " + llvm::Twine(sizes->size()));
  if (!sizes)
    sizes = equalParts(node, extent, declared);
  for (size_t i = 0; i < parts && !node.failed(); ++i) {
    SliceBounds bounds = wholeOf(node);
    bounds.starts[axis] = at;
    bounds.sizes[axis] = (*sizes)[i];
    at = nn::sum(at, (*sizes)[i]);
    if (node.boundsOf((*sizes)[i]).least < 0 || node.boundsOf(nn::difference(extent, at)).least < 0)
      return node.fail("the parts must add up to " + node.describe(extent) + ", found " + node.describe(*sizes));
    node.setResult(i, createSlice(node, node.getInput(0), bounds));
  }
  if (!node.failed() && at != extent)
    node.fail("the parts must add up to " + node.describe(extent) + ", found " + node.describe(*sizes));
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
  auto constant = dyn_cast_or_null<DenseElementsAttr>(knownElements(value));
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
    if (most > INT32_MAX || std::min(before, after) < -INT32_MAX)
      return node.fail("'pads' must be less than 2^31");
    if (!ShapedType::isDynamic(extent) && mode != nn::PadMode::Constant && most > 0 &&
        (extent == 0 || (mode == nn::PadMode::Reflect && most >= extent)))
      return node.fail("'pads' reach beyond what is there, " + nn::describe(node.typeOf(0)));
  }
}

/// Does to x what nn.pad cannot do in dimensions whose extents only the run knows, and takes it out of the lists.
Value padOpen(NodeBuilder &node, Value x, nn::PadMode mode, IntList &low, IntList &high) {
  nn::Extents starts(low.size(), node.number(0)), sizes = nn::extentsOf(node.typeOf(x)), whole = sizes;
  auto isOpen = [&](size_t axis) { return !nn::numberOf(whole[axis]); };
  for (size_t axis = 0; axis < low.size(); ++axis) {
    int64_t first = isOpen(axis) ? std::min<int64_t>(low[axis], 0) : 0,
            last = isOpen(axis) ? std::min<int64_t>(high[axis], 0) : 0;
    starts[axis] = node.number(-first);
    sizes[axis] = nn::sum(sizes[axis], first + last);
    low[axis] -= first;
    high[axis] -= last;
  }
  if (sizes != whole)
    x = node.createSlice(x, starts, sizes, IntList(low.size(), 1));
  for (size_t axis = 0; axis < low.size() && mode != nn::PadMode::Constant; ++axis) {
    if (!isOpen(axis) || (low[axis] == 0 && high[axis] == 0))
      continue;
    x = createMirrored(node, x, axis, low[axis], high[axis], mode);
    low[axis] = high[axis] = 0;
  }
  return x;
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
  Value x = node.failed() ? Value() : padOpen(node, node.getInput(0), *mode, low, high);
  auto isNothing = [](ArrayRef<int64_t> pads) { return llvm::all_of(pads, [](int64_t pad) { return pad == 0; }); };
  bool isDone = isNothing(low) && isNothing(high);
  node.setResult(0, isDone ? x : node.create<nn::PadOp>(x, low, high, *mode, value));
}

void buildGather(NodeBuilder &node) {
  auto x = node.typeOf(0);
  int64_t axis = node.normalizeAxis(node.getInt("axis", 0), x.getRank());
  if (node.failed() || !areIndices(node, 1))
    return;
  std::optional<nn::HostTensor> known = NodeBuilder::viewConstant(node.getInput(1));
  if (known) {
    const nn::HostTensor &indices = *known;
    int64_t least = node.boundsOf(node.extentsOf(0)[static_cast<size_t>(axis)]).least;
    for (int64_t i = 0; i < indices.size(); ++i)
      if (int64_t index = indices.toInteger(i); index < -least || index >= least)
        return node.fail(node.describeInput(1) + " must be within the extent " + llvm::Twine(least) + " of axis " +
                         llvm::Twine(axis) + ", found " + llvm::Twine(index));
  }
  node.setResult(0, node.create<nn::GatherOp>(node.getInput(0), node.getInput(1), static_cast<uint64_t>(axis)));
}

/// The shape that both broadcast to; 1 gives way.
void buildExpand(NodeBuilder &node) {
  std::optional<nn::Extents> wanted = node.getExtents(1);
  if (!wanted)
    return;
  nn::Extents x = node.extentsOf(0);
  size_t rank = std::max(wanted->size(), x.size());
  nn::Extents shape(rank, node.number(1));
  llvm::copy(x, shape.end() - static_cast<ptrdiff_t>(x.size()));
  for (size_t i = 0; i < wanted->size(); ++i) {
    AffineExpr &extent = shape[rank - wanted->size() + i];
    extent = nn::broadcastExtent(extent, (*wanted)[i]);
    if (!extent || node.boundsOf(extent).least < 0)
      return node.fail(nn::describe(node.getInput(0)) + " does not broadcast to " + node.describe(*wanted));
  }
  node.setResult(0, node.createExpand(node.getInput(0), shape));
}

/// [a, b] repeated [r, s] times: [1, a, 1, b] ==> [r, a, s, b] ==> [r * a, s * b]
void buildTile(NodeBuilder &node) {
  nn::Extents x = node.extentsOf(0), split, wide, merged;
  std::optional<nn::Extents> repeats = node.getExtents(1);
  if (!repeats || repeats->size() != x.size())
    return node.fail("repeats must have " + llvm::Twine(x.size()) + " values");
  for (auto [repeat, extent] : llvm::zip(*repeats, x)) {
    nn::Interval bounds = node.boundsOf(repeat);
    if (bounds.least < 0 || bounds.most > INT16_MAX)
      return node.fail("repeats must be at least 0 and less than 2^15, found " + node.describe(*repeats));
    split.append({node.number(1), extent});
    wide.append({repeat, extent});
    merged.push_back(nn::product(repeat, extent));
  }
  if (merged == x)
    return node.setResult(0, node.getInput(0));
  Value spread = node.createExpand(node.createReshapeTo(node.getInput(0), split), wide);
  node.setResult(0, node.createReshapeTo(spread, merged));
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
