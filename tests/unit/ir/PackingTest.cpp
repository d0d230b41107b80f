// Packed weights, element by element, against the layouts that the kernels' headers describe.
#include "lowering/select/Packing.h"
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

TEST_F(PackingTest, IntegerConvolution) {
  constexpr int64_t groups = 2, filters = 17, channels = 3, taps = 2, pairs = 2; // filters per group
  HostTensor weights(RankedTensorType::get({groups * filters, channels, 1, taps}, IntegerType::get(&context, 16)));
  for (int64_t i = 0; i < weights.size(); ++i)
    weights.setInteger(i, i + 1);
  HostTensor packed = aotc::select::packIntegerConvolution(weights, groups);
  ASSERT_EQ(packed.type().getShape(), (ArrayRef<int64_t>{groups, 2, 1, taps, pairs, 16, 2}));
  const int16_t *at = packed.as<int16_t>().data();
  for (int64_t g = 0; g < groups; ++g)
    for (int64_t panel = 0; panel < 2; ++panel)
      for (int64_t tap = 0; tap < taps; ++tap)
        for (int64_t pair = 0; pair < pairs; ++pair)
          for (int64_t lane = 0; lane < 16; ++lane)
            for (int64_t c = 2 * pair; c < 2 * pair + 2; ++c, ++at) {
              int64_t filter = panel * 16 + lane, index = ((g * filters + filter) * channels + c) * taps + tap;
              ASSERT_EQ(*at, filter < filters && c < channels ? weights.as<int16_t>()[index] : 0);
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
  constexpr double sums[6] = {1.0 / 4, -1.0 / 2, -1.0 / 6, 7.0 / 24, 1.0 / 8, 1};
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
  constexpr double row[6] = {0, -1.0 / 6, 1.0 / 6, 1.0 / 12, -1.0 / 12, 0};
  constexpr double column[6] = {0, -1.0 / 6, -1.0 / 6, 1.0 / 6, 1.0 / 6, 1};
  for (int64_t point = 0; point < 36; ++point)
    ASSERT_FLOAT_EQ(packed.as<float>()[point * 16], static_cast<float>(row[point / 6] * column[point % 6]));
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
