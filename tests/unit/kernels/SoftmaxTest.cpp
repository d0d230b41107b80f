// Softmax and log-softmax: along contiguous rows and along columns, in place, large values, -inf, +inf and NaN, and what
// an epilogue reads.
#include "aotc/kernels/softmax.hpp"

#include "StepRunner.h"

#include <algorithm>

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

// The two kernels of rows and the two of columns, as one.
struct AlongRows {
  template <class L> static int units(const L &l) { return softmax_rows_units(l); }
  template <class... A> static void softmax(const A &...arguments) { softmax_rows(arguments...); }
  template <class... A> static void logSoftmax(const A &...arguments) { log_softmax_rows(arguments...); }
};
struct AlongColumns {
  template <class L> static int units(const L &l) { return softmax_columns_units(l); }
  template <class... A> static void softmax(const A &...arguments) { softmax_columns(arguments...); }
  template <class... A> static void logSoftmax(const A &...arguments) { log_softmax_columns(arguments...); }
};

// run(x, y, part) is a kernel, from one buffer to another and in place. Both by pointers to constants, so that it is
// compiled once.
using Run = std::function<void(const float *x, float *y, Part part)>;
void checkResults(const Axis &l, const std::vector<float> &x, int units, bool logarithm, const Run &run) {
  const char *name = logarithm ? "log_softmax" : "softmax";
  const auto y = runStep(std::vector<float>(x.size()), units, [&](float *to, Part part) { run(x.data(), to, part); });
  expectAllNear(y, reference(l, x, logarithm), logarithm ? 2e-6 : 1e-6, name);
  const auto inPlace = runStep(x, units, [&](float *to, Part part) { run(to, to, part); });
  EXPECT_EQ(std::memcmp(inPlace.data(), y.data(), x.size() * sizeof(float)), 0) << name;
}

template <class Kernels, class L> void checkKernels(const L &l, const std::vector<float> &x) {
  const Axis axis{l.outer, l.length, l.inner};
  const int units = Kernels::units(l);
  checkResults(axis, x, units, false, [&](auto from, auto y, Part part) { Kernels::softmax(l, from, y, part); });
  checkResults(axis, x, units, true, [&](auto from, auto y, Part part) { Kernels::logSoftmax(l, from, y, part); });
}

// Columns of one element may be rows, and are where that is known.
template <class L> void check(const L &l, const std::vector<float> &x) {
  if (l.inner == 1)
    checkKernels<AlongRows>(l, x);
  checkKernels<AlongColumns>(l, x);
}

std::vector<float> valuesFor(const Axis &l, float scale = 3.0f) {
  auto x = randomValues<float>(static_cast<std::size_t>(l.outer * l.length * l.inner));
  for (float &value : x)
    value *= scale;
  return x;
}

// Extents that are constants.
template <int Length> struct Rows {
  static constexpr int length = Length, inner = 1;
  int outer = 3;
};
template <int Outer, int Length, int Inner> struct Extents {
  static constexpr int outer = Outer, length = Length, inner = Inner;
};
constexpr int lanes = vec_lanes<float>, tiny = std::max(lanes / 2, 1); // the most elements of a tiny row

TEST(SoftmaxTest, AgreesWithDouble) {
  for (const Axis &l : axes) {
    if (l.outer * l.length * l.inner == 0) {
      EXPECT_TRUE(l.outer > 0 || (softmax_rows_units(l) == 0 && softmax_columns_units(l) == 0));
      continue;
    }
    check(l, valuesFor(l));
  }
}

TEST(SoftmaxTest, RowsOfProbabilitiesSumToOne) {
  const Axis l{7, 333, 1};
  const auto x = valuesFor(l, 10.0f);
  std::vector<float> y(x.size());
  softmax_rows(l, x.data(), y.data(), Part{0, softmax_rows_units(l), 0});
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
template <int... Length> void checkConstantLengths() {
  (checkKernels<AlongRows>(Rows<Length>{}, valuesFor({3, Length, 1})), ...);
}

TEST(SoftmaxTest, ConstantExtents) {
  checkConstantLengths<tiny + 1, lanes, 2 * lanes + 1, 3 * lanes - 1, 4 * lanes, 4 * lanes + 1>();
  check(Extents<3, 21, 1>{}, valuesFor({3, 21, 1}));
  auto x = valuesFor({3, 21, 1});
  x[1] = quietNaN, x[25] = -infinity;
  std::fill(x.begin() + 42, x.end(), -infinity);
  check(Extents<3, 21, 1>{}, x);
  checkKernels<AlongColumns>(Extents<2, 9, 65>{}, valuesFor({2, 9, 65}));
}

// Rows of a few elements are computed side by side: full groups of them and a rest, each row for itself.
TEST(SoftmaxTest, TinyRows) {
  checkKernels<AlongRows>(Rows<1>{20}, valuesFor({20, 1, 1}));
  checkKernels<AlongRows>(Rows<2>{1500}, valuesFor({1500, 2, 1}));
  checkKernels<AlongRows>(Rows<3>{37}, valuesFor({37, 3, 1}));
  checkKernels<AlongRows>(Rows<tiny>{3}, valuesFor({3, tiny, 1}));
  auto x = valuesFor({37, 2, 1});
  x[3] = quietNaN, x[40] = infinity, x[60] = -infinity, x[72] = x[73] = -infinity;
  checkKernels<AlongRows>(Rows<2>{37}, x);
}

TEST(SoftmaxTest, AttentionRowsAreManyUnits) {
  static_assert(softmax_rows_units(Axis{12 * 128, 128, 1}) >= 64);
  static_assert(softmax_rows_units(Axis{1, 10, 1}) == 1);
  static_assert(softmax_columns_units(Axis{1, 21, 80 * 80}) >= 16);
}

// What generated code makes of y = softmax(x) * gate + shift, with one gate for each element and one shift for each
// place along the axis; the buffer may be that of the gate.
template <class L> void checkRowEpilogue(const L &l) {
  const auto size = static_cast<std::size_t>(l.outer * l.length);
  const auto x = valuesFor({l.outer, l.length, 1}), gate = randomValues<float>(size, 5);
  const auto shift = randomValues<float>(static_cast<std::size_t>(l.length), 6);
  for (bool logarithm : {false, true}) {
    auto expected = reference({l.outer, l.length, 1}, x, logarithm);
    for (std::size_t i = 0; i < size; ++i)
      expected[i] = expected[i] * gate[i] + shift[i % shift.size()];
    const auto y = runStep(gate, softmax_rows_units(l), [&](float *out, Part part) {
      const auto epilogue = [&](auto value, auto valid, int o, int k) {
        return value * load(out + o * l.length + k, valid) + load(shift.data() + k, valid);
      };
      if (logarithm)
        log_softmax_rows(l, x.data(), out, part, epilogue);
      else
        softmax_rows(l, x.data(), out, part, epilogue);
    });
    expectAllNear(y, expected, 4e-6, "gate");
  }
}

TEST(SoftmaxTest, EpilogueOfRowsSeesVectorsAlongThem) {
  for (const Axis &l : {Axis{3, 8, 1}, Axis{5, 17, 1}, Axis{2, 300, 1}})
    checkRowEpilogue(l);
  checkRowEpilogue(Rows<2>{20});
  checkRowEpilogue(Rows<lanes>{});
  checkRowEpilogue(Rows<2 * lanes + 1>{});
  checkRowEpilogue(Rows<4 * lanes + 1>{});
}

// An inner that only the run knows may be 1: what is loaded for it must not be that of the places behind.
TEST(SoftmaxTest, EpilogueOfColumnsSeesVectorsAlongInner) {
  for (const Axis &l : {Axis{2, 21, 1}, Axis{2, 9, 3}, Axis{1, 5, 70}}) {
    const auto x = valuesFor(l);
    const auto scale = randomValues<float>(static_cast<std::size_t>(l.length), 5);
    const auto expected = reference(l, x, false);
    const auto y = runStep(std::vector<float>(x.size()), softmax_columns_units(l), [&](float *out, Part part) {
      softmax_columns(l, x.data(), out, part, [&](auto value, auto valid, int, int k, int) {
        return value * broadcast(scale.data() + k, valid);
      });
    });
    for (std::size_t i = 0; i < y.size(); ++i)
      expectNear(y[i], expected[i] * scale[i / static_cast<std::size_t>(l.inner) % scale.size()], 4e-6, "scale", i);
  }
}

} // namespace
