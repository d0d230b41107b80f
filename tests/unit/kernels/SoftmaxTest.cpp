// Softmax and log-softmax: along contiguous rows and along columns, in place, large values, -inf, +inf and NaN.
#include "aotc/kernels/softmax.hpp"

#include "StepRunner.h"

using namespace aotc;
using namespace aotc::test;

namespace {

struct Axis {
  int outer, length, inner;
};

const Axis axes[] = {{1, 1, 1},    {1, 10, 1},   {3, 16, 1}, {2, 17, 1},   {5, 1000, 1}, {2, 4099, 1},
                     {1500, 2, 1}, {64, 50, 1},  {2, 10, 3}, {1, 21, 700}, {3, 5, 16},   {2, 9, 65},
                     {1, 600, 20}, {1, 3, 5000}, {0, 5, 1},  {2, 0, 4}};

// The plain formula in double.
std::vector<double> reference(const Axis &l, const std::vector<float> &x, bool logarithm) {
  std::vector<double> y(x.size());
  const auto at = [&](int o, int k, int i) { return static_cast<std::size_t>((o * l.length + k) * l.inner + i); };
  for (int o = 0; o < l.outer; ++o)
    for (int i = 0; i < l.inner; ++i) {
      double most = -std::numeric_limits<double>::infinity(), sum = 0.0;
      for (int k = 0; k < l.length; ++k)
        most = std::isnan(most) || std::isnan(x[at(o, k, i)]) ? std::nan("") : std::max<double>(most, x[at(o, k, i)]);
      for (int k = 0; k < l.length; ++k)
        sum += std::exp(x[at(o, k, i)] - most);
      for (int k = 0; k < l.length; ++k)
        y[at(o, k, i)] = logarithm ? x[at(o, k, i)] - most - std::log(sum) : std::exp(x[at(o, k, i)] - most) / sum;
    }
  return y;
}

template <class L> void check(const L &l, const std::vector<float> &x) {
  const auto soft = runStep(std::vector<float>(x.size()), softmax_units(l),
                            [&](float *y, Part part) { softmax(l, x.data(), y, part); });
  const auto logs = runStep(std::vector<float>(x.size()), log_softmax_units(l),
                            [&](float *y, Part part) { log_softmax(l, x.data(), y, part); });
  const auto expectedSoft = reference({l.outer, l.length, l.inner}, x, false);
  const auto expectedLogs = reference({l.outer, l.length, l.inner}, x, true);
  for (std::size_t i = 0; i < x.size(); ++i) {
    expectNear(soft[i], expectedSoft[i], 1e-6, "softmax", i);
    expectNear(logs[i], expectedLogs[i], 2e-6, "log_softmax", i);
  }
  const auto inPlace = runStep(x, softmax_units(l), [&](float *y, Part part) { softmax(l, y, y, part); });
  const auto logsInPlace = runStep(x, log_softmax_units(l), [&](float *y, Part part) { log_softmax(l, y, y, part); });
  EXPECT_EQ(std::memcmp(inPlace.data(), soft.data(), x.size() * sizeof(float)), 0);
  EXPECT_EQ(std::memcmp(logsInPlace.data(), logs.data(), x.size() * sizeof(float)), 0);
}

std::vector<float> valuesFor(const Axis &l, float scale = 3.0f) {
  auto x = randomValues<float>(static_cast<std::size_t>(l.outer * l.length * l.inner));
  for (float &value : x)
    value *= scale;
  return x;
}

template <int Length, int Outer = 3> struct Rows { static constexpr int outer = Outer, length = Length, inner = 1; };

TEST(SoftmaxTest, AgreesWithDouble) {
  for (const Axis &l : axes) {
    if (l.outer * l.length * l.inner == 0) {
      EXPECT_TRUE(l.outer > 0 || softmax_units(l) == 0);
      continue;
    }
    check(l, valuesFor(l));
  }
}

TEST(SoftmaxTest, RowsOfProbabilitiesSumToOne) {
  const Axis l{7, 333, 1};
  const auto x = valuesFor(l, 10.0f);
  std::vector<float> y(x.size());
  softmax(l, x.data(), y.data(), Part{0, softmax_units(l), 0});
  for (std::size_t o = 0; o < 7; ++o) {
    double sum = 0.0;
    for (std::size_t i = 0; i < 333; ++i)
      sum += y[o * 333 + i];
    EXPECT_NEAR(sum, 1.0, 1e-6);
  }
}

TEST(SoftmaxTest, LargeAndTinyValuesNeitherOverflowNorVanish) {
  for (const Axis &l : {Axis{3, 21, 1}, Axis{2, 7, 18}}) {
    check(l, valuesFor(l, 1e4f));
    check(l, valuesFor(l, 1e37f));
    check(l, valuesFor(l, 1e-38f));
    check(l, std::vector<float>(static_cast<std::size_t>(l.outer * l.length * l.inner), 3e38f));
  }
}

TEST(SoftmaxTest, InfinitiesAndNaN) {
  for (float special : {quietNaN, infinity, -infinity})
    for (const Axis &l : {Axis{3, 21, 1}, Axis{2, 7, 18}})
      for (std::size_t at = 0; at < static_cast<std::size_t>(l.outer * l.length * l.inner); at += 5) {
        auto x = valuesFor(l);
        x[at] = special;
        check(l, x);
      }
}

TEST(SoftmaxTest, RowsOfMinusInfinityAreNaNAndTheirNeighboursAreNot) {
  const Axis l{3, 19, 1};
  auto x = valuesFor(l);
  std::fill(x.begin() + 19, x.begin() + 38, -infinity);
  check(l, x);
  std::fill(x.begin(), x.begin() + 18, -infinity); // a masked row with one value left: probability 1
  check(l, x);
}

// Rows that fit a few registers take a path of their own where the length is a constant.
template <int... Length> void checkConstantLengths() { (check(Rows<Length>{}, valuesFor({3, Length, 1})), ...); }

TEST(SoftmaxTest, ConstantExtents) {
  checkConstantLengths<1, 4, 10, 16, 21, 50, 64, 65>();
  auto x = valuesFor({3, 21, 1});
  x[1] = quietNaN, x[25] = -infinity;
  std::fill(x.begin() + 42, x.end(), -infinity);
  check(Rows<21>{}, x);
}

// Rows of a few elements are computed side by side: full groups of them and a rest, each row for itself.
TEST(SoftmaxTest, TinyRows) {
  check(Rows<1, 20>{}, valuesFor({20, 1, 1}));
  check(Rows<2, 1500>{}, valuesFor({1500, 2, 1}));
  check(Rows<3, 37>{}, valuesFor({37, 3, 1}));
  auto x = valuesFor({37, 2, 1});
  x[3] = quietNaN, x[40] = infinity, x[60] = -infinity, x[72] = x[73] = -infinity;
  check(Rows<2, 37>{}, x);
}

TEST(SoftmaxTest, AttentionRowsAreManyUnits) {
  static_assert(softmax_units(Axis{12 * 128, 128, 1}) >= 64);
  static_assert(softmax_units(Axis{1, 10, 1}) == 1);
  static_assert(softmax_units(Axis{1, 21, 80 * 80}) >= 16);
}

} // namespace
