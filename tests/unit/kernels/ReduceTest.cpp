// Reductions: every operation against a loop in double, lengths and inner extents around the vector sizes, NaN and
// infinities.
#include "aotc/kernels/reduce.hpp"

#include "StepRunner.h"

using namespace aotc;
using namespace aotc::test;

namespace {

struct Axis {
  int outer, length, inner;
};

const Axis axes[] = {{1, 1, 1},    {3, 10, 1}, {2, 16, 1},  {5, 17, 1},  {2, 64, 1}, {3, 1000, 1},  {1, 70001, 1},
                     {4000, 3, 1}, {2, 5, 3},  {1, 49, 64}, {3, 7, 129}, {2, 1, 16}, {1, 3000, 10}, {2, 300, 70},
                     {1, 4, 9000}, {70, 9, 2}, {2, 0, 5},   {2, 0, 1},   {0, 4, 4}};

using Fold = std::function<double(double folded, double value)>;

template <class T>
void compare(const Axis &l, const std::vector<T> &x, const std::vector<T> &y, double identity, double tolerance,
             const Fold &fold) {
  for (int o = 0; o < l.outer; ++o)
    for (int i = 0; i < l.inner; ++i) {
      double expected = identity;
      for (int k = 0; k < l.length; ++k)
        expected = fold(expected, static_cast<double>(x[static_cast<std::size_t>((o * l.length + k) * l.inner + i)]));
      const auto at = static_cast<std::size_t>(o * l.inner + i);
      expectNear(static_cast<double>(y[at]), expected, tolerance, "reduce", at);
    }
}

template <class T, class Op>
void check(const Axis &l, const std::vector<T> &x, const Op &op, double tolerance, const Fold &fold) {
  const std::vector<T> initial(static_cast<std::size_t>(l.outer * l.inner));
  const auto y = runStep(initial, reduce_units(l), [&](T *out, Part part) { reduce(l, x.data(), out, part, op); });
  compare(l, x, y, static_cast<double>(Op::template identity<T>()), tolerance, fold);
}

double larger(double a, double b) { return std::isnan(a) || std::isnan(b) ? std::nan("") : std::max(a, b); }
double smaller(double a, double b) { return std::isnan(a) || std::isnan(b) ? std::nan("") : std::min(a, b); }

template <class T> std::vector<T> valuesFor(const Axis &l) {
  return randomValues<T>(static_cast<std::size_t>(l.outer * l.length * l.inner));
}

struct Fixed {
  static constexpr int outer = 3, length = 4, inner = 21;
};

TEST(ReduceTest, SumsAgreeWithDouble) {
  for (const Axis &l : axes) {
    const auto x = valuesFor<float>(l);
    check(l, x, Sum{}, 2e-5, [](double a, double b) { return a + b; });
    check(l, x, SumOfSquares{}, 2e-6, [](double a, double b) { return a + b * b; });
    check(l, x, SumOfMagnitudes{}, 2e-6, [](double a, double b) { return a + std::fabs(b); });
  }
}

TEST(ReduceTest, LongSumsStayExactEnough) {
  const Axis row{1, 3000000, 1}, column{1, 200000, 3};
  check(row, std::vector<float>(3000000, 0.1f), Sum{}, 4e-5, [](double a, double b) { return a + b; });
  check(column, std::vector<float>(600000, 0.1f), Sum{}, 4e-5, [](double a, double b) { return a + b; });
}

TEST(ReduceTest, MaxAndMinCarryNaNAndInfinities) {
  for (const Axis &l : axes) {
    auto x = valuesFor<float>(l);
    check(l, x, Max{}, 0.0, larger);
    check(l, x, Min{}, 0.0, smaller);
    for (std::size_t i = 0; i < x.size(); i += 37)
      x[i] = i % 3 == 0 ? quietNaN : i % 3 == 1 ? infinity : -infinity;
    check(l, x, Max{}, 0.0, larger);
    check(l, x, Min{}, 0.0, smaller);
  }
}

TEST(ReduceTest, NaNIsFoundAtEveryPosition) {
  for (int inner : {1, 3, 64})
    for (int k = 0; k < 70; ++k) {
      const Axis l{1, 70, inner};
      auto x = valuesFor<float>(l);
      x[static_cast<std::size_t>(k * inner)] = quietNaN;
      check(l, x, Max{}, 0.0, larger);
      check(l, x, Min{}, 0.0, smaller);
    }
}

TEST(ReduceTest, ProductsAgreeWithDouble) {
  for (const Axis &l : {Axis{3, 10, 1}, Axis{2, 33, 1}, Axis{2, 9, 35}})
    check(l, valuesFor<float>(l), Product{}, 1e-5, [](double a, double b) { return a * b; });
}

template <class T> void checkType() {
  for (const Axis &l : {Axis{3, 10, 1}, Axis{2, 100, 1}, Axis{2, 9, 35}, Axis{2, 6, 130}}) {
    const auto x = valuesFor<T>(l);
    check(l, x, Max{}, 0.0, larger);
    check(l, x, Min{}, 0.0, smaller);
    if constexpr (sizeof(T) >= 4)
      check(l, x, Sum{}, 1e-12, [](double a, double b) { return a + b; });
  }
}

TEST(ReduceTest, TakesOtherTypes) {
  checkType<double>();
  checkType<std::int32_t>();
  checkType<std::int64_t>();
  checkType<std::int8_t>();
  checkType<std::uint8_t>();
}

TEST(ReduceTest, IntegersWrapAround) {
  const std::int32_t x[] = {std::numeric_limits<std::int32_t>::max(), 1};
  const std::int64_t wide[] = {std::numeric_limits<std::int64_t>::max(), 3};
  std::int32_t y = 0;
  std::int64_t z = 0;
  reduce(Axis{1, 2, 1}, x, &y, Part{0, 1, 0}, Sum{});
  EXPECT_EQ(y, std::numeric_limits<std::int32_t>::min());
  reduce(Axis{1, 2, 1}, wide, &z, Part{0, 1, 0}, Product{});
  EXPECT_EQ(z, std::numeric_limits<std::int64_t>::max() - 2);
}

TEST(ReduceTest, EpilogueMakesAMeanAndSeesItsPlace) {
  const auto x = randomValues<float>(252), bias = randomValues<float>(63, 2);
  const float *b = bias.data();
  const auto y = runStep(std::vector<float>(63), reduce_units(Fixed{}), [&](float *out, Part part) {
    reduce(Fixed{}, x.data(), out, part, Sum{}, [=](auto sum, auto lanes, int o, int i) {
      const float quarter = 0.25f;
      return sum * broadcast(&quarter, lanes) + load(b + o * 21 + i, lanes);
    });
  });
  for (std::size_t i = 0; i < 63; ++i) {
    const std::size_t at = i / 21 * 84 + i % 21;
    const double sum = static_cast<double>(x[at]) + x[at + 21] + x[at + 42] + x[at + 63];
    expectNear(y[i], sum / 4 + bias[i], 1e-6, "mean", i);
  }
}

TEST(ReduceTest, UnitsFollowTheWork) {
  static_assert(reduce_units(Axis{1, 49, 2048}) >= 16);
  static_assert(reduce_units(Axis{1, 64, 64}) == 1);
  static_assert(reduce_units(Axis{128, 768, 1}) >= 16);
}

} // namespace
