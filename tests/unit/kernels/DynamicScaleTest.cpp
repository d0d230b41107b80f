// The scale and zero point found at run time against the formula on a scan: one part and many, numbers of one sign, zeros,
// none, the last element of a tail, what has no scale.
#include "aotc/kernels/dynamic_scale.hpp"

#include "StepRunner.h"

#include <algorithm>
#include <cmath>

using namespace aotc;
using namespace aotc::test;

namespace {

struct Run {
  int outer, length, inner, parts;
};

struct Found {
  float scale;
  int zeroPoint;
};

Found find(const std::vector<float> &x) {
  const Run l{1, static_cast<int>(x.size()), 1, 16};
  const auto ends = runStep(std::vector<float>(2 * 16), extremes_units(l),
                            [&](float *out, Part part) { extremes(l, x.data(), out, part); });
  std::uint8_t zeroPoint = 0;
  const auto scale = runStep(std::vector<float>(1), dynamic_scale_units(l),
                             [&](float *out, Part part) { dynamic_scale(l, ends.data(), out, &zeroPoint, part); });
  return {scale[0], zeroPoint};
}

void check(const std::vector<float> &x) {
  float low = 0, high = 0;
  for (float value : x) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  const Found found = find(x);
  const float scale = high == low ? 1 : (high - low) / 255;
  ASSERT_EQ(found.scale, scale);
  ASSERT_EQ(found.zeroPoint, static_cast<int>(std::clamp(std::nearbyint(-low / scale), 0.0f, 255.0f)));
}

TEST(DynamicScaleTest, IsThatOfTheEndsAndZero) {
  for (std::size_t count : {1u, 2u, 15u, 17u, 4095u, 8193u, 65536u, 100001u}) {
    auto x = randomValues<float>(count);
    check(x);
    for (float &value : x)
      value = std::abs(value);
    check(x);
    for (float &value : x)
      value = -value;
    check(x);
    x.back() = 1000;
    check(x);
    x.front() = -3000;
    check(x);
  }
}

// The scale tells; the zero point is a byte in any case.
TEST(DynamicScaleTest, WhatIsNotFiniteHasNoFiniteScale) {
  auto x = randomValues<float>(10000);
  for (std::size_t place : {std::size_t{0}, x.size() / 2, x.size() - 1}) {
    for (float value : {quietNaN, -quietNaN}) {
      auto changed = x;
      changed[place] = value;
      EXPECT_TRUE(std::isnan(find(changed).scale)) << place;
      EXPECT_EQ(find(changed).zeroPoint, 0) << place;
    }
    constexpr float infinity = std::numeric_limits<float>::infinity();
    for (float value : {infinity, -infinity}) {
      auto changed = x;
      changed[place] = value;
      EXPECT_EQ(find(changed).scale, infinity) << place;
      EXPECT_EQ(find(changed).zeroPoint, 0) << place;
    }
  }
  constexpr float largest = std::numeric_limits<float>::max();
  EXPECT_EQ(find({largest, -largest}).scale, std::numeric_limits<float>::infinity()); // the range overflows
}

TEST(DynamicScaleTest, ZerosHaveTheScaleOne) {
  check({});
  check(std::vector<float>(100));
  check({-0.0f});
}

} // namespace
