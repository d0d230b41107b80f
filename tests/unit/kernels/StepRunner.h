// Runs a kernel the way the thread pool may: as a whole, unit by unit backwards, and in uneven pieces, and requires the
// same bits each time. Buffers are exactly as large as the tensors, so that the address sanitizer sees every access
// beside them.
#pragma once
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <random>
#include <vector>

#include "aotc/part.hpp"

namespace aotc::test {

constexpr float quietNaN = std::numeric_limits<float>::quiet_NaN();
constexpr float infinity = std::numeric_limits<float>::infinity();

// `size` values between -2 and 2 (integers: -20 and 20), the same for the same seed.
template <class T> std::vector<T> randomValues(std::size_t size, unsigned seed = 1) {
  std::mt19937 engine(seed);
  std::uniform_real_distribution<double> values(-2.0, 2.0);
  std::vector<T> result(size);
  for (T &value : result)
    value = static_cast<T>(values(engine) * (std::is_integral_v<T> ? 10 : 1));
  return result;
}

// A kernel, as T is deduced from elsewhere. Of one type whatever it calls, so that no kernel is compiled for each call
// of runStep(), nor that for each kernel.
template <class T> struct StepOf { using Run = std::function<void(T *y, Part part)>; };

// run(y, part) computes some of `units` units into y, which starts as a copy of `initial`. Returns y.
template <class T>
std::vector<T> runStep(const std::vector<T> &initial, int units, const typename StepOf<T>::Run &run) {
  std::vector<T> whole = initial, backwards = initial, pieces = initial;
  run(whole.data(), Part{0, units, 0});
  for (int unit = units; unit-- > 0;)
    run(backwards.data(), Part{unit, unit + 1, 0});
  for (int begin = 0, size = 1; begin < units; begin += size, size += 2)
    run(pieces.data(), Part{begin, std::min(begin + size, units), 0});
  const std::size_t bytes = initial.size() * sizeof(T);
  if (bytes != 0) {
    EXPECT_EQ(std::memcmp(whole.data(), backwards.data(), bytes), 0) << "units one by one give other bits";
    EXPECT_EQ(std::memcmp(whole.data(), pieces.data(), bytes), 0) << "uneven parts give other bits";
  }
  return whole;
}

// Both NaN, the same infinity, or no further apart than `tolerance` times the larger of 1 and the expected magnitude.
inline void expectNear(double actual, double expected, double tolerance, const char *what, std::size_t where) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(actual)) << what << " at " << where << ": " << actual;
  } else if (std::isinf(expected)) {
    EXPECT_EQ(actual, expected) << what << " at " << where;
  } else {
    EXPECT_LE(std::fabs(actual - expected), tolerance * std::max(1.0, std::fabs(expected)))
        << what << " at " << where << ": " << actual << " instead of " << expected;
  }
}

inline void expectAllNear(const std::vector<float> &actual, const std::vector<double> &expected, double tolerance,
                          const char *what) {
  ASSERT_EQ(actual.size(), expected.size()) << what;
  for (std::size_t i = 0; i < actual.size(); ++i)
    expectNear(actual[i], expected[i], tolerance, what, i);
}

} // namespace aotc::test
