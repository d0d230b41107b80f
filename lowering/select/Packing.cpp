#include "lowering/select/Packing.h"

#include "ir/kern/Dialect.h"
#include "ir/nn/Halves.h"

#include <array>

using namespace mlir;

namespace aotc::select {

constexpr int64_t panel = kern::panelColumns;

static int64_t panels(int64_t columns) { return (columns + panel - 1) / panel; }

// Calls body(elements of `from`, elements of `to`), floats or the bits of halves: packing moves either alike.
template <class Body> static void onElements(const nn::HostTensor &from, nn::HostTensor &to, Body body) {
  if (from.type().getElementType().isF32())
    body(from.as<float>(), to.asMutable<float>());
  else
    body(from.as<uint16_t>(), to.asMutable<uint16_t>());
}

// A panel of `depth` steps of the summed dimension: PackedDepth in templates/kernels/halves.hpp.
namespace {
struct PanelOrder {
  int64_t depth;
  bool inPairs;

  PanelOrder(int64_t depth, Type element) : depth(depth), inPairs(element.isBF16()) {}
  int64_t size() const { return (inPairs ? llvm::alignTo(depth, 2) : depth) * panel; }
  int64_t place(int64_t k, int64_t column) const {
    return inPairs ? (k / 2 * panel + column) * 2 + k % 2 : k * panel + column;
  }
  // The shape of `outer` panels.
  SmallVector<int64_t> shape(ArrayRef<int64_t> outer) const {
    SmallVector<int64_t> result(outer);
    if (inPairs)
      result.append({(depth + 1) / 2, panel, 2});
    else
      result.append({depth, panel});
    return result;
  }
};
} // namespace

nn::HostTensor packConvolution(const nn::HostTensor &weights, int64_t groups) {
  ArrayRef<int64_t> shape = weights.type().getShape();
  int64_t filters = shape[0] / groups, channels = shape[1], taps = shape[2] * shape[3];
  PanelOrder order(channels, weights.type().getElementType());
  nn::HostTensor packed(RankedTensorType::get(order.shape({groups, panels(filters), shape[2], shape[3]}),
                                              weights.type().getElementType()));
  onElements(weights, packed, [&](auto from, auto to) {
    for (int64_t g = 0; g < groups; ++g)
      for (int64_t o = 0; o < filters; ++o)
        for (int64_t i = 0; i < channels; ++i)
          for (int64_t tap = 0; tap < taps; ++tap) {
            int64_t start = ((g * panels(filters) + o / panel) * taps + tap) * order.size();
            to[start + order.place(i, o % panel)] = from[((g * filters + o) * channels + i) * taps + tap];
          }
  });
  return packed;
}

bool fitsBytes(const nn::HostTensor &weights) {
  return llvm::all_of(weights.as<int16_t>(), [](int16_t value) { return value >= -128 && value <= 127; });
}

// Where tap `tap` of channel `i` of filter `o` goes, in integers.
namespace {
struct WordLayout {
  int64_t filters, channels, taps, perWord; // filters of a group
  bool joinsTaps;

  int64_t wordsOf(int64_t integers) const { return llvm::divideCeil(integers, perWord); }
  int64_t wordsPerPanel() const { return joinsTaps ? wordsOf(taps * channels) : taps * wordsOf(channels); }
  int64_t place(int64_t o, int64_t i, int64_t tap) const {
    int64_t inWords = joinsTaps ? tap * channels + i : tap * wordsOf(channels) * perWord + i;
    int64_t column = o / filters * panels(filters) + o % filters / panel;
    int64_t word = (column * wordsPerPanel() + inWords / perWord) * panel + o % filters % panel;
    return word * perWord + inWords % perWord;
  }
};
} // namespace

nn::HostTensor packIntegerConvolution(const nn::HostTensor &weights, int64_t groups, bool joinsTaps) {
  ArrayRef<int64_t> shape = weights.type().getShape();
  bool isBytes = fitsBytes(weights);
  WordLayout layout{shape[0] / groups, shape[1], shape[2] * shape[3], isBytes ? 4 : 2, joinsTaps};
  Type element = IntegerType::get(weights.type().getContext(), isBytes ? 8 : 16);
  nn::HostTensor packed(
      RankedTensorType::get({groups, panels(layout.filters), layout.wordsPerPanel(), panel, layout.perWord}, element));
  ArrayRef<int16_t> from = weights.as<int16_t>();
  for (int64_t o = 0; o < shape[0]; ++o)
    for (int64_t i = 0; i < layout.channels; ++i)
      for (int64_t tap = 0; tap < layout.taps; ++tap)
        packed.setInteger(layout.place(o, i, tap), from[(o * layout.channels + i) * layout.taps + tap]);
  return packed;
}

nn::HostTensor filterSums(const nn::HostTensor &weights) {
  int64_t filters = weights.type().getDimSize(0), perFilter = weights.size() / filters;
  nn::HostTensor sums(RankedTensorType::get({filters}, IntegerType::get(weights.type().getContext(), 32)));
  for (int64_t i = 0; i < weights.size(); ++i)
    sums.asMutable<int32_t>()[i / perFilter] += weights.as<int16_t>()[i];
  return sums;
}

nn::HostTensor byteOffsets(const nn::HostTensor &weights, const nn::HostTensor &bias, int64_t xZeroPoint,
                           bool xUnsigned) {
  nn::HostTensor sums = filterSums(weights);
  int64_t filters = sums.size();
  nn::HostTensor offsets(RankedTensorType::get({2, filters}, bias.type().getElementType()));
  int64_t asUnsigned = xUnsigned ? xZeroPoint : xZeroPoint + 128;
  for (int64_t o = 0; o < filters; ++o) {
    int64_t sum = sums.toInteger(o);
    offsets.setInteger(o, static_cast<int32_t>(bias.toInteger(o) - asUnsigned * sum));
    offsets.setInteger(filters + o, static_cast<int32_t>(bias.toInteger(o) - (asUnsigned - 128) * sum));
  }
  return offsets;
}

nn::HostTensor packIntegerDepthwise(const nn::HostTensor &weights) {
  constexpr int64_t quad = 4;
  ArrayRef<int64_t> shape = weights.type().getShape();
  int64_t channels = shape[0], height = shape[2], width = shape[3], padded = panels(channels) * panel;
  nn::HostTensor packed(
      RankedTensorType::get({static_cast<int64_t>(llvm::divideCeil(height, quad)), width, padded, quad},
                            IntegerType::get(weights.type().getContext(), 8)));
  for (int64_t c = 0; c < channels; ++c)
    for (int64_t h = 0; h < height; ++h)
      for (int64_t w = 0; w < width; ++w)
        packed.setInteger(((h / quad * width + w) * padded + c) * quad + h % quad,
                          weights.as<int16_t>()[(c * height + h) * width + w]);
  return packed;
}

// G g G^T. The points of F(4x4, 3x3) are 0, 1, -1, 2, -2 and infinity: A. Lavin and S. Gray, Fast Algorithms for
// Convolutional Neural Networks, 2015. The rows of 2 and -2 have four times as much here, and those of A^T a quarter.
static std::array<std::array<double, 6>, 6> winogradTransform(ArrayRef<float> kernel) {
  static constexpr double g[6][3] = {{1.0 / 4, 0, 0},
                                     {-1.0 / 6, -1.0 / 6, -1.0 / 6},
                                     {-1.0 / 6, 1.0 / 6, -1.0 / 6},
                                     {1.0 / 6, 1.0 / 3, 2.0 / 3},
                                     {1.0 / 6, -1.0 / 3, 2.0 / 3},
                                     {0, 0, 1}};
  double rows[6][3] = {};
  for (int i = 0; i < 6; ++i)
    for (int column = 0; column < 3; ++column)
      for (int k = 0; k < 3; ++k)
        rows[i][column] += g[i][k] * static_cast<double>(kernel[3 * k + column]);
  std::array<std::array<double, 6>, 6> result = {};
  for (int i = 0; i < 6; ++i)
    for (int j = 0; j < 6; ++j)
      for (int k = 0; k < 3; ++k)
        result[i][j] += rows[i][k] * g[j][k];
  return result;
}

static nn::HostTensor packWinogradFloats(const nn::HostTensor &weights) {
  constexpr int64_t points = 36;
  int64_t filters = weights.type().getDimSize(0), channels = weights.type().getDimSize(1);
  nn::HostTensor packed(
      RankedTensorType::get({panels(filters), points, channels, panel}, weights.type().getElementType()));
  ArrayRef<float> from = weights.as<float>();
  MutableArrayRef<float> to = packed.asMutable<float>();
  for (int64_t o = 0; o < filters; ++o)
    for (int64_t i = 0; i < channels; ++i) {
      auto transformed = winogradTransform(from.slice((o * channels + i) * 9, 9));
      for (int64_t point = 0; point < points; ++point)
        to[((o / panel * points + point) * channels + i) * panel + o % panel] =
            static_cast<float>(transformed[point / 6][point % 6]);
    }
  return packed;
}

nn::HostTensor packWinograd(const nn::HostTensor &weights) {
  nn::HostTensor packed = packWinogradFloats(nn::toFloats(weights));
  Type float16 = Float16Type::get(weights.type().getContext());
  if (weights.type().getElementType().isF32() || nn::findOverflow(packed, float16) >= 0)
    return packed;
  return nn::toHalves(packed, float16);
}

nn::HostTensor packDepthwise(const nn::HostTensor &weights) {
  ArrayRef<int64_t> shape = weights.type().getShape();
  int64_t channels = shape[0], taps = shape[2] * shape[3], padded = panels(channels) * panel;
  nn::HostTensor packed(RankedTensorType::get({shape[2], shape[3], padded}, weights.type().getElementType()));
  onElements(weights, packed, [&](auto from, auto to) {
    for (int64_t c = 0; c < channels; ++c)
      for (int64_t tap = 0; tap < taps; ++tap)
        to[tap * padded + c] = from[c * taps + tap];
  });
  return packed;
}

nn::HostTensor packMatrix(const nn::HostTensor &matrix) {
  int64_t rows = matrix.type().getDimSize(1), columns = matrix.type().getDimSize(2);
  PanelOrder order(rows, matrix.type().getElementType());
  nn::HostTensor packed(RankedTensorType::get(order.shape({panels(columns)}), matrix.type().getElementType()));
  onElements(matrix, packed, [&](auto from, auto to) {
    for (int64_t k = 0; k < rows; ++k)
      for (int64_t n = 0; n < columns; ++n)
        to[n / panel * order.size() + order.place(k, n % panel)] = from[k * columns + n];
  });
  return packed;
}

nn::HostTensor packByteMatrix(const nn::HostTensor &matrix) {
  constexpr int64_t quad = 4;
  int64_t rows = matrix.type().getDimSize(1), columns = matrix.type().getDimSize(2);
  int64_t quads = llvm::divideCeil(rows, quad);
  nn::HostTensor packed(
      RankedTensorType::get({panels(columns), quads, panel, quad}, IntegerType::get(matrix.type().getContext(), 8)));
  ArrayRef<int16_t> from = matrix.as<int16_t>();
  MutableArrayRef<int8_t> to = packed.asMutable<int8_t>();
  for (int64_t k = 0; k < rows; ++k)
    for (int64_t n = 0; n < columns; ++n)
      to[((n / panel * quads + k / quad) * panel + n % panel) * quad + k % quad] =
          static_cast<int8_t>(from[k * columns + n]);
  return packed;
}

nn::HostTensor columnSums(const nn::HostTensor &matrix) {
  int64_t rows = matrix.type().getDimSize(1), columns = matrix.type().getDimSize(2);
  nn::HostTensor sums(RankedTensorType::get({columns}, IntegerType::get(matrix.type().getContext(), 32)));
  MutableArrayRef<int32_t> to = sums.asMutable<int32_t>();
  for (int64_t k = 0; k < rows; ++k)
    for (int64_t n = 0; n < columns; ++n)
      to[n] += matrix.as<int16_t>()[k * columns + n];
  return sums;
}

} // namespace aotc::select
