// Normalisation against loops in double: lengths and inner extents around the vector sizes, large means, NaN, in place.
#include "aotc/kernels/normalize.hpp"

#include "StepRunner.h"

using namespace aotc;
using namespace aotc::test;

namespace {

struct Extents {
  int outer, length, inner;
};

constexpr double epsilon = 1e-5;

std::size_t place(const Extents &l, int o, int k, int i) {
  return static_cast<std::size_t>((o * l.length + k) * l.inner + i);
}

template <class T>
void expectNormalized(const Extents &l, const std::vector<T> &x, const std::vector<T> &y, bool centered,
                      double tolerance) {
  for (int o = 0; o < l.outer; ++o)
    for (int i = 0; i < l.inner; ++i) {
      double mean = 0, variance = 0;
      for (int k = 0; k < l.length && centered; ++k)
        mean += static_cast<double>(x[place(l, o, k, i)]) / l.length;
      for (int k = 0; k < l.length; ++k)
        variance += std::pow(static_cast<double>(x[place(l, o, k, i)]) - mean, 2) / l.length;
      for (int k = 0; k < l.length; ++k)
        expectNear(static_cast<double>(y[place(l, o, k, i)]),
                   (static_cast<double>(x[place(l, o, k, i)]) - mean) / std::sqrt(variance + epsilon), tolerance,
                   "normalize", place(l, o, k, i));
    }
}

template <class T, class Moments>
void check(const Extents &l, const std::vector<T> &x, Moments moments, double tolerance = 4e-6) {
  const auto eps = static_cast<float>(epsilon);
  // In place: units share no elements.
  if (l.inner == 1)
    expectNormalized(
        l, x,
        runStep(x, normalize_rows_units(l),
                [&](T *y, Part part) { normalize_rows(l, static_cast<const T *>(y), y, part, moments, eps); }),
        Moments::is_centered, tolerance);
  const std::vector<T> initial(x.size());
  expectNormalized(l, x,
                   runStep(initial, normalize_columns_units(l),
                           [&](T *y, Part part) { normalize_columns(l, x.data(), y, part, moments, eps); }),
                   Moments::is_centered, tolerance);
}

template <class T> std::vector<T> valuesFor(const Extents &l) {
  return randomValues<T>(static_cast<std::size_t>(l.outer * l.length * l.inner));
}

TEST(NormalizeTest, AgreesWithDouble) {
  for (const Extents &l : {Extents{1, 1, 1},
                           {3, 16, 1},
                           {5, 17, 1},
                           {2, 384, 1},
                           {1, 9001, 1},
                           {400, 3, 1},
                           {2, 5, 3},
                           {1, 49, 64},
                           {2, 7, 300},
                           {1, 700, 70},
                           {0, 4, 4}}) {
    check(l, valuesFor<float>(l), Deviation{});
    check(l, valuesFor<float>(l), RootMeanSquare{});
    check(l, valuesFor<double>(l), Deviation{}, 1e-9);
  }
}

TEST(NormalizeTest, LargeMeansCostNoDigits) {
  const Extents l{2, 100, 1};
  auto x = valuesFor<float>(l);
  for (float &value : x)
    value += 4096.0f;
  check(l, x, Deviation{}, 1e-3);
}

TEST(NormalizeTest, NaNStaysInItsRow) {
  const Extents rows{3, 20, 1}, columns{1, 20, 5};
  auto x = valuesFor<float>(rows), z = valuesFor<float>(columns);
  x[25] = quietNaN;
  z[7] = infinity; // infinity less itself
  check(rows, x, Deviation{});
  check(columns, z, Deviation{});
}

// As generated code has it: constant extents, and scale and offset as epilogue.
struct Fixed {
  static constexpr int outer = 2, length = 37;
};

TEST(NormalizeTest, EpilogueSeesEveryElement) {
  const auto x = randomValues<float>(74), scale = randomValues<float>(37, 5);
  const auto y = runStep(std::vector<float>(74), normalize_rows_units(Fixed{}), [&](float *out, Part part) {
    normalize_rows(Fixed{}, x.data(), out, part, Deviation{}, 1e-5f,
                   [&](auto value, auto lanes, int, int l) { return value * load(scale.data() + l, lanes); });
  });
  const auto plain = runStep(std::vector<float>(74), normalize_rows_units(Fixed{}), [&](float *out, Part part) {
    normalize_rows(Fixed{}, x.data(), out, part, Deviation{}, 1e-5f);
  });
  for (std::size_t i = 0; i < y.size(); ++i)
    EXPECT_EQ(y[i], plain[i] * scale[i % 37]);
}

} // namespace
