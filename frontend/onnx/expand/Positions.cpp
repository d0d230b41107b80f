// Operators whose elements follow from where they stand: counted, on a diagonal, beyond it, or named by an index.
#include "frontend/onnx/ElementType.h"
#include "frontend/onnx/Indices.h"
#include "frontend/onnx/OpTable.h"
#include "frontend/onnx/Parts.h"
#include "ir/nn/Shapes.h"

#include <cmath>

using namespace aotc::frontend;
using namespace mlir;
using llvm::Twine;
namespace nn = aotc::nn;

namespace {

/// Scalar i64 of a shape that makes no difference.
Value asScalar(NodeBuilder &node, size_t index) {
  auto type = node.typeOf(index);
  if (!type.hasStaticShape() || type.getNumElements() != 1)
    node.fail(node.describeInput(index) + " must be one number, found " + nn::describe(type));
  Value scalar = node.createReshape(node.getInput(index), {});
  if (node.failed() || node.typeOf(scalar).getElementType().isInteger(64))
    return scalar;
  return node.create<nn::CastOp>(scalar, node.getBuilder().getI64Type());
}

/// Generated code moves elements of 4 bits, but does not choose between them.
bool canChoose(NodeBuilder &node, size_t index) {
  if (node.typeOf(index).getElementType().getIntOrFloatBitWidth() != 4)
    return true;
  node.fail(node.describeInput(index) + " must not have elements of 4 bits, found " + nn::describe(node.typeOf(index)));
  return false;
}

// ----------------------------------------------------------------------------------------------------------- triangles

/// The element [row, column] is dropped where column < row + k (upper), or row + k < column (lower).
void buildTrilu(NodeBuilder &node) {
  Value x = node.getInput(0);
  auto type = node.typeOf(x);
  bool isUpper = node.getBool("upper", true);
  if (!canChoose(node, 0))
    return;
  if (type.getRank() < 2)
    return node.fail(node.describeInput(0) + " must be of matrices, found " + nn::describe(type));
  nn::Extents extents = node.extentsOf(0);
  AffineExpr height = extents[extents.size() - 2], width = extents.back();
  Value k = node.getInput(1) ? asScalar(node, 1) : node.createScalar(0, node.getBuilder().getI64Type());
  if (node.failed())
    return;
  Type integer = node.getBuilder().getI64Type();
  // A diagonal beyond a corner is as good as any: sums stay in range.
  k = node.create<nn::MaxOp>(k, node.createScalar(-static_cast<double>(node.boundsOf(height).most), integer));
  k = node.create<nn::MinOp>(k, node.createScalar(static_cast<double>(node.boundsOf(width).most), integer));
  Value diagonal = node.create<nn::AddOp>(createCounts(node, height, 0, 2), k);
  Value columns = createCounts(node, width, 1, 2);
  Value isDropped = isUpper ? node.create<nn::LessOp>(columns, diagonal) : node.create<nn::LessOp>(diagonal, columns);
  node.setResult(0, node.create<nn::WhereOp>(isDropped, node.createScalar(0, type.getElementType()), x));
}

/// The element type that attribute 'dtype' names; `byDefault` without it. Null after an error.
Type readElementType(NodeBuilder &node, Type byDefault) {
  if (!node.hasAttribute("dtype"))
    return byDefault;
  int64_t number = node.getInt("dtype");
  Type element =
      number >= 0 && number <= INT32_MAX ? mlirElementType(static_cast<int32_t>(number), node.getContext()) : Type();
  if (!element)
    node.fail("'dtype' must be an element type that is supported, found " + Twine(number));
  return element;
}

void buildEyeLike(NodeBuilder &node) {
  auto type = node.typeOf(0);
  int64_t k = node.getInt("k", 0);
  Type element = readElementType(node, type.getElementType());
  if (node.failed())
    return;
  if (type.getRank() != 2 || !type.hasStaticShape())
    return node.fail(node.describeInput(0) + " must be a matrix of known extents, found " + nn::describe(type));
  if (type.getNumElements() > mostCounted)
    return node.fail("there may be " + Twine(mostCounted) + " elements, found " + nn::describe(type));
  nn::HostTensor eye(RankedTensorType::get(type.getShape(), element));
  int64_t height = type.getDimSize(0), width = type.getDimSize(1);
  for (int64_t row = std::max<int64_t>(0, k < 0 ? -std::max(k, -height) : 0); row < height; ++row)
    if (k < width && row + k < width)
      eye.set(row * width + row + k, 1);
  node.setResult(0, node.createConstant(eye.toAttr()));
}

// ------------------------------------------------------------------------------------------------------------ counting

/// The number of steps from `start` before `limit`; nothing where there are too many, or it is no number.
std::optional<int64_t> countSteps(const nn::HostTensor &start, const nn::HostTensor &limit,
                                  const nn::HostTensor &delta) {
  double count;
  if (isa<FloatType>(start.type().getElementType())) {
    count = std::ceil((limit.toDouble(0) - start.toDouble(0)) / delta.toDouble(0));
  } else {
    __int128 step = delta.toInteger(0), distance = static_cast<__int128>(limit.toInteger(0)) - start.toInteger(0);
    if (step == 0)
      return std::nullopt;
    if (step < 0)
      step = -step, distance = -distance;
    count = distance <= 0 ? 0 : static_cast<double>((distance + step - 1) / step);
  }
  if (!(count <= static_cast<double>(mostCounted)))
    return std::nullopt;
  return count <= 0 ? 0 : static_cast<int64_t>(count);
}

/// From extents, in steps that are known: start + delta * [0, count). False where the inputs are otherwise.
bool buildOpenRange(NodeBuilder &node) {
  if (!isa<IntegerType>(node.typeOf(0).getElementType()))
    return false;
  nn::Extents ends;
  for (size_t index : {0, 1, 2}) {
    std::optional<nn::Extents> value = node.evaluate(index);
    if (!value || value->size() != 1)
      return false;
    ends.push_back(value->front());
  }
  std::optional<int64_t> delta = nn::numberOf(ends[2]);
  if (llvm::all_of(ends, nn::numberOf) || !delta || *delta < 1)
    return false;
  AffineExpr distance = nn::difference(ends[1], ends[0]);
  if (node.boundsOf(distance).least < 0)
    return false;
  Value counts = createCounts(node, nn::quotient(nn::sum(distance, *delta - 1), *delta), 0, 1);
  Type integer = node.getBuilder().getI64Type(), element = node.typeOf(0).getElementType();
  if (*delta != 1)
    counts = node.create<nn::MulOp>(counts, node.createScalar(static_cast<double>(*delta), integer));
  if (!nn::isNumber(ends[0], 0))
    counts = node.create<nn::AddOp>(counts, node.createExtents(ends[0]));
  node.setResult(0, element == integer ? counts : node.create<nn::CastOp>(counts, element));
  return true;
}

/// How many there are at most, where extents tell.
std::optional<int64_t> mostSteps(NodeBuilder &node) {
  llvm::SmallVector<nn::Interval, 3> ends;
  for (size_t index : {0, 1, 2}) {
    std::optional<nn::Extents> value = node.evaluate(index);
    if (!value || value->size() != 1)
      return std::nullopt;
    ends.push_back(node.boundsOf(value->front()));
  }
  if (ends[2].least < 1)
    return std::nullopt;
  int64_t distance = std::max<int64_t>(0, ends[1].most - ends[0].least);
  return (distance + ends[2].least - 1) / ends[2].least;
}

/// start + delta * [0, count), all of them known at run time only.
void buildFoundRange(NodeBuilder &node) {
  auto type = node.typeOf(0);
  Value ends[3];
  for (size_t index : {0, 1, 2}) {
    ends[index] = node.createReshape(node.getInput(index), {});
    if (!node.failed() && node.typeOf(ends[index]).getElementType() != type.getElementType())
      node.fail(node.describeInput(index) + " must be one number of the first one's type, found " +
                nn::describe(node.typeOf(index)));
  }
  int64_t most = node.outputBound(0, mostSteps(node));
  if (node.failed())
    return;
  AffineMap found = node.createFoundDim(most);
  node.getBuilder().create<nn::CountStepsOp>(node.getLocation(), ends[0], ends[1], ends[2], found);
  Value counts = createCounts(node, found.getResult(0), 0, 1);
  if (counts && node.typeOf(counts).getElementType() != type.getElementType())
    counts = node.create<nn::CastOp>(counts, type.getElementType());
  node.setResult(0, node.create<nn::AddOp>(node.create<nn::MulOp>(counts, ends[2]), ends[0]));
}

void buildRange(NodeBuilder &node) {
  if (buildOpenRange(node))
    return;
  for (size_t index : {0, 1, 2})
    if (auto type = node.typeOf(index); !type.hasStaticShape() || type.getNumElements() != 1)
      return node.fail(node.describeInput(index) + " must be one number, found " + nn::describe(type));
  if (!llvm::all_of(node.getInputs(), NodeBuilder::getConstant))
    return buildFoundRange(node);
  llvm::SmallVector<nn::HostTensor, 3> ends;
  for (size_t index : {0, 1, 2}) {
    std::optional<nn::HostTensor> known = NodeBuilder::viewConstant(node.getInput(index));
    if (known->type().getElementType() != node.typeOf(0).getElementType())
      return node.fail(node.describeInput(index) + " must be one number of the first one's type, found " +
                       nn::describe(known->type()));
    ends.push_back(*known);
  }
  std::optional<int64_t> count = countSteps(ends[0], ends[1], ends[2]);
  if (!count)
    return node.fail("start, limit and delta must give at most " + Twine(mostCounted) + " elements");
  Type element = node.typeOf(0).getElementType();
  nn::HostTensor result(RankedTensorType::get({*count}, element));
  for (int64_t i = 0; i < *count; ++i) {
    if (element.isF32())
      result.set(i, static_cast<float>(i) * static_cast<float>(ends[2].toDouble(0)) + ends[0].toDouble(0));
    else if (isa<FloatType>(element))
      result.set(i, static_cast<double>(i) * ends[2].toDouble(0) + ends[0].toDouble(0));
    else
      result.setInteger(i, ends[0].toInteger(0) + i * ends[2].toInteger(0));
  }
  node.setResult(0, node.createConstant(result.toAttr()));
}

// ------------------------------------------------------------------------------------------------------------- one-hot

/// off and on, the two values of input 2.
std::pair<Value, Value> readValues(NodeBuilder &node) {
  auto type = node.typeOf(2);
  if (type.getRank() != 1 || type.getDimSize(0) != 2) {
    node.fail(node.describeInput(2) + " must be two values, found " + nn::describe(type));
    return {};
  }
  auto at = [&](int64_t place) { return node.createReshape(node.createSliceAlong(node.getInput(2), 0, place, 1), {}); };
  return {at(0), at(1)};
}

/// Indices outside [-depth, depth) are hot nowhere.
void buildOneHot(NodeBuilder &node) {
  auto type = node.typeOf(0);
  auto rank = static_cast<size_t>(type.getRank()) + 1;
  int64_t axis = node.normalizeAxis(node.getInt("axis", -1), static_cast<int64_t>(rank));
  int64_t depth = readInt(node, 1, 0);
  if (depth < 0 || depth > INT32_MAX)
    node.fail(node.describeInput(1) + " must be at least 0 and less than 2^31, found " + Twine(depth));
  auto [off, on] = readValues(node);
  if (node.failed() || !canChoose(node, 2))
    return;
  Type integer = node.getBuilder().getI64Type();
  Value index = node.widened(node.getInput(0));
  if (index && node.typeOf(index).getElementType() != integer)
    index = node.create<nn::CastOp>(index, integer);
  nn::Extents shape = node.extentsOf(0);
  shape.insert(shape.begin() + axis, node.number(1));
  index = node.createReshapeTo(index, shape);
  Value isNegative = node.create<nn::LessOp>(index, node.createScalar(0, integer));
  Value wrapped = node.create<nn::AddOp>(index, node.createScalar(static_cast<double>(depth), integer));
  index = node.create<nn::WhereOp>(isNegative, wrapped, index);
  Value isHot =
      node.create<nn::EqualOp>(index, createCounts(node, node.number(depth), static_cast<size_t>(axis), rank));
  node.setResult(0, node.create<nn::WhereOp>(isHot, on, off));
}

} // namespace

void aotc::frontend::addPositionsRules(OpTable &table) {
  table.add("Trilu", 1, 2, buildTrilu);
  table.add("EyeLike", 1, 1, buildEyeLike);
  table.add("Range", 3, 3, buildRange, numbers);
  table.add("OneHot", 3, 3, buildOneHot, numbers);
  table.takeNarrowFloats({"Trilu", "EyeLike", "OneHot"});
}
