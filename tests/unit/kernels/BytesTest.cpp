// Bytes in and out of vectors, and quantization: every byte, ties, both ends of saturation, NaN.
#include "aotc/kernels/bytes.hpp"

#include "StepRunner.h"

#include <array>
#include <cmath>
#include <numeric>

using namespace aotc;
using namespace aotc::test;

namespace {

// `count` floats through quantized() into bytes, vectors and a tail as they come.
std::vector<std::int8_t> quantize(const std::vector<float> &x, int zeroPoint, int low, int high) {
  std::vector<std::int8_t> y(x.size());
  for_each_vector<float>(static_cast<int>(x.size()), [&](int i, auto lanes) {
    store(y.data() + i, quantized(load(x.data() + i, lanes), zeroPoint, low, high), lanes);
  });
  return y;
}

// The written model, in double.
std::int8_t expected(float value, int zeroPoint, int low, int high) {
  if (std::isnan(value))
    return static_cast<std::int8_t>(low);
  const double rounded = std::nearbyint(static_cast<double>(value)) + zeroPoint;
  return static_cast<std::int8_t>(static_cast<int>(std::fmin(std::fmax(rounded, low), high)));
}

} // namespace

TEST(Bytes, QuantizeTiesEndsAndNaN) {
  std::vector<float> x = {quietNaN, infinity, -infinity, 3e9f, -3e9f, 2147483648.0f, -2147483904.0f, 1e38f, -0.0f};
  for (int i = -1200; i <= 1200; ++i) { // quarters: every tie, and what is beside it
    x.push_back(static_cast<float>(i) * 0.25f);
    x.push_back(std::nextafter(static_cast<float>(i) * 0.25f, infinity));
    x.push_back(std::nextafter(static_cast<float>(i) * 0.25f, -infinity));
  }
  std::vector<std::array<int, 3>> cases{{3, 3, 200}, {-5, -5, 90}}; // zero point, low, high
  for (int i = 0; i < 256; ++i) {
    cases.push_back({i, 0, 255});
    cases.push_back({i - 128, -128, 127});
  }
  for (const auto &bounds : cases) {
    const int zeroPoint = bounds[0], low = bounds[1], high = bounds[2];
    const std::vector<std::int8_t> y = quantize(x, zeroPoint, low, high);
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(y[i], expected(x[i], zeroPoint, low, high)) << x[i] << ", zero point " << zeroPoint;
    std::vector<float> steps(x.size());
    for_each_vector<float>(static_cast<int>(x.size()), [&](int i, auto lanes) {
      store(steps.data() + i, quantized_steps(load(x.data() + i, lanes), low - zeroPoint, high - zeroPoint), lanes);
    });
    for (std::size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(static_cast<std::int8_t>(static_cast<int>(steps[i]) + zeroPoint), y[i]) << x[i];
    for (float step : steps)
      ASSERT_FALSE(step == 0 && std::signbit(step)) << "integers have no -0";
  }
}

TEST(Bytes, EveryByteAsFloat) {
  std::vector<std::int8_t> bytes(256 + 7);
  std::iota(bytes.begin(), bytes.begin() + 128, std::int8_t{0});
  std::iota(bytes.begin() + 128, bytes.begin() + 256, std::int8_t{-128});
  for (int stride : {1, 3}) {
    const int count = static_cast<int>(bytes.size()) / stride;
    std::vector<float> asSigned(bytes.size()), asUnsigned(bytes.size());
    for_each_vector<float>(count, [&](int i, auto lanes) {
      const std::int8_t *p = bytes.data() + i * stride;
      store(asSigned.data() + i, stride == 1 ? load_i8(p, lanes) : load_strided_i8(p, stride, lanes), lanes);
      store(asUnsigned.data() + i, stride == 1 ? load_u8(p, lanes) : load_strided_u8(p, stride, lanes), lanes);
    });
    for (int i = 0; i < count; ++i) {
      const std::int8_t byte = bytes[static_cast<std::size_t>(i * stride)];
      ASSERT_EQ(asSigned[static_cast<std::size_t>(i)], static_cast<float>(byte));
      ASSERT_EQ(asUnsigned[static_cast<std::size_t>(i)], static_cast<float>(static_cast<std::uint8_t>(byte)));
    }
  }
  EXPECT_EQ(lane(broadcast_i8(bytes.data() + 200, Full{}), 0), -56.0f);
  EXPECT_EQ(lane(broadcast_u8(bytes.data() + 200, Full{}), vec_lanes<float> - 1), 200.0f);
}
