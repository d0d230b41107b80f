// softmax(scale q k' + bias) v; see the header.
#include "frontend/onnx/Attention.h"

#include "ir/nn/Shapes.h"

#include <limits>

using namespace mlir;
namespace nn = aotc::nn;

namespace aotc::frontend {

Value splitHeads(NodeBuilder &node, Value x, int64_t heads) {
  if (node.failed())
    return {};
  auto type = node.typeOf(x);
  bool divides = type.getRank() == 3 && heads > 0 && !type.isDynamicDim(2) && type.getDimSize(2) % heads == 0;
  if (!divides) {
    node.fail(nn::describe(type) + " has no " + llvm::Twine(heads) + " heads of one size");
    return {};
  }
  IntList shape{type.getDimSize(0), type.getDimSize(1), heads, type.getDimSize(2) / heads};
  Value split = node.createReshape(x, shape);
  return node.failed() ? Value() : node.createTranspose(split, {0, 2, 1, 3});
}

Value joinHeads(NodeBuilder &node, Value x) {
  if (node.failed())
    return {};
  auto type = node.typeOf(x);
  IntList shape{type.getDimSize(0), type.getDimSize(2), type.getDimSize(1) * type.getDimSize(3)};
  return node.createReshape(node.createTranspose(x, {0, 2, 1, 3}), shape);
}

namespace {

/// Whether every number along the last axis is -infinity, [..., 1]: constants are looked at now.
Value blindRows(NodeBuilder &node, Value bias) {
  auto type = node.typeOf(bias);
  constexpr double nothing = -std::numeric_limits<double>::infinity();
  if (type.getRank() == 0)
    return {};
  IntList shape(type.getShape());
  shape.back() = 1;
  if (std::optional<nn::HostTensor> values = NodeBuilder::viewConstant(bias);
      values && values->size() == type.getNumElements() && values->size() > 0) {
    nn::HostTensor rows(RankedTensorType::get(shape, node.getBuilder().getI1Type()));
    int64_t length = type.getShape().back();
    bool any = false;
    for (int64_t row = 0; row < rows.size(); ++row) {
      bool isBlind = true;
      for (int64_t i = row * length; i < (row + 1) * length; ++i)
        isBlind &= values->toDouble(i) == nothing;
      rows.setInteger(row, isBlind);
      any |= isBlind;
    }
    return any ? node.createConstant(rows.toAttr()) : Value();
  }
  IntList last{type.getRank() - 1};
  Value most = node.create<nn::ReduceOp>(bias, nn::ReduceKind::Max, last, /*keepdims=*/true);
  return node.create<nn::EqualOp>(most, node.createScalar(nothing, type.getElementType()));
}

/// x [batch, heads, length, size] as [batch, key heads, rows, size], without moving elements.
Value groupHeads(NodeBuilder &node, Value x, int64_t keyHeads) {
  if (node.failed())
    return {};
  auto type = node.typeOf(x);
  int64_t heads = type.getDimSize(1), length = type.getDimSize(2);
  int64_t rows = ShapedType::isDynamic(length) ? length : heads / keyHeads * length;
  return heads == keyHeads ? x : node.createReshape(x, {type.getDimSize(0), keyHeads, rows, type.getDimSize(3)});
}

/// The product of x and y for each pair of heads, with the heads of x.
Value multiplyHeads(NodeBuilder &node, Value x, Value y) {
  if (node.failed())
    return {};
  IntList shape(node.typeOf(x).getShape());
  Value product = node.create<nn::MatMulOp>(groupHeads(node, x, node.typeOf(y).getDimSize(1)), y);
  if (node.failed())
    return {};
  shape.back() = node.typeOf(product).getShape().back();
  return node.createReshape(product, shape);
}

void checkOperands(NodeBuilder &node, const AttentionOperands &operands) {
  auto q = node.typeOf(operands.q), k = node.typeOf(operands.k), v = node.typeOf(operands.v);
  auto isKnown = [](RankedTensorType type) {
    return type.getRank() == 4 && !type.isDynamicDim(1) && !type.isDynamicDim(3);
  };
  if (!isKnown(q) || !isKnown(k) || !isKnown(v))
    return node.fail("query, key and value must have four dimensions, heads and their size known, found " +
                     nn::describe(q) + ", " + nn::describe(k) + " and " + nn::describe(v));
  int64_t heads = k.getDimSize(1);
  if (heads != v.getDimSize(1) || heads < 1 || q.getDimSize(1) % heads != 0)
    node.fail("the heads of queries must be a multiple of those of keys and values, found " + nn::describe(q) + ", " +
              nn::describe(k) + " and " + nn::describe(v));
}

/// softmax(x), rounded to the precision asked for.
Value probabilitiesOf(NodeBuilder &node, Value x, FloatType precision) {
  if (precision)
    x = node.create<nn::RoundToOp>(x, precision);
  Value result = node.create<nn::SoftmaxOp>(x, uint64_t{3}, /*logarithm=*/false);
  return precision ? node.create<nn::RoundToOp>(result, precision) : result;
}

} // namespace

AttentionResults attend(NodeBuilder &node, const AttentionOperands &operands) {
  if (!node.failed())
    checkOperands(node, operands);
  if (node.failed())
    return {};
  Type element = node.typeOf(operands.q).getElementType();
  AttentionResults results;
  Value q = operands.q;
  if (operands.scale != 1)
    q = node.create<nn::MulOp>(q, node.createScalar(operands.scale, element));
  results.products = multiplyHeads(node, q, node.createTranspose(operands.k, {0, 1, 3, 2}));
  results.capped = results.products;
  if (operands.softcap > 0) {
    Value cap = node.createScalar(operands.softcap, element);
    results.capped =
        node.create<nn::MulOp>(node.create<nn::TanhOp>(node.create<nn::DivOp>(results.products, cap)), cap);
  }
  results.biased = results.capped;
  if (operands.bias)
    results.biased = node.create<nn::AddOp>(results.capped, operands.bias);
  if (node.failed())
    return {};
  if (results.biased.getType() != results.capped.getType()) {
    node.fail("the mask must broadcast to the scores " + nn::describe(results.capped.getType()) + ", found " +
              nn::describe(operands.bias.getType()));
    return {};
  }
  results.probabilities = probabilitiesOf(node, results.biased, operands.precision);
  if (Value blind = operands.bias ? blindRows(node, operands.bias) : Value())
    results.probabilities = node.create<nn::WhereOp>(blind, node.createScalar(0, element), results.probabilities);
  results.result = multiplyHeads(node, results.probabilities, operands.v);
  return results;
}

} // namespace aotc::frontend
