// LSTM, GRU and RNN: the product of all time steps and the input weights, with every bias that is simply added, and
// behind it the op that goes step by step.
#include "frontend/onnx/OpTable.h"
#include "frontend/onnx/Quantized.h"
#include "ir/nn/Shapes.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace aotc::frontend;
using namespace mlir;
using llvm::StringRef;
using llvm::Twine;
namespace nn = aotc::nn;

namespace {

/// An activation: whether it has parameters, and their defaults.
struct Function {
  StringRef name;
  bool hasAlpha = false, hasBeta = false;
  float alpha = 0, beta = 0;
};

constexpr Function functions[] = {{"Relu"},
                                  {"Tanh"},
                                  {"Sigmoid"},
                                  {"Softsign"},
                                  {"Softplus"},
                                  {"Affine", true, true, 1.0f, 0.0f},
                                  {"LeakyRelu", true, false, 0.01f},
                                  {"ThresholdedRelu", true, false, 1.0f},
                                  {"ScaledTanh", true, true, 1.0f, 1.0f},
                                  {"HardSigmoid", true, true, 0.2f, 0.5f},
                                  {"Elu", true, false, 1.0f}};

/// What all three operators have in common.
struct Network {
  int64_t directions = 1, hidden = 0, gates = 0;
  bool isReversed = false, isBatchFirst = false;
  float clip = std::numeric_limits<float>::infinity();
  llvm::SmallVector<StringRef> activations;
  llvm::SmallVector<float> alpha, beta;

  ArrayAttr activationNames(NodeBuilder &node) const { return node.getBuilder().getStrArrayAttr(activations); }
};

/// One activation as ONNX spells it, with its parameters: the lists hold those that are not given by name, in order.
void addActivation(NodeBuilder &node, Network &network, StringRef name, ArrayRef<float> &alpha, ArrayRef<float> &beta) {
  const Function *function =
      llvm::find_if(functions, [&](const Function &entry) { return name.equals_insensitive(entry.name); });
  if (function == std::end(functions))
    return node.fail("'activations' must name functions of the operator, found '" + name + "'");
  auto next = [](ArrayRef<float> &list, bool isWanted, float byDefault) {
    if (!isWanted || list.empty())
      return byDefault;
    float value = list.front();
    list = list.drop_front();
    return value;
  };
  network.activations.push_back(function->name);
  network.alpha.push_back(next(alpha, function->hasAlpha, function->alpha));
  network.beta.push_back(next(beta, function->hasBeta, function->beta));
}

void readActivations(NodeBuilder &node, Network &network, ArrayRef<StringRef> defaults) {
  size_t count = defaults.size() * static_cast<size_t>(network.directions);
  llvm::SmallVector<std::string> names;
  if (auto given = node.getStrings("activations"))
    names.append(given->begin(), given->end());
  else
    for (size_t i = 0; i < count; ++i)
      names.push_back(defaults[i % defaults.size()].str());
  // RNN's default stands for two directions whatever their number.
  if (names.size() != count && !(defaults.size() == 1 && names.size() == 2))
    return node.fail("'activations' must have " + Twine(count) + " names, found " + Twine(names.size()));
  names.truncate(count);
  auto alphas = node.getFloats("activation_alpha"), betas = node.getFloats("activation_beta");
  ArrayRef<float> alpha, beta;
  if (alphas)
    alpha = *alphas;
  if (betas)
    beta = *betas;
  for (const std::string &name : names)
    addActivation(node, network, name, alpha, beta);
}

void readDirection(NodeBuilder &node, Network &network) {
  std::string direction = llvm::StringRef(node.getString("direction", "forward")).lower();
  if (!llvm::is_contained({"forward", "reverse", "bidirectional"}, direction))
    return node.fail("'direction' must be 'forward', 'reverse' or 'bidirectional', found '" + direction + "'");
  network.isReversed = direction == "reverse";
  network.directions = direction == "bidirectional" ? 2 : 1;
}

/// Attributes, and the shapes of X, W, R and B.
Network readNetwork(NodeBuilder &node, int64_t gates, ArrayRef<StringRef> defaults) {
  Network network;
  network.gates = gates;
  readDirection(node, network);
  readActivations(node, network, defaults);
  network.isBatchFirst = node.getBool("layout", false);
  network.clip = node.getFloat("clip", network.clip);
  node.ignoreAttribute("output_sequence"); // opset 1: whether Y is used, which its readers tell
  if (!(network.clip >= 0))
    node.fail("'clip' must not be negative, found " + std::to_string(network.clip));
  auto x = node.typeOf(0), w = node.typeOf(1), r = node.typeOf(2);
  if (x.getRank() != 3 || w.getRank() != 3 || r.getRank() != 3) {
    node.fail("X, W and R must have three dimensions, found " + nn::describe(x) + ", " + nn::describe(w) + " and " +
              nn::describe(r));
    return network;
  }
  network.hidden = r.getDimSize(2);
  if (int64_t given = node.getInt("hidden_size", network.hidden); given != network.hidden)
    node.fail("'hidden_size' must be the last extent of R " + nn::describe(r) + ", found " + Twine(given));
  auto expect = [&](StringRef name, Value value, ArrayRef<int64_t> shape) {
    if (value && node.typeOf(value).getShape() != shape)
      node.fail(name + " must be " + nn::describe(RankedTensorType::get(shape, x.getElementType())) + ", found " +
                nn::describe(value.getType()));
  };
  int64_t rows = gates * network.hidden;
  expect("W", node.getInput(1), {network.directions, rows, x.getDimSize(2)});
  expect("R", node.getInput(2), {network.directions, rows, network.hidden});
  expect("B", node.getInput(3), {network.directions, 2 * rows});
  return network;
}

// ------------------------------------------------------------------------------------------------------------ operands

/// B of W (0) or of R (1), [directions, gates, hidden].
Value biasOf(NodeBuilder &node, const Network &network, int64_t which) {
  Value both = node.createReshape(node.getInput(3), {network.directions, 2, network.gates, network.hidden});
  Value one = node.createSliceAlong(both, 1, which, 1);
  return node.createReshape(one, {network.directions, network.gates, network.hidden});
}

/// A product of input and weights, plus `bias` [directions, gates, hidden] where there is one.
Value withBias(NodeBuilder &node, const Network &network, Value product, Value bias) {
  if (!bias || node.failed())
    return product;
  return node.create<nn::AddOp>(product,
                                node.createReshape(bias, {network.directions * network.gates * network.hidden}));
}

/// X W' + bias.
Value project(NodeBuilder &node, const Network &network, Value bias) {
  int64_t columns = network.directions * network.gates * network.hidden;
  Value rows = node.createReshape(node.getInput(1), {columns, node.typeOf(0).getDimSize(2)});
  Value product = node.create<nn::MatMulOp>(node.getInput(0), node.createTranspose(rows, {1, 0}));
  return withBias(node, network, product, bias);
}

/// The biases of W and R, which are simply added; null where there are none.
Value bothBiases(NodeBuilder &node, const Network &network) {
  if (!node.getInput(3))
    return {};
  return node.create<nn::AddOp>(biasOf(node, network, 0), biasOf(node, network, 1));
}

bool isZero(Value value) {
  if (auto constant = NodeBuilder::viewConstant(value)) {
    for (int64_t i = 0; i < constant->size(); ++i)
      if (constant->toDouble(i) != 0)
        return false;
    return true;
  }
  Operation *op = value.getDefiningOp();
  return isa_and_nonnull<nn::ExpandOp, nn::ReshapeOp, nn::SliceOp, nn::ConcatOp, nn::TransposeOp>(op) &&
         llvm::all_of(op->getOperands(), isZero);
}

/// An initial state or peepholes; null where it is left out or zero, which is what absent ones are.
Value optionalInput(NodeBuilder &node, size_t index) {
  Value value = node.getInput(index);
  return value && isZero(value) ? Value() : value;
}

/// Null where all sequences have all steps.
Value readLengths(NodeBuilder &node, const Network &network) {
  Value lengths = node.getInput(4);
  auto known = lengths ? NodeBuilder::viewConstant(lengths) : std::nullopt;
  int64_t steps = node.typeOf(0).getDimSize(network.isBatchFirst ? 1 : 0);
  if (!known || ShapedType::isDynamic(steps))
    return lengths;
  bool isFull = true;
  for (int64_t i = 0; i < known->size(); ++i) {
    int64_t length = known->toInteger(i);
    if (length < 0 || length > steps)
      node.fail(node.describeInput(4) + " must lie in 0 … " + Twine(steps) + ", found " + Twine(length));
    isFull &= length == steps;
  }
  return isFull ? Value() : lengths;
}

// ------------------------------------------------------------------------------------------------------- the operators

/// Everything behind the product of input and weights, where R has ONNX's order.
void createLstm(NodeBuilder &node, const Network &network, Value gates, Value r) {
  bool isCoupled = node.getBool("input_forget", false);
  Value lengths = readLengths(node, network), peepholes = optionalInput(node, 7);
  node.setResults(node.createAll<nn::LstmOp>(3, gates, r, lengths, optionalInput(node, 5), optionalInput(node, 6),
                                             peepholes, /*scales=*/Value(), network.isReversed, network.isBatchFirst,
                                             llvm::APFloat(network.clip), network.activationNames(node), network.alpha,
                                             network.beta, isCoupled));
}

Network readLstm(NodeBuilder &node) { return readNetwork(node, 4, {"Sigmoid", "Tanh", "Tanh"}); }

void buildLstm(NodeBuilder &node) {
  Network network = readLstm(node);
  if (!node.failed())
    createLstm(node, network, project(node, network, bothBiases(node, network)), node.getInput(2));
}

/// With linear_before_reset, the bias of R's last gate is scaled by the reset gate: it cannot join the others.
Value projectForGru(NodeBuilder &node, const Network &network, Value &bias) {
  Value input = biasOf(node, network, 0), recurrent = biasOf(node, network, 1);
  bias = node.createReshape(node.createSliceAlong(recurrent, 1, 2, 1), {network.directions, network.hidden});
  if (node.failed())
    return {};
  auto type = RankedTensorType::get({network.directions, 1, network.hidden}, node.typeOf(recurrent).getElementType());
  Value parts[] = {node.createSliceAlong(recurrent, 1, 0, 2), node.createSplat(0, type)};
  Value added = node.create<nn::ConcatOp>(ValueRange(parts), 1);
  return project(node, network, node.create<nn::AddOp>(input, added));
}

void buildGru(NodeBuilder &node) {
  Network network = readNetwork(node, 3, {"Sigmoid", "Tanh"});
  bool isLinearBeforeReset = node.getBool("linear_before_reset", false);
  if (node.failed())
    return;
  Value bias, gates = isLinearBeforeReset && node.getInput(3) ? projectForGru(node, network, bias)
                                                              : project(node, network, bothBiases(node, network));
  node.setResults(node.createAll<nn::GruOp>(2, gates, node.getInput(2), readLengths(node, network),
                                            optionalInput(node, 5), bias, network.isReversed, network.isBatchFirst,
                                            llvm::APFloat(network.clip), network.activationNames(node), network.alpha,
                                            network.beta, isLinearBeforeReset));
}

void buildRnn(NodeBuilder &node) {
  Network network = readNetwork(node, 1, {"Tanh"});
  if (node.failed())
    return;
  Value gates = project(node, network, bothBiases(node, network));
  node.setResults(node.createAll<nn::RnnOp>(
      2, gates, node.getInput(2), readLengths(node, network), optionalInput(node, 5), network.isReversed,
      network.isBatchFirst, llvm::APFloat(network.clip), network.activationNames(node), network.alpha, network.beta));
}

/// Weights of bytes in ONNX's order, [directions * gates * hidden, columns], with a scale and a zero point for each row.
struct QuantizedRows {
  Value bytes, scales, zeroPoints;
};

/// The weights at input `index`, [directions, columns, gates * hidden]. The scale and the zero point at `scale` and
/// behind it are one for each direction, or one for each of the gates' units.
QuantizedRows quantizedRows(NodeBuilder &node, size_t index, size_t scale) {
  auto type = node.typeOf(index), scales = node.typeOf(scale);
  if (type.getRank() != 3 || scales.getRank() < 1 || scales.getRank() > 2 ||
      node.typeOf(scale + 1).getShape() != scales.getShape()) {
    node.fail(node.describeInput(index) + " must have three dimensions, its scale and zero point one or two, found " +
              nn::describe(type) + ", " + nn::describe(scales) + " and " + nn::describe(node.typeOf(scale + 1)));
    return {};
  }
  int64_t directions = type.getDimSize(0), units = type.getDimSize(2), rows = directions * units;
  auto forEachRow = [&](Value value) {
    Value matrix = node.createReshape(value, {scales.getDimSize(0), scales.getRank() == 2 ? scales.getDimSize(1) : 1});
    return node.createReshape(node.createExpand(matrix, {directions, units}), {rows});
  };
  Value bytes = node.createReshape(node.createTranspose(node.getInput(index), {0, 2, 1}), {rows, type.getDimSize(1)});
  return {bytes, forEachRow(node.getInput(scale)), forEachRow(node.getInput(scale + 1))};
}

/// Their real values, [directions, gates * hidden, columns].
Value dequantized(NodeBuilder &node, const QuantizedRows &rows, RankedTensorType input) {
  Value real = node.create<nn::DequantizeOp>(rows.bytes, rows.scales, rows.zeroPoints, /*axis=*/0, /*block_size=*/0);
  return node.createReshape(real, {input.getDimSize(0), input.getDimSize(2), input.getDimSize(1)});
}

/// An LSTM of quantized weights, whose input is quantized to 8 bits as a whole. ONNX Runtime quantizes the state of
/// each step too, of as many sequences at a time as its threads make; here it stays as it is.
void buildDynamicQuantizeLstm(NodeBuilder &node) {
  for (size_t index = 8; index < 12; ++index)
    if (!node.getInput(index))
      return node.fail("input " + Twine(index) + " is missing");
  QuantizedRows w = quantizedRows(node, 1, 8), r = quantizedRows(node, 2, 10);
  DynamicallyQuantized x = dynamicallyQuantized(node, node.getInput(0));
  if (node.failed())
    return;
  node.setInput(1, dequantized(node, w, node.typeOf(1))); // for its shape alone
  node.setInput(2, dequantized(node, r, node.typeOf(2)));
  Network network = readLstm(node);
  if (node.failed())
    return;
  Value sums = integerProduct(node, x.x, node.createTranspose(w.bytes, {1, 0}), x.zeroPoint, w.zeroPoints);
  Value product = scaledSums(node, sums, node.create<nn::MulOp>(x.scale, w.scales));
  createLstm(node, network, withBias(node, network, product, bothBiases(node, network)), node.getInput(2));
}

} // namespace

void aotc::frontend::addRecurrentRules(OpTable &table) {
  table.add("com.microsoft.DynamicQuantizeLSTM", 3, 12, buildDynamicQuantizeLstm, floats);
  table.add("LSTM", 3, 8, buildLstm, floats);
  table.add("GRU", 3, 6, buildGru, floats);
  table.add("RNN", 3, 6, buildRnn, floats);
}
