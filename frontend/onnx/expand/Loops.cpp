// Loop and Scan, unrolled: how often they go round has to be known when compiling.
#include "frontend/onnx/Indices.h"
#include "frontend/onnx/OpTable.h"
#include "frontend/onnx/Parts.h"
#include "frontend/onnx/SequenceValues.h"
#include "frontend/onnx/Unroller.h"
#include "ir/nn/Shapes.h"

using namespace aotc::frontend;
using namespace mlir;
using llvm::ArrayRef;
using llvm::Twine;
namespace nn = aotc::nn;

namespace {

using Values = llvm::SmallVector<Value>;

bool checkBody(NodeBuilder &node, const Graph &body, size_t inputs, size_t outputs) {
  if (body.inputs.size() == inputs && body.outputs.size() >= outputs)
    return true;
  node.fail("the body must have " + Twine(inputs) + " inputs and at least " + Twine(outputs) + " outputs, found " +
            Twine(body.inputs.size()) + " and " + Twine(body.outputs.size()));
  return false;
}

bool areThere(NodeBuilder &node, size_t from) {
  for (size_t index = from; index < node.getInputCount(); ++index)
    if (!node.getInput(index)) {
      node.fail("input " + Twine(index) + " is missing");
      return false;
    }
  return true;
}

// ---------------------------------------------------------------------------------------------------------------
// what iterations leave
/// The values that each iteration gives of one output, along a new dimension.
class Collected {
public:
  bool add(NodeBuilder &node, Value value) {
    if (node.failed())
      return false;
    if (!isTensor(value))
      node.fail("what iterations give must be tensors, found a sequence");
    values.push_back(value);
    return !node.failed();
  }
  Value stack(NodeBuilder &node, int64_t axis, bool isReversed);
  /// Without an iteration, of the type of what one would give.
  Value nothing(NodeBuilder &node, Value like, int64_t axis);

private:
  Values values;
};

Value Collected::stack(NodeBuilder &node, int64_t axis, bool isReversed) {
  axis = node.normalizeAxis(axis, node.typeOf(values.front()).getRank() + 1, "scan_output_axes");
  if (isReversed)
    std::reverse(values.begin(), values.end());
  return node.failed() ? Value() : createStack(node, values, axis);
}

Value Collected::nothing(NodeBuilder &node, Value like, int64_t axis) {
  if (!isTensor(like) || !node.typeOf(like).hasStaticShape()) {
    node.fail("the shape of what iterations give must be known when compiling, since there are none");
    return {};
  }
  IntList shape(node.typeOf(like).getShape());
  axis = node.normalizeAxis(axis, static_cast<int64_t>(shape.size()) + 1, "scan_output_axes");
  shape.insert(shape.begin() + axis, 0);
  return node.createConstant(nn::HostTensor(node.typeOf(like).clone(shape)).toAttr());
}

// ---------------------------------------------------------------------------------------------------------------
// Loop
class LoopBuilder {
public:
  LoopBuilder(NodeBuilder &node, const Graph &body)
      : node(node), body(body), unroller(node, body),
        state(node.getInputs().drop_front(std::min<size_t>(2, node.getInputCount()))) {}

  void build();

private:
  bool readCondition();
  Values arguments(int64_t iteration);
  void iterate(int64_t tripCount);
  void setResults();

  NodeBuilder &node;
  const Graph &body;
  Unroller unroller;
  Values state;
  llvm::SmallVector<Collected> collected;
  int64_t iterations = 0;
};

/// Whether there is a first iteration, as far as the condition goes.
bool LoopBuilder::readCondition() {
  Value condition = node.getInput(1);
  auto known = NodeBuilder::viewConstant(condition);
  if (condition && (!known || known->size() != 1))
    node.fail(node.describeInput(1) + ", the condition, must be known when compiling");
  return !node.failed() && (!condition || known->toInteger(0) != 0);
}

Values LoopBuilder::arguments(int64_t iteration) {
  Values values;
  nn::HostTensor count(RankedTensorType::get({}, node.getBuilder().getI64Type()));
  count.setInteger(0, iteration);
  values.push_back(node.createConstant(count.toAttr()));
  values.push_back(node.createScalar(1, node.getBuilder().getI1Type()));
  llvm::append_range(values, state);
  return values;
}

void LoopBuilder::iterate(int64_t tripCount) {
  bool goesOn = readCondition();
  for (; goesOn && iterations < tripCount && !node.failed();) {
    Values outputs = unroller.build(arguments(iterations));
    if (node.failed())
      return;
    auto known = isTensor(outputs[0]) ? NodeBuilder::viewConstant(outputs[0]) : std::nullopt;
    ++iterations;
    if (iterations < tripCount && (!known || known->size() != 1))
      return node.fail("the condition of iteration " + Twine(iterations) + " must be known when compiling");
    goesOn = known && known->toInteger(0) != 0;
    ArrayRef<Value> given = ArrayRef(outputs).drop_front();
    state.assign(given.take_front(state.size()).begin(), given.take_front(state.size()).end());
    for (auto [list, value] : llvm::zip_equal(collected, given.drop_front(state.size())))
      if (!list.add(node, value))
        return;
  }
}

void LoopBuilder::setResults() {
  for (auto [index, value] : llvm::enumerate(state))
    node.setResult(index, value);
  Values once; // what an iteration would give, where there is none: dropped afterwards
  if (iterations == 0 && !collected.empty())
    once = unroller.build(arguments(0));
  for (auto [index, list] : llvm::enumerate(collected))
    if (!node.failed())
      node.setResult(state.size() + index, iterations == 0 ? list.nothing(node, once[1 + state.size() + index], 0)
                                                           : list.stack(node, 0, /*isReversed=*/false));
}

void LoopBuilder::build() {
  size_t results = node.getNode().outputs.size();
  if (!areThere(node, 2) || !checkBody(node, body, 2 + state.size(), 1 + std::max(state.size(), results)))
    return;
  collected.resize(body.outputs.size() - 1 - state.size());
  int64_t tripCount = readInt(node, 0, INT64_MAX);
  if (!node.failed())
    iterate(tripCount);
  if (!node.failed())
    setResults();
}

void buildLoop(NodeBuilder &node) {
  if (const Graph *body = node.getGraph("body"))
    LoopBuilder(node, *body).build();
}

// ---------------------------------------------------------------------------------------------------------------
// Scan
class ScanBuilder {
public:
  ScanBuilder(NodeBuilder &node, const Graph &body) : node(node), body(body), unroller(node, body) {}

  /// From opset 9 on: axes and directions of each input and output.
  void build();
  /// Opset 8: one more dimension in front of all, whose slices are scanned one by one.
  void buildBatched();

private:
  bool readCounts(size_t firstInput);
  IntList readList(llvm::StringRef name, size_t count);
  int64_t readLength(ArrayRef<Value> sequences, ArrayRef<int64_t> axes);
  bool iterate(Values &state, ArrayRef<Value> sequences, ArrayRef<int64_t> axes, ArrayRef<int64_t> directions,
               llvm::MutableArrayRef<Collected> collected);

  NodeBuilder &node;
  const Graph &body;
  Unroller unroller;
  size_t stateCount = 0, sequenceCount = 0, collectedCount = 0;
};

bool ScanBuilder::readCounts(size_t firstInput) {
  int64_t count = node.getInt("num_scan_inputs");
  int64_t most = static_cast<int64_t>(node.getInputCount()) - static_cast<int64_t>(firstInput);
  if (!node.failed() && (count < 1 || count > most))
    node.fail("'num_scan_inputs' must lie in 1 … " + Twine(most) + ", found " + Twine(count));
  if (node.failed() || !areThere(node, firstInput))
    return false;
  sequenceCount = static_cast<size_t>(count);
  stateCount = static_cast<size_t>(most - count);
  size_t results = node.getNode().outputs.size();
  if (!checkBody(node, body, stateCount + sequenceCount, std::max(stateCount, results)))
    return false;
  collectedCount = body.outputs.size() - stateCount;
  return true;
}

IntList ScanBuilder::readList(llvm::StringRef name, size_t count) {
  IntList list = node.getInts(name).value_or(IntList(count, 0));
  if (list.size() != count)
    node.fail(quoted(name) + " must have " + Twine(count) + " values, found " + Twine(list.size()));
  list.resize(count);
  return list;
}

/// The number of iterations: the extent of all sequences along their axes.
int64_t ScanBuilder::readLength(ArrayRef<Value> sequences, ArrayRef<int64_t> axes) {
  std::optional<int64_t> length;
  for (auto [sequence, axis] : llvm::zip_equal(sequences, axes)) {
    int64_t extent = node.typeOf(sequence).getShape()[axis];
    if (ShapedType::isDynamic(extent))
      node.fail("the number of iterations must be known when compiling, found " + nn::describe(sequence.getType()));
    if (length && *length != extent)
      node.fail("all sequences must have one length, found " + Twine(*length) + " and " + Twine(extent));
    length = extent;
  }
  return length.value_or(0);
}

/// One walk through the sequences. False after an error.
bool ScanBuilder::iterate(Values &state, ArrayRef<Value> sequences, ArrayRef<int64_t> axes,
                          ArrayRef<int64_t> directions, llvm::MutableArrayRef<Collected> collected) {
  int64_t length = readLength(sequences, axes);
  for (int64_t t = 0; t < length && !node.failed(); ++t) {
    Values arguments = state;
    for (auto [sequence, axis, direction] : llvm::zip_equal(sequences, axes, directions))
      arguments.push_back(createSlot(node, sequence, axis, direction ? length - 1 - t : t));
    Values outputs = unroller.build(arguments);
    if (node.failed())
      return false;
    state.assign(outputs.begin(), outputs.begin() + stateCount);
    for (size_t k = 0; k < collectedCount; ++k)
      if (!collected[k].add(node, outputs[stateCount + k]))
        return false;
  }
  if (length == 0 && !node.failed())
    node.fail("the sequences must have at least one element");
  return !node.failed();
}

void ScanBuilder::build() {
  if (!readCounts(0))
    return;
  Values state(node.getInputs().take_front(stateCount));
  ArrayRef<Value> sequences = node.getInputs().drop_front(stateCount);
  IntList axes = readList("scan_input_axes", sequenceCount),
          inputDirections = readList("scan_input_directions", sequenceCount);
  IntList outputAxes = readList("scan_output_axes", collectedCount),
          outputDirections = readList("scan_output_directions", collectedCount);
  for (auto [axis, sequence] : llvm::zip_equal(axes, sequences))
    axis = node.normalizeAxis(axis, node.typeOf(sequence).getRank(), "scan_input_axes");
  llvm::SmallVector<Collected> collected(collectedCount);
  if (node.failed() || !iterate(state, sequences, axes, inputDirections, collected))
    return;
  node.setResults(state);
  for (size_t k = 0; k < collectedCount; ++k)
    node.setResult(stateCount + k, collected[k].stack(node, outputAxes[k], outputDirections[k] != 0));
}

void ScanBuilder::buildBatched() {
  if (node.getInput(0))
    return node.fail("'sequence_lens' is not supported: all sequences must be of full length");
  if (!readCounts(1))
    return;
  IntList directions = readList("directions", sequenceCount), axes(sequenceCount, 0);
  int64_t batch = node.typeOf(1).getRank() == 0 ? 0 : node.typeOf(1).getDimSize(0);
  for (Value input : node.getInputs().drop_front())
    if (batch < 1 || node.typeOf(input).getRank() < 1 || node.typeOf(input).getDimSize(0) != batch)
      return node.fail("all inputs must have one batch size that is known when compiling, found " +
                       nn::describe(node.typeOf(1)) + " and " + nn::describe(input.getType()));
  llvm::SmallVector<Collected> batched(stateCount + collectedCount);
  for (int64_t b = 0; b < batch && !node.failed(); ++b) {
    Values slices;
    for (Value input : node.getInputs().drop_front())
      slices.push_back(createSlot(node, input, 0, b));
    if (node.failed())
      return;
    Values state(slices.begin(), slices.begin() + stateCount);
    ArrayRef<Value> sequences = ArrayRef(slices).drop_front(stateCount);
    llvm::SmallVector<Collected> collected(collectedCount);
    if (llvm::any_of(sequences, [&](Value value) { return node.typeOf(value).getRank() == 0; }))
      return node.fail("the sequences must have a batch and a time dimension");
    if (!iterate(state, sequences, axes, directions, collected))
      return;
    for (size_t k = 0; k < stateCount; ++k)
      batched[k].add(node, state[k]);
    for (size_t k = 0; k < collectedCount; ++k)
      batched[stateCount + k].add(node, collected[k].stack(node, 0, /*isReversed=*/false));
  }
  for (size_t k = 0; k < batched.size() && !node.failed(); ++k)
    node.setResult(k, batched[k].stack(node, 0, /*isReversed=*/false));
}

void buildScan(NodeBuilder &node) {
  const Graph *body = node.getGraph("body");
  if (!body)
    return;
  ScanBuilder scan(node, *body);
  if (node.getOpset() < 9)
    scan.buildBatched();
  else
    scan.build();
}

} // namespace

void aotc::frontend::addLoopsRules(OpTable &table) {
  constexpr size_t most = 1 << 20; // the first ones may be left out
  table.add("Loop", 0, most, buildLoop);
  table.add("Scan", 0, most, buildScan);
  table.takeNarrowFloats({"Scan"}); // its body's nodes see to themselves
  table.takeSequences({"Loop"});
}
