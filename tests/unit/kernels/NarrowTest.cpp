// Narrow floats: every code of every type there and back, and rounding against a search among all numbers of the type,
// with ties, subnormals, the limits, NaN and infinities, on vectors and scalars.
#include "aotc/kernels/narrow.hpp"

#include "StepRunner.h"

#include <map>

using namespace aotc;
using namespace aotc::test;

namespace {

template <class T> class NarrowTest : public ::testing::Test {};
using Formats = ::testing::Types<Float16, BFloat16, Float8E4M3FN, Float8E4M3FNUZ, Float8E5M2, Float8E5M2FNUZ>;
TYPED_TEST_SUITE(NarrowTest, Formats);

template <class T> std::vector<T> allCodes() {
  std::vector<T> codes;
  for (std::uint32_t code = 0; code < 1u << (8 * sizeof(T)); ++code)
    codes.push_back(T{static_cast<decltype(T::bits)>(code)});
  return codes;
}

// The finite numbers that are not negative, by value. Codes of positive numbers are in the order of the numbers.
template <class T> std::map<double, T> positiveNumbers() {
  std::map<double, T> numbers;
  for (T code : allCodes<T>())
    if (const float x = widen(code); std::isfinite(x) && !std::signbit(x))
      numbers.emplace(static_cast<double>(x), code);
  return numbers;
}

// The number nearest to x, by search; a tie goes to the even code. What lies half a step or more beyond the largest
// number is beyond the type.
template <class T> double nearest(const std::map<double, T> &numbers, double x) {
  using Limits = detail::NarrowFormat<T>;
  if (std::isnan(x))
    return x;
  const double magnitude = std::fabs(x), largest = numbers.rbegin()->first;
  const double lastStep = largest - std::next(numbers.rbegin())->first;
  const auto above = numbers.lower_bound(magnitude);
  double result;
  if (above == numbers.end()) {
    const bool lastIsOdd = numbers.rbegin()->second.bits & 1;
    const bool isBeyond = magnitude > largest + lastStep / 2 || (magnitude == largest + lastStep / 2 && lastIsOdd);
    result = !isBeyond ? largest : Limits::has_infinity ? HUGE_VAL : std::nan("");
  } else if (above->first == magnitude) {
    result = magnitude;
  } else {
    const auto below = std::prev(above);
    const double down = magnitude - below->first, up = above->first - magnitude;
    result = down < up || (down == up && below->second.bits % 2 == 0) ? below->first : above->first;
  }
  return std::copysign(result, x);
}

template <class T> std::vector<double> interestingNumbers(const std::map<double, T> &numbers) {
  std::vector<double> values = {0.0, -0.0, HUGE_VAL, -HUGE_VAL, std::nan(""), 1e-46, 3.4e38, 1e300, -1e-300};
  std::size_t skip = numbers.size() / 300 + 1, index = 0;
  for (auto number = numbers.begin(); std::next(number) != numbers.end(); ++number, ++index) {
    if (index % skip != 0 && index > 40 && index + 40 < numbers.size())
      continue;
    const double middle = (number->first + std::next(number)->first) / 2;
    for (double x : {number->first, middle, std::nextafter(middle, 0.0), std::nextafter(middle, 1e300)})
      values.insert(values.end(), {x, -x});
  }
  const double largest = numbers.rbegin()->first, step = largest - std::next(numbers.rbegin())->first;
  for (double steps : {0.25, 0.5, 0.75, 1.0, 2.0})
    values.insert(values.end(), {largest + steps * step, -largest - steps * step});
  return values;
}

TYPED_TEST(NarrowTest, EveryCodeComesBack) {
  for (TypeParam code : allCodes<TypeParam>()) {
    const float x = widen(code);
    if (!std::isnan(x)) {
      EXPECT_EQ(narrow<TypeParam>(x).bits, code.bits) << x;
    } else {
      EXPECT_TRUE(std::isnan(widen(narrow<TypeParam>(x)))) << +code.bits;
    }
  }
}

TYPED_TEST(NarrowTest, RoundsToTheNearest) {
  const auto numbers = positiveNumbers<TypeParam>();
  for (double x : interestingNumbers(numbers)) {
    const double expected = nearest(numbers, x),
                 fromFloat = nearest(numbers, static_cast<double>(static_cast<float>(x)));
    expectNear(static_cast<double>(widen(narrow<TypeParam>(x))), expected, 0, "from double", 0);
    expectNear(static_cast<double>(widen(narrow<TypeParam>(static_cast<float>(x)))), fromFloat, 0, "from float", 0);
    const Vec<float> all(static_cast<float>(x));
    expectNear(static_cast<double>(lane<float>(detail::round_to<TypeParam>(all), vec_lanes<float> - 1)), fromFloat, 0,
               "vector", 0);
    expectNear(static_cast<double>(detail::round_to<TypeParam>(static_cast<float>(x))), fromFloat, 0, "scalar", 0);
  }
}

TEST(NarrowZeroTest, KeepsTheSignOfZeroWhereThereIsOne) {
  EXPECT_EQ(narrow<Float16>(-0.0f).bits, 0x8000);
  EXPECT_EQ(narrow<Float8E4M3FN>(-1e-9f).bits, 0x80);
  EXPECT_EQ(narrow<Float8E4M3FNUZ>(-1e-9f).bits, 0);
}

} // namespace
