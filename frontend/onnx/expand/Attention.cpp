// Attention: heads split, caches joined, masks of all kinds made one bias.
#include "frontend/onnx/Attention.h"

#include "frontend/onnx/OpTable.h"
#include "ir/nn/Shapes.h"

#include <limits>

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

constexpr double nothing = -std::numeric_limits<double>::infinity();

/// Where queries are among the keys, and which keys they may see: from their own place `left` back and `right` forth
/// (-1: all). Query i is at `past` + i, or at i less the number of queries behind the `lengths` of each example.
struct Visibility {
  int64_t queries = 0, keys = 0, past = 0, left = -1, right = -1;
  Value lengths; ///< [batch]; null where every key counts
};

/// 0 where `isVisible`, a tensor of bools, holds, and -infinity elsewhere.
Value biasOf(NodeBuilder &node, Value isVisible, Type element) {
  return node.create<nn::WhereOp>(isVisible, node.createScalar(0, element), node.createScalar(nothing, element));
}

Value both(NodeBuilder &node, Value x, Value y) { return x && y ? node.create<nn::AndOp>(x, y) : x ? x : y; }

/// Not "y < x".
Value atMost(NodeBuilder &node, Value x, Value y) { return node.create<nn::NotOp>(node.create<nn::LessOp>(y, x)); }

/// value(query, key) for all of them, [queries, keys].
template <class Function> Value tabulate(NodeBuilder &node, const Visibility &sight, Type element, Function value) {
  nn::HostTensor table(RankedTensorType::get({sight.queries, sight.keys}, element));
  for (int64_t i = 0; i < sight.queries; ++i)
    for (int64_t j = 0; j < sight.keys; ++j)
      if (isa<FloatType>(element))
        table.set(i * sight.keys + j, static_cast<double>(value(i, j)));
      else
        table.setInteger(i * sight.keys + j, static_cast<int64_t>(value(i, j)));
  return node.createConstant(table.toAttr());
}

/// Which keys are seen where that is known when compiling; null where all are.
Value knownSight(NodeBuilder &node, const Visibility &sight, Type element) {
  if (sight.left < 0 && sight.right < 0)
    return {};
  return tabulate(node, sight, element, [&](int64_t i, int64_t j) {
    int64_t distance = j - i - sight.past;
    bool isSeen = (sight.left < 0 || distance >= -sight.left) && (sight.right < 0 || distance <= sight.right);
    return isSeen ? 0 : nothing;
  });
}

/// The same where examples have lengths, [batch, 1, queries, keys].
Value computedSight(NodeBuilder &node, const Visibility &sight, Type element) {
  Type i64 = node.getBuilder().getI64Type();
  auto number = [&](int64_t value) { return node.createScalar(static_cast<double>(value), i64); };
  Value lengths = node.createReshape(node.create<nn::CastOp>(sight.lengths, i64),
                                     {node.typeOf(sight.lengths).getDimSize(0), 1, 1, 1});
  Value keys = tabulate(node, sight, i64, [](int64_t, int64_t j) { return j; });
  Value seen = node.create<nn::LessOp>(keys, lengths);
  // key - query, and how many keys lie before the first query
  Value distance = tabulate(node, sight, i64, [](int64_t i, int64_t j) { return j - i; });
  Value before = node.create<nn::SubOp>(lengths, number(sight.queries));
  if (sight.left >= 0)
    seen = both(node, seen, atMost(node, node.create<nn::SubOp>(before, number(sight.left)), distance));
  if (sight.right >= 0)
    seen = both(node, seen, atMost(node, distance, node.create<nn::AddOp>(before, number(sight.right))));
  return biasOf(node, seen, element);
}

/// The mask's last dimension up to the number of keys; what is missing is not seen.
Value padded(NodeBuilder &node, Value mask, int64_t keys) {
  auto type = node.typeOf(mask);
  int64_t rank = type.getRank(), length = rank ? type.getShape().back() : keys;
  if (length == keys || length > keys || ShapedType::isDynamic(length))
    return mask;
  IntList low(static_cast<size_t>(rank), 0), high(low);
  high.back() = keys - length;
  nn::HostTensor fill(RankedTensorType::get({}, type.getElementType()));
  fill.set(0, nothing);
  return node.create<nn::PadOp>(
      mask, low, high, nn::PadMode::Constant,
      cast<TypedAttr>(cast<DenseElementsAttr>(fill.toAttr()).getSplatValue<mlir::Attribute>()));
}

/// A mask of bools or of numbers as numbers to add.
Value maskBias(NodeBuilder &node, Value mask, int64_t keys, Type element) {
  auto type = node.typeOf(mask);
  if (type.getElementType().isInteger(1))
    return padded(node, biasOf(node, mask, element), keys);
  if (type.getElementType() != element)
    node.fail("the mask must be of bools or of the query's type, found " + nn::describe(type));
  return node.failed() ? Value() : padded(node, mask, keys);
}

Value sum(NodeBuilder &node, Value x, Value y) { return x && y ? node.create<nn::AddOp>(x, y) : x ? x : y; }

/// Everything that is added to the scores; null where nothing is.
Value readBias(NodeBuilder &node, const AttentionOperands &operands, int64_t past) {
  auto q = node.typeOf(operands.q), k = node.typeOf(operands.k);
  Type element = q.getElementType();
  Visibility sight;
  sight.queries = q.getDimSize(2);
  sight.keys = k.getDimSize(2);
  sight.past = past;
  sight.left = node.getInt("left_window_size", -1);
  sight.right = node.getInt("right_window_size", -1);
  if (sight.left < -1 || sight.right < -1)
    node.fail("window sizes must be at least -1, found " + llvm::Twine(std::min(sight.left, sight.right)));
  if (node.getBool("is_causal", false))
    sight.right = 0;
  sight.lengths = node.getInput(6);
  bool needsPlaces = sight.lengths || sight.left >= 0 || sight.right >= 0 || node.getInput(3);
  if (needsPlaces && (ShapedType::isDynamic(sight.queries) || ShapedType::isDynamic(sight.keys)))
    node.fail("masks need numbers of queries and keys that are known when compiling, found " + nn::describe(q) +
              " and " + nn::describe(k));
  if (sight.lengths && node.typeOf(sight.lengths).getShape() != q.getShape().take_front(1))
    node.fail(node.describeInput(6) + " must have one element for each example, found " +
              nn::describe(sight.lengths.getType()));
  if (node.failed())
    return {};
  Value bias = node.getInput(3) ? maskBias(node, node.getInput(3), sight.keys, element) : Value();
  return sum(node, bias, sight.lengths ? computedSight(node, sight, element) : knownSight(node, sight, element));
}

/// Query, key and value with their heads apart.
void readTensors(NodeBuilder &node, AttentionOperands &operands) {
  Value *tensors[] = {&operands.q, &operands.k, &operands.v};
  int64_t queryHeads = node.getInt("q_num_heads", 0), keyHeads = node.getInt("kv_num_heads", 0);
  for (size_t i = 0; i < 3; ++i) {
    Value x = node.getInput(i);
    int64_t rank = node.typeOf(x).getRank();
    if (rank != node.typeOf(0).getRank() || (rank != 3 && rank != 4))
      return node.fail("query, key and value must have three or four dimensions, found " +
                       nn::describe(node.typeOf(0)) + " and " + nn::describe(x.getType()));
    *tensors[i] = rank == 4 ? x : splitHeads(node, x, i == 0 ? queryHeads : keyHeads);
  }
}

/// The cache at input `index` and what is new.
Value joined(NodeBuilder &node, size_t index, Value x) {
  Value past = node.getInput(index);
  return past && !node.failed() ? node.create<nn::ConcatOp>(ValueRange{past, x}, uint64_t{2}) : x;
}

FloatType readPrecision(NodeBuilder &node) {
  int64_t number = node.getInt("softmax_precision", 0);
  if (number == 0)
    return {};
  Type type =
      number > 0 && number <= INT32_MAX ? mlirElementType(static_cast<int32_t>(number), node.getContext()) : Type();
  auto precision = dyn_cast_or_null<FloatType>(type);
  if (!precision || precision.getWidth() == 8)
    node.fail("'softmax_precision' must be a float type, found " + llvm::Twine(number));
  // At least that of f32 in any case.
  bool isNarrower = precision && precision.getWidth() < 32;
  return isNarrower ? precision : FloatType();
}

void setScores(NodeBuilder &node, const AttentionResults &results) {
  Value modes[] = {results.products, results.capped, results.biased, results.probabilities};
  int64_t mode = node.getInt("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3)
    return node.fail("'qk_matmul_output_mode' must lie in 0 … 3, found " + llvm::Twine(mode));
  node.setResult(3, modes[mode]);
}

/// (query, key, value, mask, past key, past value, lengths of the keys)
void buildAttention(NodeBuilder &node) {
  AttentionOperands operands;
  if (!node.getInput(4) != !node.getInput(5))
    node.fail("past key and past value must be given both or none");
  if (node.getInput(4) && node.getInput(6))
    node.fail("there may be a cache or lengths of the keys, not both");
  readTensors(node, operands);
  if (node.failed())
    return;
  operands.k = joined(node, 4, operands.k);
  operands.v = joined(node, 5, operands.v);
  if (node.failed())
    return;
  int64_t past = node.getInput(4) ? node.typeOf(4).getDimSize(2) : 0;
  auto size = static_cast<double>(node.typeOf(operands.q).getDimSize(3));
  operands.scale = static_cast<double>(node.getFloat("scale", static_cast<float>(1 / std::sqrt(size))));
  operands.softcap = static_cast<double>(node.getFloat("softcap", 0));
  operands.precision = readPrecision(node);
  operands.bias = readBias(node, operands, past);
  AttentionResults results = attend(node, operands);
  if (node.failed())
    return;
  bool hasHeads = node.typeOf(0).getRank() == 4;
  node.setResult(0, hasHeads ? results.result : joinHeads(node, results.result));
  node.setResult(1, operands.k);
  node.setResult(2, operands.v);
  setScores(node, results);
}

} // namespace

void aotc::frontend::addAttentionRules(OpTable &table) { table.add("Attention", 3, 7, buildAttention, floats); }
