// Kernels that read bytes as real values and store bytes: the same integers as on real values in memory, quantized
// afterwards. Every byte occurs, at odd sizes, at strides, in place.
#include "aotc/kernels/dequantized.hpp"

#include "aotc/kernels/conv2d.hpp"
#include "aotc/kernels/depthwise.hpp"
#include "aotc/kernels/matmul.hpp"
#include "aotc/kernels/normalize.hpp"
#include "aotc/kernels/pool2d.hpp"
#include "aotc/kernels/reduce.hpp"
#include "aotc/kernels/resize2d.hpp"
#include "aotc/kernels/softmax.hpp"
#include "aotc/kernels/winograd.hpp"

#include "ConvReference.h"
#include "StepRunner.h"

#include <type_traits>

using namespace aotc;
using namespace aotc::test;

namespace {

constexpr float scale = 0.037f;
constexpr int zeroPoint = 3;

struct Quantize {
  float step;
  template <class V, class... Rest> auto operator()(V value, Rest...) const {
    return quantized(value / V(step), 5, -128, 127);
  }
};

template <class Byte> std::vector<Byte> everyByte(int size) {
  std::vector<Byte> bytes(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < bytes.size(); ++i)
    bytes[i] = static_cast<Byte>(i * 89 + i / 256);
  return bytes;
}

template <class Byte> std::vector<float> valuesOf(const std::vector<Byte> &bytes) {
  std::vector<float> values;
  for (Byte byte : bytes)
    values.push_back((static_cast<float>(byte) - static_cast<float>(zeroPoint)) * scale);
  return values;
}

using RunReal = StepOf<float>::Run;
using RunBytes = StepOf<std::int8_t>::Run;

// What is written as floats and quantized afterwards is what was stored as bytes. Not all of the outputs need be
// written.
std::vector<std::int8_t> expectStoresBytes(int outputs, int units, float step, const RunReal &runReal,
                                           const RunBytes &runBytes) {
  const auto size = static_cast<std::size_t>(outputs);
  const std::vector<std::int8_t> initial(size, 77), stored = runStep(initial, units, runBytes);
  const std::vector<float> real = runStep(std::vector<float>(size, quietNaN), units, runReal);
  for (std::size_t i = 0; i < size; ++i) {
    const auto value = std::isnan(real[i]) ? initial[i] : static_cast<std::int8_t>(Quantize{step}(real[i]));
    EXPECT_EQ(stored[i], value) << "at " << i;
  }
  return stored;
}

// kernel(y, part, epilogue)
template <class Kernel>
std::vector<std::int8_t> expectStoresBytes(int outputs, int units, float step, const Kernel &kernel) {
  return expectStoresBytes(
      outputs, units, step, [&](float *y, Part part) { kernel(y, part, Identity{}); },
      [&](std::int8_t *y, Part part) { kernel(y, part, Quantize{step}); });
}

// kernel(x, y, part, epilogue) on real values and on bytes that stand for them.
template <class Byte, class Kernel>
void expectReadsBytes(int inputs, int outputs, int units, float step, const Kernel &kernel) {
  const std::vector<Byte> bytes = everyByte<Byte>(inputs);
  const std::vector<float> values = valuesOf(bytes);
  const auto onValues = [&](auto *y, Part part, auto epilogue) { kernel(values.data(), y, part, epilogue); };
  const RunBytes onBytes = [&](std::int8_t *y, Part part) {
    kernel(dequantized(bytes.data(), scale, zeroPoint), y, part, Quantize{step});
  };
  const std::vector<std::int8_t> initial(static_cast<std::size_t>(outputs), 77);
  EXPECT_EQ(runStep(initial, units, onBytes), expectStoresBytes(outputs, units, step, onValues));
}

struct Pool {
  static constexpr int batch = 2, in_h = 9, in_w = 11, in_channels = 70, out_h = 5, out_w = 6, kernel_h = 3,
                       kernel_w = 3;
  static constexpr int stride_h = 2, stride_w = 2, dilation_h = 1, dilation_w = 1, pad_top = 1, pad_left = 1;
  static constexpr int pad_bottom = 1, pad_right = 1, count_include_pad = 0;
  static constexpr int in_pixel = 72, in_row = 11 * 72, in_image = 9 * in_row, out_pixel = 71, out_row = 6 * 71 + 2;
  static constexpr int out_image = 5 * out_row;
};

struct Resize {
  static constexpr int taps_h = 2, taps_w = 2, batch = 2, in_h = 4, in_w = 5, out_h = 8, out_w = 10, channels = 21;
  static constexpr int in_pixel = 23, in_row = 5 * 23, in_image = 4 * in_row, out_pixel = 21, out_row = 210;
  static constexpr int out_image = 8 * out_row;
};

template <int Outer, int Length, int Inner> struct Extents {
  static constexpr int outer = Outer, length = Length, inner = Inner, size = Outer * Length * Inner;
};

template <class Byte, class L> void expectReduces(const L &l) {
  expectReadsBytes<Byte>(l.size, l.outer * l.inner, reduce_units(l), 0.5f,
                         [&](auto x, auto *y, Part part, auto epilogue) { reduce(l, x, y, part, Sum{}, epilogue); });
}

template <class Byte, class L> void expectNormalizes(const L &l) {
  expectReadsBytes<Byte>(l.size, l.size, normalize_columns_units(l), 0.02f,
                         [&](auto x, auto *y, Part part, auto epilogue) {
                           normalize_columns(l, x, y, part, Deviation{}, 1e-5f, epilogue);
                         });
  const Extents<L::outer, L::length * L::inner, 1> rows;
  expectReadsBytes<Byte>(l.size, l.size, normalize_rows_units(rows), 0.02f,
                         [&](auto x, auto *y, Part part, auto epilogue) {
                           normalize_rows(rows, x, y, part, RootMeanSquare{}, 1e-5f, epilogue);
                         });
}

template <class Byte, class L> void expectRowSoftmax(const L &l) {
  expectReadsBytes<Byte>(l.size, l.size, softmax_rows_units(l), 1.0f / 256,
                         [&](auto x, auto *y, Part part, auto epilogue) { softmax_rows(l, x, y, part, epilogue); });
  expectReadsBytes<Byte>(l.size, l.size, log_softmax_rows_units(l), 0.1f,
                         [&](auto x, auto *y, Part part, auto epilogue) { log_softmax_rows(l, x, y, part, epilogue); });
  auto bytes = everyByte<std::int8_t>(l.size), apart = bytes;
  const Part all{0, softmax_rows_units(l), 0};
  softmax_rows(l, dequantized(bytes.data(), scale, zeroPoint), apart.data(), all, Quantize{1.0f / 256});
  softmax_rows(l, dequantized(bytes.data(), scale, zeroPoint), bytes.data(), all, Quantize{1.0f / 256});
  EXPECT_EQ(bytes, apart) << "in place";
}

template <class Byte, class L> void expectColumnSoftmax(const L &l) {
  expectReadsBytes<Byte>(l.size, l.size, softmax_columns_units(l), 1.0f / 256,
                         [&](auto x, auto *y, Part part, auto epilogue) { softmax_columns(l, x, y, part, epilogue); });
  auto bytes = everyByte<std::int8_t>(l.size), apart = bytes;
  const Part all{0, softmax_columns_units(l), 0};
  softmax_columns(l, dequantized(bytes.data(), scale, zeroPoint), apart.data(), all, Quantize{1.0f / 256});
  softmax_columns(l, dequantized(bytes.data(), scale, zeroPoint), bytes.data(), all, Quantize{1.0f / 256});
  EXPECT_EQ(bytes, apart) << "in place";
}

template <class Byte> struct Bytes : testing::Test {};
using Kinds = testing::Types<std::int8_t, std::uint8_t>;
TYPED_TEST_SUITE(Bytes, Kinds);

} // namespace

TYPED_TEST(Bytes, Pools) {
  const Pool l;
  expectReadsBytes<TypeParam>(
      l.batch * l.in_image, l.batch * l.out_image, average_pool2d_units(l), 0.031f,
      [&](auto x, auto *y, Part part, auto epilogue) { average_pool2d(l, x, y, part, epilogue); });
  expectReadsBytes<TypeParam>(l.batch * l.in_image, l.batch * l.out_image, max_pool2d_units(l), 0.05f,
                              [&](auto x, auto *y, Part part, auto epilogue) { max_pool2d(l, x, y, part, epilogue); });
}

TYPED_TEST(Bytes, Sums) {
  expectReduces<TypeParam>(Extents<3, 49, 70>{});
  expectReduces<TypeParam>(Extents<5, 137, 1>{});
}

TYPED_TEST(Bytes, ShortRowsOfSoftmax) {
  expectRowSoftmax<TypeParam>(Extents<3, 10, 1>{});
  expectRowSoftmax<TypeParam>(Extents<40, 2, 1>{});
}

TYPED_TEST(Bytes, Resizing) {
  const Resize l;
  std::vector<std::int32_t> rows, columns;
  for (int i = 0; i < 2 * l.out_h; ++i)
    rows.push_back(i * 7 % l.in_h);
  for (int i = 0; i < 2 * l.out_w; ++i)
    columns.push_back(i * 3 % l.in_w);
  const auto rowWeights = randomValues<float>(rows.size(), 5), columnWeights = randomValues<float>(columns.size(), 6);
  expectReadsBytes<TypeParam>(l.batch * l.in_image, l.batch * l.out_image, resize2d_units(l), 0.04f,
                              [&](auto x, auto *y, Part part, auto epilogue) {
                                resize2d(l, x, rows.data(), rowWeights.data(), columns.data(), columnWeights.data(), y,
                                         part, epilogue);
                              });
}

// Of signed bytes only: all kernels load either kind by the same functions.
TEST(SignedBytes, Normalization) { expectNormalizes<std::int8_t>(Extents<2, 21, 70>{}); }

TEST(SignedBytes, Softmax) {
  expectRowSoftmax<std::int8_t>(Extents<2, 1000, 1>{});
  expectColumnSoftmax<std::int8_t>(Extents<2, 9, 65>{});
}

TEST(StoresBytes, Convolutions) {
  const ConvLayout<9, 11, 24, 40, 3, 3, 1, 1, 1, 1, 1, 1, 1> direct;
  const ConvLayout<9, 11, 24, 24, 3, 3, 2, 1, 24, 1, 1, 1, 1, 1, 3> depthwise;
  const auto x = randomInput(depthwise), w = randomValues<float>(36 * 24 * 48, 3); // however packed
  expectStoresBytes(direct.batch * direct.out_image, conv2d_units(direct), 0.11f,
                    [&](auto *y, Part part, auto epilogue) { conv2d(direct, x.data(), w.data(), y, part, epilogue); });
  expectStoresBytes(
      depthwise.batch * depthwise.out_image, depthwise_conv2d_units(depthwise), 0.05f,
      [&](auto *y, Part part, auto epilogue) { depthwise_conv2d(depthwise, x.data(), w.data(), y, part, epilogue); });
  std::vector<float> scratch(static_cast<std::size_t>(winograd_conv2d_scratch_floats(direct)));
  expectStoresBytes(direct.batch * direct.out_image, winograd_conv2d_units(direct), 0.11f,
                    [&](auto *y, Part part, auto epilogue) {
                      winograd_conv2d(direct, x.data(), w.data(), y, scratch.data(), part, epilogue);
                    });
}

namespace {
template <int M> struct Product {
  static constexpr int batch = 1, m = M, n = 37, k = 50, a_row = 50, a_batch = M * 50, a_col = 1, b_row = 37, b_col = 1;
  static constexpr int b_batch = 0, y_row = 39, y_batch = M * 39;
};
template <int M> void expectProductsStored() {
  const Product<M> l;
  const auto a = randomValues<float>(M * 50, 1), b = randomValues<float>(50 * 48, 2);
  expectStoresBytes(l.y_batch, matmul_packed_units(l), 0.09f, [&](auto *y, Part part, auto epilogue) {
    matmul_packed(l, a.data(), b.data(), y, part, epilogue);
  });
  expectStoresBytes(l.y_batch, matmul_units(l), 0.09f,
                    [&](auto *y, Part part, auto epilogue) { matmul(l, a.data(), b.data(), y, part, epilogue); });
}
} // namespace

TEST(StoresBytes, Products) {
  expectProductsStored<1>();
  expectProductsStored<9>();
}
