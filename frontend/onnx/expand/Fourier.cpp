// DFT and STFT of known lengths, as products with constant matrices of sines and cosines.
#include "frontend/onnx/OpTable.h"
#include "ir/nn/Shapes.h"
#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace aotc::frontend;
using namespace mlir;
namespace nn = aotc::nn;

namespace {

/// Entries of a matrix: 64 MiB of f32. Longer transforms want an algorithm of their own.
constexpr int64_t largestMatrix = int64_t(1) << 24;

struct Transform {
  int64_t length = 0;      ///< of the transform
  int64_t inputs = 0;      ///< how many of its inputs there are; the rest counts as zero
  int64_t parts = 1;       ///< of an input: real, or real and imaginary
  bool isInverse = false;  ///< divided by the length then
  bool isOneSided = false; ///< forward: results up to half the length; inverse: inputs up to there, real results

  bool isToReal() const { return isInverse && isOneSided; }
  int64_t results() const { return isOneSided && !isInverse ? length / 2 + 1 : length; }
  int64_t resultParts() const { return isToReal() ? 1 : 2; }
};

/// What a part of input `n` (0: real) adds to a part of result `k`.
double coefficient(const Transform &t, int64_t n, int64_t part, int64_t k, int64_t resultPart) {
  double angle = 2 * M_PI * static_cast<double>(n * k % t.length) / static_cast<double>(t.length);
  double cosine = std::cos(angle), sine = std::sin(angle) * (t.isInverse ? 1 : -1);
  double value = part == resultPart ? cosine : part == 0 ? sine : -sine;
  if (t.isInverse)
    value /= static_cast<double>(t.length);
  // The half that is not given mirrors the one that is, all but its ends.
  bool isMirrored = t.isToReal() && n != 0 && 2 * n != t.length;
  return isMirrored ? 2 * value : value;
}

/// [inputs * parts, results * result parts]; null after an error.
Value matrix(NodeBuilder &node, const Transform &t, Type element) {
  int64_t rows = t.inputs * t.parts, columns = t.results() * t.resultParts();
  if (t.length < 1 || t.length > INT32_MAX || rows > largestMatrix / std::max<int64_t>(columns, 1)) {
    node.fail("transforms of 1 … 2048 values are supported, found " + llvm::Twine(t.length));
    return {};
  }
  nn::HostTensor values(RankedTensorType::get({rows, columns}, element));
  for (int64_t row = 0; row < rows; ++row)
    for (int64_t column = 0; column < columns; ++column)
      values.set(row * columns + column,
                 coefficient(t, row / t.parts, row % t.parts, column / t.resultParts(), column % t.resultParts()));
  return node.createConstant(values.toAttr());
}

/// x [outer, inputs * parts] as [outer…, results, result parts].
Value transform(NodeBuilder &node, Value x, const Transform &t, ArrayRef<int64_t> outer) {
  Value table = matrix(node, t, node.typeOf(x).getElementType());
  IntList rows{ShapedType::getNumElements(outer), t.inputs * t.parts}, shape(outer.begin(), outer.end());
  shape.append({t.results(), t.resultParts()});
  if (node.failed())
    return {};
  Value product = node.create<nn::MatMulOp>(node.createReshape(x, rows), table);
  return node.failed() ? Value() : node.createReshape(product, shape);
}

/// One integer of a constant input; `byDefault` where it is left out.
int64_t readScalar(NodeBuilder &node, size_t input, int64_t byDefault) {
  std::optional<IntList> values = node.getConstantInts(input);
  if (!values)
    return byDefault;
  if (values->size() != 1)
    node.fail(node.describeInput(input) + " must be one integer");
  return node.failed() ? byDefault : values->front();
}

/// The order that swaps `axis` with the last but one.
IntList swapped(int64_t rank, int64_t axis) {
  IntList order;
  for (int64_t i = 0; i < rank; ++i)
    order.push_back(i);
  std::swap(order[static_cast<size_t>(axis)], order[static_cast<size_t>(rank) - 2]);
  return order;
}

/// (x [..., real or complex], length, axis). Before opset 20 the axis was an attribute.
void buildDft(NodeBuilder &node) {
  Value x = node.getInput(0);
  auto type = node.typeOf(x);
  int64_t rank = type.getRank();
  int64_t axis = node.getOpset() < 20 ? node.getInt("axis", 1) : readScalar(node, 2, -2);
  Transform t;
  t.isInverse = node.getBool("inverse", false);
  t.isOneSided = node.getBool("onesided", false);
  if (node.failed())
    return;
  if (rank < 2 || !type.hasStaticShape() || type.getShape().back() < 1 || type.getShape().back() > 2)
    return node.fail("input must have known extents, the last of them 1 or 2, found " + nn::describe(type));
  axis = node.normalizeAxis(axis, rank);
  if (!node.failed() && axis == rank - 1)
    return node.fail("'axis' must not be the last one, which holds real and imaginary parts");
  if (node.failed())
    return;
  int64_t extent = type.getDimSize(axis);
  t.parts = type.getShape().back();
  t.length = readScalar(node, 1, t.isToReal() ? 2 * (extent - 1) : extent);
  t.inputs = std::min(extent, t.isToReal() ? t.length / 2 + 1 : t.length);
  IntList order = swapped(rank, axis);
  bool moves = axis != rank - 2;
  if (moves)
    x = node.createTranspose(x, order);
  if (node.failed() || t.inputs < 0)
    return node.fail("the length must be at least 1, found " + llvm::Twine(t.length));
  x = node.createSliceAlong(x, static_cast<size_t>(rank) - 2, 0, t.inputs);
  if (node.failed())
    return;
  IntList outer(node.typeOf(x).getShape().drop_back(2));
  Value result = transform(node, x, t, outer);
  node.setResult(0, moves && result ? node.createTranspose(result, order) : result);
}

/// The frames of a signal [batch, length, parts], which begin `step` apart, as results of a convolution: its filters
/// are the columns of the matrix, with the window in them. So nobody writes the frames out.
Value convolve(NodeBuilder &node, Value signal, Value window, int64_t step, const Transform &t) {
  Value table = matrix(node, t, node.typeOf(signal).getElementType());
  if (node.failed())
    return {};
  IntList apart{t.inputs, t.parts, node.typeOf(table).getDimSize(1)};
  table = node.createReshape(table, apart);
  if (window && !node.failed())
    table = node.create<nn::MulOp>(table, node.createReshape(window, {t.length, 1, 1}));
  Value filters = node.createTranspose(table, {2, 1, 0}), channels = node.createTranspose(signal, {0, 2, 1});
  Value planes =
      node.create<nn::ConvOp>(channels, filters, Value(), IntList{step}, IntList{0, 0}, IntList{1}, uint64_t{1}, false);
  Value frames = node.createTranspose(planes, {0, 2, 1});
  if (node.failed())
    return {};
  IntList shape(node.typeOf(frames).getShape().drop_back());
  shape.append({t.results(), t.resultParts()});
  return node.createReshape(frames, shape);
}

/// Likewise where the window is only known at run time: the frames one after the other, and their product.
Value transformFrames(NodeBuilder &node, Value signal, Value window, int64_t step, const Transform &t) {
  auto type = node.typeOf(signal);
  int64_t frames = (type.getDimSize(1) - t.length) / step + 1;
  nn::HostTensor places(RankedTensorType::get({frames, t.length}, node.getBuilder().getI64Type()));
  for (int64_t i = 0; i < frames * t.length; ++i)
    places.setInteger(i, i / t.length * step + i % t.length);
  Value framed = node.create<nn::GatherOp>(signal, node.createConstant(places.toAttr()), 1);
  if (window && !node.failed())
    framed = node.create<nn::MulOp>(framed, node.createReshape(window, {t.length, 1}));
  return node.failed() ? Value() : transform(node, framed, t, {type.getDimSize(0), frames});
}

/// (signal [batch, length, real or complex], step, window, frame length): frames of the signal, one after the other.
void buildStft(NodeBuilder &node) {
  Value x = node.getInput(0), window = node.getInput(2);
  auto type = node.typeOf(x);
  int64_t rank = type.getRank();
  if (rank < 2 || rank > 3 || !type.hasStaticShape() ||
      (rank == 3 && (type.getDimSize(2) < 1 || type.getDimSize(2) > 2)))
    return node.fail("the signal must have the shape [batch, length, 1 or 2] and known extents, found " +
                     nn::describe(type));
  if (window && node.typeOf(window).getRank() != 1)
    return node.fail("the window must be a vector, found " + nn::describe(window.getType()));
  Transform t;
  t.isOneSided = node.getBool("onesided", true);
  t.parts = rank == 3 ? type.getDimSize(2) : 1;
  t.length = readScalar(node, 3, window ? node.typeOf(window).getDimSize(0) : type.getDimSize(1));
  t.inputs = t.length;
  int64_t step = readScalar(node, 1, 1), batch = type.getDimSize(0);
  if (node.failed())
    return;
  if (step < 1 || t.length < 1 || t.length > type.getDimSize(1) ||
      (window && node.typeOf(window).getShape() != ArrayRef<int64_t>{t.length}))
    return node.fail("the step must be at least 1, and frames no longer than the signal and as long as the window, "
                     "found a step of " +
                     llvm::Twine(step) + " and frames of " + llvm::Twine(t.length));
  Value signal = node.createReshape(x, {batch, type.getDimSize(1), t.parts});
  bool isConvolution = type.getElementType().isF32() && (!window || matchPattern(window, m_Constant()));
  Value result =
      isConvolution ? convolve(node, signal, window, step, t) : transformFrames(node, signal, window, step, t);
  if (!node.failed())
    node.setResult(0, result);
}

} // namespace

void aotc::frontend::addFourierRules(OpTable &table) {
  table.add("DFT", 1, 3, buildDft, floats);
  table.add("STFT", 2, 4, buildStft, floats);
}
