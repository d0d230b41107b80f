// Quotients and roots of vectors are those of scalars to the bit, as IEEE 754 rounds them: what is quantized by them is
// then the same on every processor.
#include "aotc/kernels/vec.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace {

using namespace aotc;

constexpr int lanes = vec_lanes<float>;

TEST(RoundingTest, DividesAndTakesRootsExactly) {
  std::mt19937 random(1);
  std::uniform_real_distribution<float> numbers(1e-3F, 1e3F);
  int wrong = 0;
  for (int i = 0; i < 100'000; ++i) {
    float a[lanes], b[lanes], quotients[lanes], roots[lanes];
    for (int lane = 0; lane < lanes; ++lane)
      a[lane] = numbers(random), b[lane] = numbers(random);
    const Vec<float> x = load(a, Full{}), y = load(b, Full{});
    using std::sqrt;
    store(quotients, Vec<float>(x / y), Full{});
    store(roots, Vec<float>(sqrt(x)), Full{});
    for (int lane = 0; lane < lanes; ++lane)
      wrong += (quotients[lane] != a[lane] / b[lane]) + (roots[lane] != std::sqrt(a[lane]));
  }
  EXPECT_EQ(wrong, 0);
}

} // namespace
