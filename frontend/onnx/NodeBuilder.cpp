// Attributes, checks and building for the rules of the importer; see the header.
#include "frontend/onnx/NodeBuilder.h"

#include "frontend/onnx/Attributes.h"
#include "frontend/onnx/Quantized.h"
#include "ir/nn/Shapes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace aotc::frontend;
using namespace mlir;
using llvm::Twine;
namespace nn = aotc::nn;

namespace {

// A splat takes no memory until it is folded into something.
constexpr int64_t largestFoldedSplatBytes = 1 << 20;

bool isLargeSplat(Value value) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(NodeBuilder::getConstant(value));
  return dense && dense.isSplat() &&
         dense.getNumElements() > largestFoldedSplatBytes / nn::elementBytes(dense.getElementType());
}

} // namespace

ElementsAttr AttributeTensors::get(onnx::TensorProto &tensor, const std::string &what) {
  auto place = known.find(&tensor);
  if (place != known.end())
    return place->second;
  ElementsAttr result;
  if (auto data = takeTensorData(tensor, what, external, diagnostics))
    result = constants.get(std::move(*data), what, diagnostics);
  known.emplace(&tensor, result);
  return result;
}

NodeBuilder::NodeBuilder(const Model &model, const Node &node, llvm::SmallVector<Value, 4> inputs, OpBuilder &builder,
                         AttributeTensors &tensors, ShapeValues &shapeValues, SubgraphImporter &subgraphs,
                         Diagnostics &diagnostics)
    : model(model), node(node), inputs(std::move(inputs)), builder(builder), location(builder.getUnknownLoc()),
      tensors(tensors), shapeValues(shapeValues), subgraphs(subgraphs), diagnostics(diagnostics) {
  std::string name = node.name;
  for (ValueId output : node.outputs)
    if (name.empty() && output != absentValue)
      name = model.value(output).name;
  location = nn::nodeLocation(builder.getContext(), name, node.opType, node.opset);
}

// -------------------------------------------------------------------------------------------------------------- errors

void NodeBuilder::fail(const Twine &why, const Twine &wayOut) {
  if (!hasFailed) {
    diagnostics.error(model.describe(node) + ": " + why);
    if (!wayOut.isTriviallyEmpty())
      diagnostics.note(wayOut);
  }
  hasFailed = true;
}

std::string NodeBuilder::describeInput(size_t index) const {
  std::string text = "input " + std::to_string(index);
  if (index < node.inputs.size() && node.inputs[index] != absentValue)
    text += " (" + quoted(model.value(node.inputs[index]).name) + ")";
  return text;
}

// -------------------------------------------------------------------------------------------------------------- inputs

void NodeBuilder::setInput(size_t index, Value value) {
  if (inputs.size() <= index)
    inputs.resize(index + 1);
  inputs[index] = value;
}

ElementsAttr NodeBuilder::getConstant(Value value) {
  auto constant = value ? value.getDefiningOp<nn::ConstantOp>() : nn::ConstantOp();
  return constant ? constant.getValue() : ElementsAttr();
}

std::optional<nn::HostTensor> NodeBuilder::viewConstant(Value value) {
  ElementsAttr constant = getConstant(value);
  if (!constant)
    return std::nullopt;
  if (isLargeSplat(value))
    constant = cast<DenseElementsAttr>(constant).resizeSplat(RankedTensorType::get({1}, constant.getElementType()));
  return nn::HostTensor::view(constant);
}

/// A list given as an input; nothing where it is left out or after an error.
std::optional<nn::HostTensor> NodeBuilder::viewList(size_t index, bool isFloat) {
  constexpr int64_t longestList = 4096;
  Value value = getInput(index);
  if (!value || hasFailed)
    return std::nullopt;
  ElementsAttr constant = knownElements(value);
  if (!constant) {
    fail(describeInput(index) + " must be known when compiling");
    return std::nullopt;
  }
  auto type = typeOf(value);
  if (isa<FloatType>(type.getElementType()) != isFloat || type.getRank() > 1 || type.getNumElements() > longestList) {
    fail(describeInput(index) + " must be a list of " + (isFloat ? "floats" : "integers") + ", found " +
         nn::describe(type));
    return std::nullopt;
  }
  return nn::HostTensor::view(constant);
}

std::optional<IntList> NodeBuilder::getConstantInts(size_t index) {
  std::optional<nn::HostTensor> elements = viewList(index, /*isFloat=*/false);
  if (!elements)
    return std::nullopt;
  IntList values;
  for (int64_t i = 0; i < elements->size(); ++i)
    values.push_back(elements->toInteger(i));
  return values;
}

std::optional<nn::Extents> NodeBuilder::getExtents(size_t index) {
  Value value = getInput(index);
  if (!value || hasFailed)
    return std::nullopt;
  auto type = typeOf(value);
  std::optional<nn::Extents> extents;
  if (type.getRank() <= 1 && !getConstant(value))
    extents = shapeValues.evaluate(value);
  if (extents)
    return extents;
  std::optional<IntList> numbers = getConstantInts(index);
  if (!numbers)
    return std::nullopt;
  return llvm::map_to_vector(*numbers, [&](int64_t value) { return number(value); });
}

std::optional<llvm::SmallVector<double, 4>> NodeBuilder::getConstantFloats(size_t index) {
  std::optional<nn::HostTensor> elements = viewList(index, /*isFloat=*/true);
  if (!elements)
    return std::nullopt;
  llvm::SmallVector<double, 4> values;
  for (int64_t i = 0; i < elements->size(); ++i)
    values.push_back(elements->toDouble(i));
  return values;
}

// ---------------------------------------------------------------------------------------------------------- attributes

/// Null where the attribute is not there or, after an error, of another kind.
const onnx::AttributeProto *NodeBuilder::find(llvm::StringRef name, onnx::AttributeProto_AttributeType kind) {
  read.insert(name);
  const NodeAttribute *attribute = node.findAttribute(name);
  if (!attribute)
    return nullptr;
  onnx::AttributeProto_AttributeType found = kindOf(*attribute->value);
  // An empty list may come without a type.
  if (found == kind || found == onnx::AttributeProto_AttributeType_UNDEFINED)
    return attribute->value;
  fail(quoted(name) + " must be " + kindText(kind) + ", found " + kindText(found));
  return nullptr;
}

int64_t NodeBuilder::getInt(llvm::StringRef name, int64_t byDefault) {
  const onnx::AttributeProto *attribute = find(name, onnx::AttributeProto_AttributeType_INT);
  return attribute ? attribute->i() : byDefault;
}

int64_t NodeBuilder::getInt(llvm::StringRef name) {
  if (!hasAttribute(name))
    fail("attribute " + quoted(name) + " is missing");
  return getInt(name, 0);
}

float NodeBuilder::getFloat(llvm::StringRef name, float byDefault) {
  const onnx::AttributeProto *attribute = find(name, onnx::AttributeProto_AttributeType_FLOAT);
  return attribute ? attribute->f() : byDefault;
}

std::string NodeBuilder::getString(llvm::StringRef name, llvm::StringRef byDefault) {
  const onnx::AttributeProto *attribute = find(name, onnx::AttributeProto_AttributeType_STRING);
  return attribute ? attribute->s() : byDefault.str();
}

std::optional<IntList> NodeBuilder::getInts(llvm::StringRef name) {
  const onnx::AttributeProto *attribute = find(name, onnx::AttributeProto_AttributeType_INTS);
  if (!attribute)
    return std::nullopt;
  return IntList(attribute->ints().begin(), attribute->ints().end());
}

std::optional<llvm::SmallVector<float, 4>> NodeBuilder::getFloats(llvm::StringRef name) {
  const onnx::AttributeProto *attribute = find(name, onnx::AttributeProto_AttributeType_FLOATS);
  if (!attribute)
    return std::nullopt;
  return llvm::SmallVector<float, 4>(attribute->floats().begin(), attribute->floats().end());
}

std::optional<llvm::SmallVector<std::string, 4>> NodeBuilder::getStrings(llvm::StringRef name) {
  const onnx::AttributeProto *attribute = find(name, onnx::AttributeProto_AttributeType_STRINGS);
  if (!attribute)
    return std::nullopt;
  return llvm::SmallVector<std::string, 4>(attribute->strings().begin(), attribute->strings().end());
}

ElementsAttr NodeBuilder::getTensor(llvm::StringRef name) {
  if (!find(name, onnx::AttributeProto_AttributeType_TENSOR))
    return {};
  onnx::TensorProto &tensor = *node.findAttribute(name)->value->mutable_t();
  ElementsAttr result = tensors.get(tensor, model.describe(node) + ": attribute " + quoted(name));
  hasFailed |= !result;
  return result;
}

mlir::Attribute NodeBuilder::getAttributeLike(llvm::StringRef name, mlir::Attribute like) {
  read.insert(name);
  const NodeAttribute *attribute = node.findAttribute(name);
  if (!attribute)
    return {};
  mlir::Attribute value = convertAttribute(*attribute->value, like, getContext());
  if (value && (!like || value.getTypeID() == like.getTypeID()))
    return value;
  fail(quoted(name) + " must not be " + kindText(kindOf(*attribute->value)));
  return {};
}

const Graph *NodeBuilder::getGraph(llvm::StringRef name) {
  read.insert(name);
  for (const Subgraph &subgraph : node.subgraphs)
    if (subgraph.attribute == name)
      return subgraph.graph.get();
  fail(quoted(name) + " must be a graph");
  return nullptr;
}

void NodeBuilder::checkAllAttributesRead() {
  for (const NodeAttribute &attribute : node.attributes)
    if (!read.contains(attribute.name))
      return fail("attribute " + quoted(attribute.name) + " is not known");
}

// -------------------------------------------------------------------------------------------------------------- checks

int64_t NodeBuilder::normalizeAxis(int64_t axis, int64_t rank, llvm::StringRef name) {
  if (axis >= -rank && axis < rank)
    return axis < 0 ? axis + rank : axis;
  fail(quoted(name) + " must be within the rank " + Twine(rank) + ", found " + Twine(axis));
  return 0;
}

IntList NodeBuilder::normalizeAxes(llvm::ArrayRef<int64_t> axes, int64_t rank) {
  IntList result;
  for (int64_t axis : axes)
    result.push_back(normalizeAxis(axis, rank, "axes"));
  llvm::sort(result);
  if (!hasFailed && std::adjacent_find(result.begin(), result.end()) != result.end())
    fail("'axes' must differ from each other");
  return result;
}

llvm::ArrayRef<nn::Dim> NodeBuilder::getDims() {
  if (!dims)
    dims = nn::dimsAround(shapeValues.getEntry());
  return *dims;
}

AffineMap NodeBuilder::createFoundDim(int64_t most, size_t output) {
  std::string name = "found";
  if (output < node.outputs.size() && node.outputs[output] != absentValue)
    name = model.value(node.outputs[output]).name + "_count";
  for (ValueId output : node.outputs)
    if (name == "found" && output != absentValue)
      name = model.value(output).name + "_count";
  AffineExpr dim = nn::addFoundDim(shapeValues.getEntry(), name, most);
  dims.reset();
  return nn::mapOf(dim).getValue();
}

std::optional<int64_t> NodeBuilder::givenBound(size_t index) const {
  bool isNamed = index < node.outputs.size() && node.outputs[index] != absentValue;
  return isNamed ? model.outputBounds.find(model.value(node.outputs[index]).name) : std::nullopt;
}

int64_t NodeBuilder::outputBound(size_t index, std::optional<int64_t> derived) {
  std::optional<int64_t> given = givenBound(index);
  if (given || derived)
    return given ? *given : *derived;
  if (hasFailed)
    return 0;
  bool isNamed = index < node.outputs.size() && node.outputs[index] != absentValue;
  std::string name = isNamed ? model.value(node.outputs[index]).name : "";
  fail("the extent of output " + Twine(index) + (isNamed ? " (" + quoted(name) + ")" : "") +
           " is found at run time, and nothing tells how large it may be",
       isNamed ? Twine("give its bound by '--output-bound " + name + "=N'") : Twine());
  return 0;
}

AffineExpr NodeBuilder::createReadExtent(Value value, AffineExpr limit, int64_t most) {
  if (hasFailed)
    return {};
  AffineMap map = AffineMap::get(0, static_cast<unsigned>(getDims().size()), limit), found = createFoundDim(most);
  builder.create<nn::ReadExtentOp>(location, value, map, found);
  return found.getResult(0);
}

std::string NodeBuilder::describe(llvm::ArrayRef<AffineExpr> extents) {
  auto text = [&](AffineExpr extent) { return nn::textOf(extent, getDims()); };
  return "[" + llvm::join(llvm::map_range(extents, text), ",") + "]";
}

/// Extents that the run knows must be expressions of its dims, and not negative whatever those are.
bool NodeBuilder::checkResult(RankedTensorType type) {
  if (!nn::hasValidExtents(type)) {
    fail("the extents of the result " + nn::describe(type) +
         " must be known when compiling, pin the dimensions that "
         "they come from");
    return false;
  }
  nn::Extents extents = nn::extentsOf(type);
  IntList largest;
  for (AffineExpr extent : extents) {
    nn::Interval bounds = boundsOf(extent);
    if (bounds.least < 0) {
      fail("the result " + describe(extents) + " must have no negative extent, found " + Twine(bounds.least) +
           " at the least sizes of the dimensions");
      return false;
    }
    largest.push_back(bounds.most);
  }
  if (elementCount(largest))
    return true;
  fail("the result must have fewer than 2^31 elements, found " + nn::describe(type));
  return false;
}

// ------------------------------------------------------------------------------------------------------------ building

llvm::SmallVector<Value> NodeBuilder::insertAndFold(OperationState &state) {
  for (Type type : state.types)
    if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && !checkResult(tensor))
      return {};
  Operation *op = builder.create(state);
  llvm::SmallVector<Value> folded;
  bool canFold = llvm::none_of(op->getOperands(), isLargeSplat);
  // Success without a result is a fold in place.
  if (canFold && succeeded(builder.tryFold(op, folded)) && !folded.empty()) {
    op->erase();
    return folded;
  }
  return op->getResults();
}

Value NodeBuilder::createConstant(ElementsAttr value) {
  if (hasFailed || !value)
    return {};
  return builder.create<nn::ConstantOp>(location, value.getShapedType(), value);
}

Value NodeBuilder::createInts(llvm::ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, builder.getI64Type());
  return createConstant(DenseElementsAttr::get(type, values));
}

Value NodeBuilder::createSplat(double value, RankedTensorType type) {
  nn::HostTensor scalar(RankedTensorType::get({}, type.getElementType()));
  scalar.set(0, value);
  return createConstant(cast<DenseElementsAttr>(scalar.toAttr()).resizeSplat(type));
}

Value NodeBuilder::createScalar(double value, Type element) {
  return createSplat(value, RankedTensorType::get({}, element));
}

Value NodeBuilder::createReshape(Value x, llvm::ArrayRef<int64_t> shape) {
  if (hasFailed)
    return x;
  nn::Extents extents = nn::extentsOf(shape, {}, getContext()), all = nn::extentsOf(typeOf(x)), known, unknown;
  llvm::copy_if(extents, std::back_inserter(known), [](AffineExpr extent) { return extent != nullptr; });
  llvm::copy_if(all, std::back_inserter(unknown), [](AffineExpr extent) { return !nn::numberOf(extent); });
  if (known.size() + 1 == extents.size())
    unknown = {nn::exactQuotient(nn::product(all, getContext()), nn::product(known, getContext()))};
  if (known.size() + unknown.size() == extents.size())
    for (auto [place, extent] : llvm::zip(llvm::make_filter_range(extents, [](AffineExpr e) { return !e; }), unknown))
      place = extent;
  return createReshapeTo(x, extents);
}

Value NodeBuilder::createReshapeTo(Value x, llvm::ArrayRef<AffineExpr> extents) {
  if (hasFailed || nn::extentsOf(typeOf(x)) == nn::Extents(extents))
    return x;
  return create<nn::ReshapeOp>(x, nn::shapeOf(extents), nn::mapOf(extents));
}

Value NodeBuilder::createExtents(llvm::ArrayRef<AffineExpr> extents) {
  if (AffineMapAttr map = nn::mapOf(extents))
    return create<nn::ExtentsOp>(map);
  return createInts(nn::shapeOf(extents));
}

Value NodeBuilder::createExpand(Value x, llvm::ArrayRef<AffineExpr> extents) {
  if (hasFailed || nn::extentsOf(typeOf(x)) == nn::Extents(extents))
    return x;
  return create<nn::ExpandOp>(x, nn::shapeOf(extents), nn::mapOf(extents));
}

Value NodeBuilder::createSlice(Value x, llvm::ArrayRef<AffineExpr> starts, llvm::ArrayRef<AffineExpr> sizes,
                               llvm::ArrayRef<int64_t> steps) {
  if (hasFailed)
    return {};
  nn::Extents both(starts);
  llvm::append_range(both, sizes);
  return create<nn::SliceOp>(x, nn::shapeOf(starts), nn::shapeOf(sizes), steps, nn::mapOf(both));
}

Value NodeBuilder::createExpand(Value x, llvm::ArrayRef<int64_t> shape) {
  return createExpand(x, nn::extentsOf(shape, {}, getContext()));
}

Value NodeBuilder::createSlice(Value x, llvm::ArrayRef<int64_t> starts, llvm::ArrayRef<int64_t> sizes,
                               llvm::ArrayRef<int64_t> steps) {
  return createSlice(x, nn::extentsOf(starts, {}, getContext()), nn::extentsOf(sizes, {}, getContext()), steps);
}

Value NodeBuilder::createSliceAlong(Value x, size_t axis, int64_t start, int64_t size) {
  if (hasFailed)
    return {};
  nn::Extents sizes = nn::extentsOf(typeOf(x)), starts(sizes.size(), number(0));
  if (sizes[axis] == number(size))
    return x;
  starts[axis] = number(start);
  sizes[axis] = number(size);
  return createSlice(x, starts, sizes, IntList(sizes.size(), 1));
}

Value NodeBuilder::createTranspose(Value x, llvm::ArrayRef<int64_t> permutation) {
  return create<nn::TransposeOp>(x, permutation);
}

// ------------------------------------------------------------------------------------------------------- narrow floats

bool NodeBuilder::isNarrowFloat(Type element) {
  return isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
}

Value NodeBuilder::widened(Value value) {
  if (!value || !isNarrowFloat(typeOf(value).getElementType()))
    return value;
  auto narrowing = value.getDefiningOp<nn::CastOp>();
  if (narrowing && typeOf(narrowing.getX()).getElementType().isF32())
    return create<nn::RoundToOp>(narrowing.getX(), narrowing.getTo());
  return create<nn::CastOp>(value, builder.getF32Type());
}

void NodeBuilder::widenInputs() {
  auto isFloat = [&](Value value) { return value && isa<FloatType>(typeOf(value).getElementType()); };
  auto first = llvm::find_if(inputs, isFloat);
  if (first != inputs.end() && isNarrowFloat(typeOf(*first).getElementType()))
    narrowType = typeOf(*first).getElementType();
  for (Value &input : inputs)
    input = widened(input);
}

void NodeBuilder::narrowResults() {
  for (Value &result : results)
    if (narrowType && result && typeOf(result).getElementType().isF32())
      result = create<nn::CastOp>(result, narrowType);
}

void NodeBuilder::setResults(ValueRange values) { results.assign(values.begin(), values.end()); }

void NodeBuilder::setResult(size_t index, Value value) {
  if (results.size() <= index)
    results.resize(index + 1);
  results[index] = value;
}
