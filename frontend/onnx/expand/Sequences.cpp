// Sequences and optionals, all of which are known when compiling: their operators only choose among values.
#include "frontend/onnx/Indices.h"
#include "frontend/onnx/OpTable.h"
#include "frontend/onnx/Parts.h"
#include "frontend/onnx/SequenceValues.h"
#include "frontend/onnx/Unroller.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
using llvm::Twine;
namespace nn = aotc::nn;

namespace {

using Elements = llvm::SmallVector<Value>;

void setSequence(NodeBuilder &node, size_t result, ValueRange elements) {
  if (!node.failed())
    node.setResult(result, createSequence(node.getBuilder(), node.getLocation(), elements));
}

/// The elements of input 0, an error where it is no sequence.
Elements readSequence(NodeBuilder &node) {
  if (isSequence(node.getInput(0)))
    return elementsOf(node.getInput(0));
  node.fail(node.describeInput(0) + " must be a sequence");
  return {};
}

/// A place in [-count, count + behind); negative ones count from the end.
size_t readPosition(NodeBuilder &node, size_t index, size_t count, int64_t byDefault, int64_t behind) {
  int64_t position = readInt(node, index, byDefault), size = static_cast<int64_t>(count);
  if (!node.failed() && (position < -size || position >= size + behind))
    node.fail("the position must lie in " + Twine(-size) + " … " + Twine(size + behind - 1) + ", found " +
              Twine(position));
  return node.failed() ? 0 : static_cast<size_t>(position < 0 ? position + size : position);
}

bool areTensors(NodeBuilder &node, size_t from) {
  for (size_t index = from; index < node.getInputCount(); ++index)
    if (node.getInput(index) && !isTensor(node.getInput(index))) {
      node.fail(node.describeInput(index) + " must be a tensor");
      return false;
    }
  return true;
}

// ----------------------------------------------------------------------------------------------------------- sequences

void buildConstruct(NodeBuilder &node) {
  if (!areTensors(node, 0))
    return;
  for (Value input : node.getInputs())
    if (node.typeOf(input).getElementType() != node.typeOf(0).getElementType())
      return node.fail("elements must have one element type, found " + nn::describe(node.typeOf(0)) + " and " +
                       nn::describe(input.getType()));
  setSequence(node, 0, node.getInputs());
}

void buildEmpty(NodeBuilder &node) {
  node.ignoreAttribute("dtype");
  setSequence(node, 0, {});
}

void buildInsert(NodeBuilder &node) {
  Elements elements = readSequence(node);
  if (node.failed() || !areTensors(node, 1))
    return;
  size_t position = readPosition(node, 2, elements.size(), static_cast<int64_t>(elements.size()), 1);
  elements.insert(elements.begin() + position, node.getInput(1));
  setSequence(node, 0, elements);
}

void buildErase(NodeBuilder &node) {
  Elements elements = readSequence(node);
  size_t position = readPosition(node, 1, elements.size(), -1, 0);
  if (node.failed())
    return;
  elements.erase(elements.begin() + position);
  setSequence(node, 0, elements);
}

void buildAt(NodeBuilder &node) {
  Elements elements = readSequence(node);
  size_t position = readPosition(node, 1, elements.size(), 0, 0);
  if (!node.failed())
    node.setResult(0, elements[position]);
}

void buildLength(NodeBuilder &node) {
  Elements elements = readSequence(node);
  node.setResult(0, node.createScalar(static_cast<double>(elements.size()), node.getBuilder().getI64Type()));
}

/// The lengths of the parts that a dimension is split into.
IntList readLengths(NodeBuilder &node, int64_t extent) {
  Value split = node.getInput(1);
  IntList lengths;
  if (split && node.typeOf(split).getRank() == 1)
    return node.getConstantInts(1).value_or(IntList());
  int64_t length = readInt(node, 1, 1);
  if (length < 1)
    node.fail("the parts must have at least one slice, found " + Twine(length));
  for (int64_t at = 0; at < extent && !node.failed(); at += length)
    lengths.push_back(std::min(length, extent - at));
  return lengths;
}

void buildSplit(NodeBuilder &node) {
  if (!areTensors(node, 0))
    return;
  auto type = node.typeOf(0);
  int64_t axis = node.normalizeAxis(node.getInt("axis", 0), type.getRank());
  bool keepDims = node.getBool("keepdims", true) || node.getInput(1);
  if (node.failed())
    return;
  int64_t extent = type.getShape()[axis], at = 0;
  if (ShapedType::isDynamic(extent))
    return node.fail("dimension " + Twine(axis) + " of " + nn::describe(type) + " must be known when compiling");
  Elements parts;
  for (int64_t length : readLengths(node, extent)) {
    if (length < 0 || length > extent - at)
      return node.fail("the parts must add up to " + Twine(extent));
    parts.push_back(keepDims ? createPart(node, node.getInput(0), axis, at, at + length)
                             : createSlot(node, node.getInput(0), axis, at));
    at += length;
  }
  if (at != extent)
    return node.fail("the parts must add up to " + Twine(extent) + ", found " + Twine(at));
  setSequence(node, 0, parts);
}

void buildConcat(NodeBuilder &node) {
  Elements elements = readSequence(node);
  bool isNew = node.getBool("new_axis", false);
  int64_t axis = node.getInt("axis");
  if (elements.empty())
    return node.fail("the sequence must have elements");
  if (node.failed())
    return;
  axis = node.normalizeAxis(axis, node.typeOf(elements[0]).getRank() + (isNew ? 1 : 0));
  if (node.failed())
    return;
  node.setResult(0, isNew ? createStack(node, elements, axis)
                          : node.create<nn::ConcatOp>(ValueRange(elements), static_cast<uint64_t>(axis)));
}

/// The body for each element of the first sequence; other sequences give an element each, tensors are the same for all.
void buildMap(NodeBuilder &node) {
  const Graph *body = node.getGraph("body");
  Elements elements = readSequence(node);
  if (node.failed())
    return;
  size_t count = node.getNode().outputs.size();
  if (body->inputs.size() != node.getInputCount() || body->outputs.size() < count)
    return node.fail("the body must have " + Twine(node.getInputCount()) + " inputs and " + Twine(count) +
                     " outputs, found " + Twine(body->inputs.size()) + " and " + Twine(body->outputs.size()));
  llvm::SmallVector<Elements> results(count);
  Unroller unroller(node, *body);
  for (size_t i = 0; i < elements.size(); ++i) {
    Elements arguments;
    for (Value input : node.getInputs()) {
      if (isSequence(input) && elementsOf(input).size() != elements.size())
        return node.fail("all sequences must have " + Twine(elements.size()) + " elements, found " +
                         Twine(elementsOf(input).size()));
      arguments.push_back(isSequence(input) ? elementsOf(input)[i] : input);
    }
    Elements outputs = unroller.build(arguments);
    for (size_t k = 0; k < count && !node.failed(); ++k)
      results[k].push_back(outputs[k]);
  }
  for (auto [k, list] : llvm::enumerate(results))
    setSequence(node, k, list);
}

// ----------------------------------------------------------------------------------------------------------- optionals

void buildOptional(NodeBuilder &node) {
  node.ignoreAttribute("type");
  node.setResult(0, node.getInput(0) ? node.getInput(0) : createNothing(node.getBuilder(), node.getLocation()));
}

void buildHasElement(NodeBuilder &node) {
  bool hasElement = node.getInput(0) && !isNothing(node.getInput(0));
  node.setResult(0, node.createScalar(hasElement, node.getBuilder().getI1Type()));
}

void buildGetElement(NodeBuilder &node) {
  if (isNothing(node.getInput(0)))
    return node.fail(node.describeInput(0) + " must have an element");
  node.setResult(0, node.getInput(0));
}

} // namespace

void aotc::frontend::addSequencesRules(OpTable &table) {
  table.add("SequenceConstruct", 1, anyNumber, buildConstruct);
  table.add("SequenceEmpty", 0, 0, buildEmpty);
  table.add("SequenceInsert", 2, 3, buildInsert);
  table.add("SequenceErase", 1, 2, buildErase);
  table.add("SequenceAt", 2, 2, buildAt);
  table.add("SequenceLength", 1, 1, buildLength);
  table.add("SplitToSequence", 1, 2, buildSplit);
  table.add("ConcatFromSequence", 1, 1, buildConcat);
  table.add("SequenceMap", 1, anyNumber, buildMap);
  table.add("Optional", 0, 1, buildOptional);
  table.add("OptionalHasElement", 0, 1, buildHasElement);
  table.add("OptionalGetElement", 1, 1, buildGetElement);
  table.takeSequences({"SequenceConstruct", "SequenceEmpty", "SequenceInsert", "SequenceErase", "SequenceAt",
                       "SequenceLength", "SplitToSequence", "ConcatFromSequence", "SequenceMap", "Optional",
                       "OptionalHasElement", "OptionalGetElement"});
}
