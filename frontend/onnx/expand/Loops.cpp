// Loop and Scan: unrolled where it is known when compiling how often they go round, else one loop of the run.
#include "frontend/onnx/Attempt.h"
#include "frontend/onnx/Indices.h"
#include "frontend/onnx/OpTable.h"
#include "frontend/onnx/Parts.h"
#include "frontend/onnx/RuntimeLoop.h"
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

// ----------------------------------------------------------------------------------------------- what iterations leave

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

// ---------------------------------------------------------------------------------------------------------------- Loop

class LoopBuilder {
public:
  LoopBuilder(NodeBuilder &node, const Graph &body)
      : node(node), body(body), unroller(node, body),
        initial(node.getInputs().drop_front(std::min<size_t>(2, node.getInputCount()))) {}

  void build();

private:
  std::optional<int64_t> known(Value value);
  Values arguments(Value number, ValueRange state);
  bool unroll();
  bool iterate(int64_t tripCount, Values &state);
  void setResults(const Values &state);
  Value scalar(size_t index, int64_t byDefault, Type element);
  std::optional<int64_t> mostIterations();
  RuntimeLoop::Outputs buildIteration(Value number, ValueRange state);
  void buildAtRunTime();

  NodeBuilder &node;
  const Graph &body;
  Unroller unroller;
  const Values initial;
  llvm::SmallVector<Collected> collected;
  int64_t iterations = 0;
};

/// The one number or flag that a value is, where that is known when compiling.
std::optional<int64_t> LoopBuilder::known(Value value) {
  auto constant = value && isTensor(value) ? NodeBuilder::viewConstant(value) : std::nullopt;
  return constant && constant->size() == 1 ? std::optional<int64_t>(constant->toInteger(0)) : std::nullopt;
}

Values LoopBuilder::arguments(Value number, ValueRange state) {
  Values values{number, node.createScalar(1, node.getBuilder().getI1Type())};
  llvm::append_range(values, state);
  return values;
}

/// False where only the run knows whether there is one more iteration, or where there are too many.
bool LoopBuilder::iterate(int64_t tripCount, Values &state) {
  for (bool goesOn = true; goesOn && iterations < tripCount;) {
    if (unroller.isFull())
      return false;
    nn::HostTensor count(RankedTensorType::get({}, node.getBuilder().getI64Type()));
    count.setInteger(0, iterations);
    Values outputs = unroller.build(arguments(node.createConstant(count.toAttr()), state));
    if (node.failed())
      return true;
    std::optional<int64_t> condition = known(outputs[0]);
    ++iterations;
    if (iterations < tripCount && !condition)
      return false;
    goesOn = condition.value_or(0) != 0;
    ArrayRef<Value> given = ArrayRef(outputs).drop_front();
    state.assign(given.take_front(state.size()).begin(), given.take_front(state.size()).end());
    for (auto [list, value] : llvm::zip_equal(collected, given.drop_front(state.size())))
      if (!list.add(node, value))
        return true;
  }
  return true;
}

void LoopBuilder::setResults(const Values &state) {
  for (auto [index, value] : llvm::enumerate(state))
    node.setResult(index, value);
  Values once; // what an iteration would give, where there is none: dropped afterwards
  if (iterations == 0 && !collected.empty())
    once = unroller.build(arguments(node.createScalar(0, node.getBuilder().getI64Type()), initial));
  for (auto [index, list] : llvm::enumerate(collected))
    if (!node.failed())
      node.setResult(state.size() + index, iterations == 0 ? list.nothing(node, once[1 + state.size() + index], 0)
                                                           : list.stack(node, 0, /*isReversed=*/false));
}

/// False where the loop has to stay one.
bool LoopBuilder::unroll() {
  std::optional<int64_t> tripCount = node.getInput(0) ? known(node.getInput(0)) : INT64_MAX;
  std::optional<int64_t> condition = node.getInput(1) ? known(node.getInput(1)) : 1;
  if (!tripCount || !condition)
    return false;
  Attempt attempt(node);
  Values state = initial;
  if (!iterate(*condition ? *tripCount : 0, state))
    return false;
  if (!node.failed())
    setResults(state);
  attempt.keepOps();
  return true;
}

/// An input of one element as a scalar; a constant where it is left out.
Value LoopBuilder::scalar(size_t index, int64_t byDefault, Type element) {
  Value value = node.getInput(index);
  if (!value) {
    nn::HostTensor constant(RankedTensorType::get({}, element));
    constant.setInteger(0, byDefault);
    return node.createConstant(constant.toAttr());
  }
  auto type = isTensor(value) ? node.typeOf(value) : RankedTensorType();
  if (!type || !type.hasStaticShape() || type.getNumElements() != 1 || type.getElementType() != element)
    node.fail(node.describeInput(index) + " must be one " + (element.isInteger(1) ? "bool" : "int64"));
  return node.createReshape(value, {});
}

std::optional<int64_t> LoopBuilder::mostIterations() {
  if (!node.getInput(0))
    return std::nullopt;
  std::optional<nn::Extents> count = node.evaluate(0);
  if (!count || count->size() != 1)
    return std::nullopt;
  return std::max<int64_t>(0, node.boundsOf(count->front()).most);
}

RuntimeLoop::Outputs LoopBuilder::buildIteration(Value number, ValueRange state) {
  Values outputs = unroller.build(arguments(number, state));
  if (!node.failed() && !llvm::all_of(outputs, isTensor))
    node.fail("what a loop carries and gives must be tensors where its iterations are counted at run time");
  if (node.failed())
    return {};
  auto type = node.typeOf(outputs[0]);
  if (!type.hasStaticShape() || type.getNumElements() != 1 || !type.getElementType().isInteger(1))
    node.fail("the body's condition must be one bool, found " + nn::describe(type));
  Value condition = node.createReshape(outputs[0], {});
  auto *next = outputs.begin() + 1, *given = next + initial.size();
  return {condition, Values(next, given), Values(given, outputs.end())};
}

void LoopBuilder::buildAtRunTime() {
  if (!llvm::all_of(initial, isTensor))
    return node.fail("what a loop carries must be tensors where its iterations are counted at run time");
  RuntimeLoop loop;
  loop.tripCount = scalar(0, INT64_MAX, node.getBuilder().getI64Type());
  loop.condition = scalar(1, 1, node.getBuilder().getI1Type());
  loop.initial = initial;
  loop.mostIterations = mostIterations();
  loop.buildBody = [&](Value number, ValueRange state) { return buildIteration(number, state); };
  if (!node.failed())
    node.setResults(createRuntimeLoop(node, loop));
}

void LoopBuilder::build() {
  size_t results = node.getNode().outputs.size();
  if (!areThere(node, 2) || !checkBody(node, body, 2 + initial.size(), 1 + std::max(initial.size(), results)))
    return;
  collected.resize(body.outputs.size() - 1 - initial.size());
  if (!unroll())
    buildAtRunTime();
}

void buildLoop(NodeBuilder &node) {
  if (const Graph *body = node.getGraph("body"))
    LoopBuilder(node, *body).build();
}

// ---------------------------------------------------------------------------------------------------------------- Scan

struct ScanAxes {
  IntList inputs, inputDirections, outputs, outputDirections;
};

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
  AffineExpr readLength(ArrayRef<Value> sequences, ArrayRef<int64_t> axes);
  bool iterate(Values &state, ArrayRef<Value> sequences, ArrayRef<int64_t> axes, ArrayRef<int64_t> directions,
               llvm::MutableArrayRef<Collected> collected);
  bool unroll(const ScanAxes &axes);
  Value createElement(Value sequence, int64_t axis, bool isReversed, AffineExpr length, Value number);
  Value orderCollected(Value collected, int64_t axis, bool isReversed, AffineExpr length);
  void buildAtRunTime(const ScanAxes &axes);

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

/// The number of iterations: the extent of all sequences along their axes. Null after an error.
AffineExpr ScanBuilder::readLength(ArrayRef<Value> sequences, ArrayRef<int64_t> axes) {
  AffineExpr length;
  for (auto [sequence, axis] : llvm::zip_equal(sequences, axes)) {
    AffineExpr extent = nn::extentsOf(sequence)[static_cast<size_t>(axis)];
    if (length && length != extent)
      node.fail("all sequences must have one length, found " + node.describe({length, extent}));
    length = extent;
  }
  return node.failed() ? AffineExpr() : length;
}

/// One walk through the sequences. False after an error, or where there are too many iterations.
bool ScanBuilder::iterate(Values &state, ArrayRef<Value> sequences, ArrayRef<int64_t> axes,
                          ArrayRef<int64_t> directions, llvm::MutableArrayRef<Collected> collected) {
  AffineExpr extent = readLength(sequences, axes);
  if (!extent)
    return false;
  std::optional<int64_t> known = nn::numberOf(extent);
  for (int64_t t = 0; known && t < *known && !node.failed(); ++t) {
    if (unroller.isFull())
      return false;
    Values arguments = state;
    for (auto [sequence, axis, direction] : llvm::zip_equal(sequences, axes, directions))
      arguments.push_back(createSlot(node, sequence, axis, direction ? *known - 1 - t : t));
    Values outputs = unroller.build(arguments);
    if (node.failed())
      return false;
    state.assign(outputs.begin(), outputs.begin() + stateCount);
    for (size_t k = 0; k < collectedCount; ++k)
      if (!collected[k].add(node, outputs[stateCount + k]))
        return false;
  }
  if (known == 0 && !node.failed())
    node.fail("the sequences must have at least one element");
  return known && !node.failed();
}

/// False where the loop has to stay one.
bool ScanBuilder::unroll(const ScanAxes &axes) {
  Attempt attempt(node);
  Values state(node.getInputs().take_front(stateCount));
  llvm::SmallVector<Collected> collected(collectedCount);
  ArrayRef<Value> sequences = node.getInputs().drop_front(stateCount);
  if (!iterate(state, sequences, axes.inputs, axes.inputDirections, collected))
    return node.failed();
  node.setResults(state);
  for (size_t k = 0; k < collectedCount; ++k)
    node.setResult(stateCount + k, collected[k].stack(node, axes.outputs[k], axes.outputDirections[k] != 0));
  attempt.keepOps();
  return true;
}

/// Element `number` of a sequence, from its end on where it is reversed.
Value ScanBuilder::createElement(Value sequence, int64_t axis, bool isReversed, AffineExpr length, Value number) {
  if (isReversed) {
    Value last = node.createReshape(node.createExtents(nn::sum(length, -1)), {});
    number = node.create<nn::SubOp>(last, number);
  }
  return node.create<nn::GatherOp>(sequence, number, static_cast<uint64_t>(axis));
}

/// What iterations gave along dimension 0, with that dimension and their order as the node wants them.
Value ScanBuilder::orderCollected(Value collected, int64_t axis, bool isReversed, AffineExpr length) {
  auto rank = node.typeOf(collected).getRank();
  axis = node.normalizeAxis(axis, rank, "scan_output_axes");
  if (isReversed && !node.failed()) {
    Value last = node.createExtents(nn::sum(length, -1));
    collected = node.create<nn::GatherOp>(collected, node.create<nn::SubOp>(last, createCounts(node, length, 0, 1)),
                                          uint64_t{0});
  }
  if (axis == 0 || node.failed())
    return collected;
  IntList permutation;
  for (int64_t d = 1; d < rank; ++d)
    permutation.push_back(d);
  permutation.insert(permutation.begin() + axis, 0);
  return node.createTranspose(collected, permutation);
}

void ScanBuilder::buildAtRunTime(const ScanAxes &axes) {
  ArrayRef<Value> sequences = node.getInputs().drop_front(stateCount);
  AffineExpr length = readLength(sequences, axes.inputs);
  RuntimeLoop loop;
  loop.tripCount = node.createReshape(node.createExtents(length), {});
  loop.condition = node.createScalar(1, node.getBuilder().getI1Type());
  loop.initial = Values(node.getInputs().take_front(stateCount));
  loop.mostIterations = node.boundsOf(length).most;
  loop.iterations = length;
  loop.buildBody = [&](Value number, ValueRange state) -> RuntimeLoop::Outputs {
    Values arguments(state);
    for (auto [sequence, axis, direction] : llvm::zip_equal(sequences, axes.inputs, axes.inputDirections))
      arguments.push_back(createElement(sequence, axis, direction != 0, length, number));
    Values outputs = unroller.build(arguments);
    if (node.failed())
      return {};
    auto *given = outputs.begin() + stateCount;
    return {loop.condition, Values(outputs.begin(), given), Values(given, outputs.end())};
  };
  Values results = node.failed() ? Values() : createRuntimeLoop(node, loop);
  if (node.failed())
    return;
  for (size_t k = 0; k < collectedCount; ++k)
    if (results[stateCount + k])
      results[stateCount + k] =
          orderCollected(results[stateCount + k], axes.outputs[k], axes.outputDirections[k] != 0, length);
  node.setResults(results);
}

void ScanBuilder::build() {
  if (!readCounts(0))
    return;
  ArrayRef<Value> sequences = node.getInputs().drop_front(stateCount);
  ScanAxes axes{readList("scan_input_axes", sequenceCount), readList("scan_input_directions", sequenceCount),
                readList("scan_output_axes", collectedCount), readList("scan_output_directions", collectedCount)};
  for (auto [axis, sequence] : llvm::zip_equal(axes.inputs, sequences))
    axis = node.normalizeAxis(axis, node.typeOf(sequence).getRank(), "scan_input_axes");
  if (!node.failed() && !unroll(axes))
    buildAtRunTime(axes);
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
    if (!iterate(state, sequences, axes, directions, collected)) {
      node.fail("the number of iterations must be known when compiling, and must not be large");
      return;
    }
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
  table.takeNarrowFloats({"Loop", "Scan"}); // their bodies' nodes see to themselves
  table.takeSequences({"Loop"});
}
