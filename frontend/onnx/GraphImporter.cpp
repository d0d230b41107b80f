// The loop over the nodes: find the operator, bring the node to the newest opset, build it, check what the model
// declares about the results. A node that fails leaves null values, and nodes that need those are passed over: what
// they would report follows from the first error.
#include "frontend/onnx/GraphImporter.h"

#include "frontend/onnx/SequenceValues.h"
#include "ir/nn/Shapes.h"

#include "mlir/IR/Diagnostics.h"

using namespace aotc::frontend;
using namespace mlir;
using llvm::Twine;
namespace nn = aotc::nn;

namespace {

constexpr int32_t stringElement = onnx::TensorProto_DataType_STRING;

bool isIn(Type element, unsigned classes) {
  if (isa<FloatType>(element))
    return classes & floats;
  if (element.isInteger(1))
    return classes & bools;
  return classes & (element.isUnsignedInteger() ? unsignedInts : signedInts);
}

std::string classText(unsigned classes) {
  std::string text;
  auto add = [&](unsigned one, llvm::StringRef name) {
    if (classes & one)
      text += (text.empty() ? "" : " or ") + name.str();
  };
  add(floats, "floats");
  add(signedInts, "signed integers");
  add(unsignedInts, "unsigned integers");
  add(bools, "bools");
  return text;
}

} // namespace

GraphImporter::GraphImporter(const Model &model, OpBuilder &builder, ExternalData &external, Diagnostics &diagnostics)
    : model(model), builder(builder), diagnostics(diagnostics), external(external), constants(builder.getContext()),
      tensors(constants, external, diagnostics), values(model.values.size()), isUsed(model.values.size()) {
  markUses(model.graph);
}

void GraphImporter::markUses(const Graph &graph) {
  auto mark = [&](ValueId id) {
    if (id != absentValue)
      isUsed[static_cast<size_t>(id)] = true;
  };
  for (const Node &node : graph.nodes) {
    llvm::for_each(node.inputs, mark);
    for (const Subgraph &subgraph : node.subgraphs)
      markUses(*subgraph.graph);
  }
  llvm::for_each(graph.outputs, mark);
}

bool GraphImporter::checkOperators(const Graph &graph) {
  bool supported = true;
  for (const Node &node : graph.nodes) {
    if (!table.find(node.domain, node.opType)) {
      diagnostics.error(model.describe(node) + ": the operator is not supported");
      supported = false;
    }
    for (const Subgraph &subgraph : node.subgraphs)
      supported &= checkOperators(*subgraph.graph);
  }
  return supported;
}

// -------------------------------------------------------------------------------------------------------- initializers

ElementsAttr GraphImporter::readInitializer(const GraphValue &value) {
  std::string what = "initializer " + quoted(value.name);
  auto data = takeTensorData(*value.initializer, what, external, diagnostics);
  return data ? constants.get(std::move(*data), what, diagnostics) : ElementsAttr();
}

void GraphImporter::importInitializers(const Graph &graph) {
  for (ValueId id : graph.initializers) {
    const GraphValue &value = model.value(id);
    if (!isUsed[static_cast<size_t>(id)])
      continue;
    ElementsAttr &contents = initializers[id];
    if (!contents)
      contents = readInitializer(value);
    if (contents) {
      Location location = NameLoc::get(builder.getStringAttr(value.name));
      setValue(id, builder.create<nn::ConstantOp>(location, contents.getShapedType(), contents));
    }
  }
}

// --------------------------------------------------------------------------------------------------------------- nodes

void GraphImporter::importGraph(const Graph &graph) {
  importInitializers(graph);
  for (const Node &node : graph.nodes)
    importNode(node);
}

/// Those of an earlier iteration.
void GraphImporter::forgetResults(const Graph &graph) {
  for (const Node &node : graph.nodes)
    for (ValueId id : node.outputs)
      if (id != absentValue)
        setValue(id, {});
}

llvm::SmallVector<Value> GraphImporter::importSubgraph(const Graph &graph, ValueRange arguments) {
  forgetResults(graph);
  nodesOfSubgraphs += graph.nodes.size();
  for (auto [id, argument] : llvm::zip_equal(graph.inputs, arguments))
    setValue(id, argument);
  importGraph(graph);
  return llvm::to_vector(llvm::map_range(graph.outputs, [&](ValueId id) { return getValue(id); }));
}

/// Sequences and optionals go to operators that know of them.
bool GraphImporter::checkKinds(NodeBuilder &node, const Operator &op) {
  for (size_t index = 0; index < node.getInputCount() && !op.takesSequences; ++index)
    if (Value input = node.getInput(index); input && !isTensor(input)) {
      node.fail(node.describeInput(index) + " must be a tensor, found a sequence or an optional");
      return false;
    }
  return true;
}

bool GraphImporter::checkInputs(NodeBuilder &node, const Operator &op) {
  size_t count = node.getInputCount();
  if (node.getNode().outputs.empty()) {
    node.fail("there must be an output");
    return false;
  }
  for (size_t index = 0; index < op.leastInputs; ++index)
    if (!node.getInput(index)) {
      node.fail("input " + Twine(index) + " is missing");
      return false;
    }
  if (count > op.mostInputs) {
    node.fail("there may be " + Twine(op.mostInputs) + " inputs, found " + Twine(count));
    return false;
  }
  if (op.mostInputs == anyNumber && llvm::is_contained(node.getInputs(), Value())) {
    node.fail("none of the inputs may be left out");
    return false;
  }
  if (count && node.getInput(0) && isTensor(node.getInput(0)) && !isIn(node.typeOf(0).getElementType(), op.elements)) {
    node.fail(node.describeInput(0) + " must be of " + classText(op.elements) + ", found " +
              nn::describe(node.typeOf(0)));
    return false;
  }
  return true;
}

void GraphImporter::importNode(const Node &node) {
  llvm::SmallVector<Value, 4> inputs;
  for (ValueId id : node.inputs) {
    inputs.push_back(id == absentValue ? Value() : getValue(id));
    if (id != absentValue && !inputs.back())
      return;
  }
  for (ValueId id : node.captures)
    if (!getValue(id) && model.value(id).kind != ValueKind::result)
      return;
  NodeBuilder nodeBuilder(model, node, std::move(inputs), builder, tensors, shapeValues, *this, diagnostics);
  // Types are inferred by the dialect; what it reports is about this node.
  ScopedDiagnosticHandler handler(builder.getContext(), [&](mlir::Diagnostic &message) {
    nodeBuilder.fail(message.str());
    return success();
  });
  if (passClasses(nodeBuilder))
    return keepResults(nodeBuilder);
  if (nodeBuilder.failed())
    return;
  const Operator &op = *table.find(node.domain, node.opType);
  // Upgrades may add the inputs that used to be attributes, so the first one only is checked before.
  if (op.leastInputs > 0 && !nodeBuilder.getInput(0))
    return nodeBuilder.fail("input 0 is missing");
  if (!checkKinds(nodeBuilder, op))
    return;
  if (!op.takesNarrowFloats)
    nodeBuilder.widenInputs();
  for (auto [before, upgrade] : op.upgrades)
    if (node.opset < before && !nodeBuilder.failed())
      upgrade(nodeBuilder);
  if (!nodeBuilder.failed() && checkInputs(nodeBuilder, op))
    op.build(nodeBuilder);
  nodeBuilder.narrowResults();
  if (!nodeBuilder.failed())
    nodeBuilder.checkAllAttributesRead();
  if (!nodeBuilder.failed())
    keepResults(nodeBuilder);
}

/// Whether integers stand in the place of the strings of a class list.
bool GraphImporter::isStrings(ValueId id) const {
  mlir::ArrayAttr classes = classLists.lookup(id);
  return classes && !classes.empty() && isa<StringAttr>(classes[0]) &&
         cast<RankedTensorType>(getValue(id).getType()).getElementType().isInteger(64);
}

/// What stands for strings may only be passed on. True where that is all that the node does.
bool GraphImporter::passClasses(NodeBuilder &node) {
  const Node &source = node.getNode();
  auto strings = llvm::find_if(source.inputs, [&](ValueId id) { return id != absentValue && isStrings(id); });
  if (strings == source.inputs.end()) {
    if (source.opType == "Identity" && !source.inputs.empty() && classLists.count(source.inputs.front()))
      node.setClassList(0, classLists.lookup(source.inputs.front()));
    return false;
  }
  bool passes = source.opType == "Identity" || (source.opType == "Cast" && node.getInt("to", 0) == stringElement);
  if (!source.domain.empty() || !passes) {
    node.fail(node.describeInput(static_cast<size_t>(strings - source.inputs.begin())) +
              " is of strings, which are supported as outputs of the model only");
    return false;
  }
  node.setClassList(0, classLists.lookup(*strings));
  node.setResult(0, node.getInput(0));
  return true;
}

/// Integers that follow from extents, as just that: what computed them is dead then.
Value GraphImporter::foldedShapeValue(NodeBuilder &node, Value value) {
  if (!value || NodeBuilder::getConstant(value))
    return value;
  std::optional<nn::Extents> extents = shapeValues.evaluate(value);
  if (!extents || extents->empty())
    return value;
  RankedTensorType type = node.typeOf(value);
  Value list = node.createReshape(node.createExtents(*extents), type.getShape());
  return type.getElementType().isInteger(64) ? list : node.create<nn::CastOp>(list, type.getElementType());
}

void GraphImporter::keepResults(NodeBuilder &node) {
  llvm::ArrayRef<Value> results = node.getResults();
  for (auto [index, classes] : node.getClassLists())
    if (index < node.getNode().outputs.size() && node.getNode().outputs[index] != absentValue)
      classLists[node.getNode().outputs[index]] = classes;
  for (auto [index, id] : llvm::enumerate(node.getNode().outputs)) {
    Value result = index < results.size() ? results[index] : Value();
    if (id == absentValue)
      continue;
    result = foldedShapeValue(node, result);
    if (!result && isUsed[static_cast<size_t>(id)])
      return node.fail("output " + Twine(index) + " (" + quoted(model.value(id).name) + ") is not supported");
    setValue(id, result);
    if (result && isTensor(result))
      checkDeclared(node, id, node.typeOf(result));
    if (node.failed())
      setValue(id, Value());
  }
}

/// An element type that contradicts is an error. A shape is worth a warning: tools write wrong ones, and ONNX Runtime runs
/// such models as they are.
void GraphImporter::checkDeclared(NodeBuilder &node, ValueId id, RankedTensorType inferred) {
  const GraphValue &value = model.value(id);
  if (!value.declared || !value.declared->type().has_tensor_type())
    return;
  const onnx::TypeProto_Tensor &declared = value.declared->type().tensor_type();
  auto contradiction = [&](const Twine &what) {
    return ("output " + quoted(value.name) + " is declared as " + what + ", found " + nn::describe(inferred)).str();
  };
  bool isStringInPlace = declared.elem_type() == stringElement && isStrings(id);
  if (declared.elem_type() != 0 && !isStringInPlace &&
      mlirElementType(declared.elem_type(), builder.getContext()) != inferred.getElementType())
    return node.fail(contradiction(elementTypeName(declared.elem_type())));
  if (!declared.has_shape() || shapesWereClosed)
    return;
  std::string text = "[";
  bool fits = declared.shape().dim_size() == inferred.getRank();
  for (int i = 0; i < declared.shape().dim_size(); ++i) {
    const onnx::TensorShapeProto_Dimension &dim = declared.shape().dim(i);
    bool isNumber = dim.has_dim_value() && dim.dim_value() >= 0;
    text += (i ? "," : "") + (isNumber ? std::to_string(dim.dim_value()) : "?");
    if (fits && isNumber && !inferred.isDynamicDim(static_cast<unsigned>(i)))
      fits = dim.dim_value() == inferred.getDimSize(static_cast<unsigned>(i));
  }
  if (!fits && warnedOf.insert(id).second)
    diagnostics.warning(model.describe(node.getNode()) + ": " + contradiction(text + "]"));
}
