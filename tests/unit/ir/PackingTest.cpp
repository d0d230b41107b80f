// Packed weights, element by element, against the layouts that the kernels' headers describe.
#include "lowering/select/Packing.h"
#include "ir/nn/Halves.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/MLIRContext.h"
#include "gtest/gtest.h"

using namespace mlir;
using aotc::nn::HostTensor;

namespace {

struct PackingTest : testing::Test {
  MLIRContext context{MLIRContext::Threading::DISABLED};

  // 1, 2, 3, … so that the zeros of the padding stand out.
  HostTensor counting(ArrayRef<int64_t> shape) {
    HostTensor tensor(RankedTensorType::get(shape, Float32Type::get(&context)));
    for (int64_t i = 0; i < tensor.size(); ++i)
      tensor.set(i, static_cast<double>(i + 1));
    return tensor;
  }
};

TEST_F(PackingTest, Convolution) {
  constexpr int64_t groups = 2, filters = 18, channels = 3, height = 2, width = 3; // filters per group
  HostTensor weights = counting({groups * filters, channels, height, width});
  HostTensor packed = aotc::select::packConvolution(weights, groups);
  ASSERT_EQ(packed.type().getShape(), (ArrayRef<int64_t>{groups, 2, height, width, channels, 16}));
  const float *at = packed.as<float>().data();
  for (int64_t g = 0; g < groups; ++g)
    for (int64_t panel = 0; panel < 2; ++panel)
      for (int64_t h = 0; h < height; ++h)
        for (int64_t w = 0; w < width; ++w)
          for (int64_t c = 0; c < channels; ++c)
            for (int64_t lane = 0; lane < 16; ++lane, ++at) {
              int64_t filter = panel * 16 + lane;
              int64_t index = (((g * filters + filter) * channels + c) * height + h) * width + w;
              ASSERT_EQ(*at, filter < filters ? weights.as<float>()[index] : 0.0f);
            }
}

// [groups][panels][taps][words][16][n] of 1 + index % range; words of n channels, or of n taps' channels.
template <class W> void checkWords(MLIRContext &context, int64_t groups, int64_t range, bool joinsTaps) {
  constexpr int64_t filters = 17, channels = 3, taps = 2, perWord = 4 / sizeof(W); // filters per group
  HostTensor weights(RankedTensorType::get({groups * filters, channels, 1, taps}, IntegerType::get(&context, 16)));
  for (int64_t i = 0; i < weights.size(); ++i)
    weights.setInteger(i, 1 + i % range);
  HostTensor packed = aotc::select::packIntegerConvolution(weights, groups, joinsTaps);
  int64_t inRun = joinsTaps ? taps * channels : channels, runs = joinsTaps ? 1 : taps;
  int64_t words = llvm::divideCeil(inRun, perWord);
  ASSERT_EQ(packed.type().getShape(), (ArrayRef<int64_t>{groups, 2, runs * words, 16, perWord}));
  const W *at = packed.as<W>().data();
  for (int64_t g = 0; g < groups; ++g)
    for (int64_t panel = 0; panel < 2; ++panel)
      for (int64_t run = 0; run < runs; ++run)
        for (int64_t word = 0; word < words; ++word)
          for (int64_t lane = 0; lane < 16; ++lane)
            for (int64_t i = perWord * word; i < perWord * (word + 1); ++i, ++at) {
              int64_t filter = panel * 16 + lane, tap = joinsTaps ? i / channels : run,
                      c = joinsTaps ? i % channels : i;
              int64_t index = ((g * filters + filter) * channels + c) * taps + tap;
              ASSERT_EQ(*at, filter < filters && i < inRun ? weights.as<int16_t>()[index] : 0);
            }
}

TEST_F(PackingTest, IntegerConvolution) {
  checkWords<int16_t>(context, 2, 1000, false);
  checkWords<int8_t>(context, 2, 127, false);
  checkWords<int8_t>(context, 1, 127, true);
}

TEST_F(PackingTest, IntegerDepthwise) {
  constexpr int64_t channels = 20, height = 5, width = 2;
  HostTensor weights(RankedTensorType::get({channels, 1, height, width}, IntegerType::get(&context, 16)));
  for (int64_t i = 0; i < weights.size(); ++i)
    weights.setInteger(i, i % 200 - 100);
  HostTensor packed = aotc::select::packIntegerDepthwise(weights);
  ASSERT_EQ(packed.type().getShape(), (ArrayRef<int64_t>{2, width, 32, 4}));
  const int8_t *at = packed.as<int8_t>().data();
  for (int64_t quad = 0; quad < 2; ++quad)
    for (int64_t w = 0; w < width; ++w)
      for (int64_t c = 0; c < 32; ++c)
        for (int64_t h = 4 * quad; h < 4 * quad + 4; ++h, ++at)
          ASSERT_EQ(*at, c < channels && h < height ? weights.as<int16_t>()[(c * height + h) * width + w] : 0);
}

TEST_F(PackingTest, ByteOffsets) {
  Type i32 = IntegerType::get(&context, 32);
  HostTensor weights(RankedTensorType::get({2, 3, 1, 1}, IntegerType::get(&context, 16)));
  HostTensor bias(RankedTensorType::get({2}, i32));
  for (int64_t i = 0; i < 6; ++i)
    weights.setInteger(i, i - 4); // sums: -9 and 0
  bias.setInteger(0, 100), bias.setInteger(1, 7);
  HostTensor ofUnsigned = aotc::select::byteOffsets(weights, bias, 200, true);
  EXPECT_EQ(ofUnsigned.as<int32_t>(), (ArrayRef<int32_t>{100 + 9 * 200, 7, 100 + 9 * 72, 7}));
  HostTensor ofSigned = aotc::select::byteOffsets(weights, bias, -5, false);
  EXPECT_EQ(ofSigned.as<int32_t>(), (ArrayRef<int32_t>{100 + 9 * 123, 7, 100 - 9 * 5, 7}));
}

TEST_F(PackingTest, ByteMatrix) {
  constexpr int64_t rows = 8, columns = 20;
  HostTensor matrix(RankedTensorType::get({1, rows, columns}, IntegerType::get(&context, 16)));
  for (int64_t i = 0; i < matrix.size(); ++i)
    matrix.setInteger(i, i % 200 - 100);
  HostTensor packed = aotc::select::packByteMatrix(matrix), sums = aotc::select::columnSums(matrix);
  ASSERT_EQ(packed.type().getShape(), (ArrayRef<int64_t>{2, 2, 16, 4}));
  for (int64_t n = 0; n < 32; ++n) {
    int32_t sum = 0;
    for (int64_t k = 0; k < rows; ++k) {
      int16_t expected = n < columns ? matrix.as<int16_t>()[k * columns + n] : 0;
      ASSERT_EQ(packed.as<int8_t>()[((n / 16 * 2 + k / 4) * 16 + n % 16) * 4 + k % 4], expected);
      sum += expected;
    }
    ASSERT_TRUE(n >= columns || sums.as<int32_t>()[n] == sum);
  }
}

TEST_F(PackingTest, Depthwise) {
  constexpr int64_t channels = 20, height = 3, width = 2;
  HostTensor weights = counting({channels, 1, height, width});
  HostTensor packed = aotc::select::packDepthwise(weights);
  ASSERT_EQ(packed.type().getShape(), (ArrayRef<int64_t>{height, width, 32}));
  for (int64_t tap = 0; tap < height * width; ++tap)
    for (int64_t c = 0; c < 32; ++c)
      ASSERT_EQ(packed.as<float>()[tap * 32 + c], c < channels ? weights.as<float>()[c * height * width + tap] : 0.0f);
}

// A constant kernel of ones: the sum of each row of G, times that of each column.
TEST_F(PackingTest, Winograd) {
  constexpr int64_t filters = 17, channels = 3, points = 36;
  HostTensor weights(RankedTensorType::get({filters, channels, 3, 3}, Float32Type::get(&context)));
  for (int64_t i = 0; i < weights.size(); ++i)
    weights.set(i, static_cast<double>(1 + i / 9)); // the kernel of a filter and a channel has a value of its own
  HostTensor packed = aotc::select::packWinograd(weights);
  ASSERT_EQ(packed.type().getShape(), (ArrayRef<int64_t>{2, points, channels, 16}));
  constexpr double sums[6] = {1.0 / 4, -1.0 / 2, -1.0 / 6, 7.0 / 6, 1.0 / 2, 1};
  for (int64_t o = 0; o < 32; ++o)
    for (int64_t point = 0; point < points; ++point)
      for (int64_t c = 0; c < channels; ++c) {
        double value = o < filters ? static_cast<double>(o * channels + c + 1) : 0.0;
        float found = packed.as<float>()[((o / 16 * points + point) * channels + c) * 16 + o % 16];
        ASSERT_NEAR(found, value * sums[point / 6] * sums[point % 6], 1e-6 * value);
      }
}

// One tap, in row 1 and column 2: those columns of G.
TEST_F(PackingTest, WinogradTellsRowsFromColumns) {
  HostTensor weights(RankedTensorType::get({1, 1, 3, 3}, Float32Type::get(&context)));
  for (int64_t i = 0; i < weights.size(); ++i)
    weights.set(i, i == 5 ? 1.0 : 0.0); // row 1, column 2
  HostTensor packed = aotc::select::packWinograd(weights);
  constexpr double row[6] = {0, -1.0 / 6, 1.0 / 6, 1.0 / 3, -1.0 / 3, 0};
  constexpr double column[6] = {0, -1.0 / 6, -1.0 / 6, 2.0 / 3, 2.0 / 3, 1};
  for (int64_t point = 0; point < 36; ++point)
    ASSERT_FLOAT_EQ(packed.as<float>()[point * 16], static_cast<float>(row[point / 6] * column[point % 6]));
}

TEST_F(PackingTest, HalvesKeepTheirBits) {
  HostTensor floats = counting({1, 5, 33}), packed = aotc::select::packMatrix(floats);
  HostTensor halves = aotc::nn::toHalves(floats, Float16Type::get(&context));
  EXPECT_EQ(aotc::nn::toFloats(aotc::select::packMatrix(halves)).as<float>(), packed.as<float>());
}

TEST_F(PackingTest, BFloat16InPairs) {
  constexpr int64_t rows = 5, columns = 17; // the last pair is half empty
  HostTensor matrix = aotc::nn::toHalves(counting({1, rows, columns}), BFloat16Type::get(&context));
  HostTensor packed = aotc::select::packMatrix(matrix);
  ASSERT_EQ(packed.type().getShape(), (ArrayRef<int64_t>{2, 3, 16, 2}));
  for (int64_t k = 0; k < 6; ++k)
    for (int64_t n = 0; n < 32; ++n)
      ASSERT_EQ(packed.as<uint16_t>()[((n / 16 * 3 + k / 2) * 16 + n % 16) * 2 + k % 2],
                k < rows && n < columns ? matrix.as<uint16_t>()[k * columns + n] : 0);
  HostTensor filters = aotc::nn::toHalves(counting({2, 3, 1, 2}), BFloat16Type::get(&context));
  HostTensor convolution = aotc::select::packConvolution(filters, 1);
  ASSERT_EQ(convolution.type().getShape(), (ArrayRef<int64_t>{1, 1, 1, 2, 2, 16, 2}));
  EXPECT_EQ(convolution.as<uint16_t>()[((1 * 2 + 1) * 16 + 1) * 2], filters.as<uint16_t>()[(1 * 3 + 2) * 2 + 1]);
}

TEST_F(PackingTest, Matrix) {
  constexpr int64_t rows = 5, columns = 33;
  HostTensor matrix = counting({1, rows, columns});
  HostTensor packed = aotc::select::packMatrix(matrix);
  ASSERT_EQ(packed.type().getShape(), (ArrayRef<int64_t>{3, rows, 16}));
  for (int64_t panel = 0; panel < 3; ++panel)
    for (int64_t k = 0; k < rows; ++k)
      for (int64_t lane = 0; lane < 16; ++lane) {
        int64_t n = panel * 16 + lane;
        ASSERT_EQ(packed.as<float>()[(panel * rows + k) * 16 + lane],
                  n < columns ? matrix.as<float>()[k * columns + n] : 0.0f);
      }
}

} // namespace
