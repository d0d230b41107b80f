// Element-wise steps: vectors with tails, strided destinations, broadcasts, other types, extents known at run time
// only.
#include "aotc/kernels/map.hpp"

#include "aotc/kernels/math.hpp"

#include "StepRunner.h"

using namespace aotc;
using namespace aotc::test;

namespace {

struct Flat {
  static constexpr int rank = 1;
  int extent[1], y_stride[1] = {1};
};

struct Halo { // 5 x 7 x 19 written into the interior of 7 x 9 x 19
  static constexpr int rank = 3, extent[] = {5, 7, 19}, y_stride[] = {9 * 19, 19, 1};
};

struct Rows {
  static constexpr int rank = 2;
  int extent[2], y_stride[2];
};

struct Deep {
  static constexpr int rank = 5, extent[] = {2, 3, 1, 2, 5}, y_stride[] = {30, 10, 10, 5, 1};
};

struct Point {
  static constexpr int rank = 0;
};

TEST(MapTest, AddsAndRectifiesFlatTensorsOfAnySize) {
  for (int size : {0, 1, 3, 4, 15, 16, 17, 33, 4095, 4096, 8191, 8192, 8193, 20000}) {
    const Flat l{{size}};
    auto a = randomValues<float>(static_cast<std::size_t>(size), 1);
    const auto b = randomValues<float>(static_cast<std::size_t>(size), 2);
    if (size > 16)
      a[3] = quietNaN, a[5] = infinity, a[static_cast<std::size_t>(size) - 1] = -infinity;
    const float *pa = a.data(), *pb = b.data();
    const auto y = runStep(std::vector<float>(a.size(), -7.0f), map_units(l), [&](float *out, Part part) {
      map(l, out, part, [=](auto lanes, int i) { return relu(load(pa + i, lanes) + load(pb + i, lanes)); });
    });
    for (std::size_t i = 0; i < y.size(); ++i) {
      const double sum = static_cast<double>(a[i]) + static_cast<double>(b[i]);
      expectNear(y[i], std::isnan(sum) ? sum : std::max(sum, 0.0), 1e-6, "relu", i);
    }
  }
}

TEST(MapTest, SmallTensorsAreOneUnitAndLargeOnesAreMany) {
  EXPECT_EQ(map_units(Flat{{4096}}), 1);
  EXPECT_EQ(map_units(Flat{{0}}), 0);
  EXPECT_EQ(map_units(Flat{{1 << 20}}), 256);
  static_assert(map_units(Halo{}) == 1);
  static_assert(map_units(Point{}) == 1);
}

TEST(MapTest, WritesOnlyTheInteriorOfAPaddedBuffer) {
  const auto x = randomValues<float>(5 * 7 * 19), scale = randomValues<float>(7, 3);
  const float *px = x.data(), *ps = scale.data();
  const auto y = runStep(std::vector<float>(7 * 9 * 19, -7.0f), map_units(Halo{}), [&](float *out, Part part) {
    map(Halo{}, out + 9 * 19 + 19, part, [=](auto lanes, int h, int w, int c) {
      return load(px + h * 133 + w * 19 + c, lanes) * broadcast(ps + w, lanes);
    });
  });
  for (int h = 0; h < 7; ++h)
    for (int w = 0; w < 9; ++w)
      for (int c = 0; c < 19; ++c) {
        const bool inside = h >= 1 && h < 6 && w >= 1 && w < 8;
        const float expected = inside ? x[static_cast<std::size_t>(((h - 1) * 7 + w - 1) * 19 + c)] *
                                            scale[static_cast<std::size_t>(w - 1)]
                                      : -7.0f;
        ASSERT_EQ(y[static_cast<std::size_t>((h * 9 + w) * 19 + c)], expected) << h << " " << w << " " << c;
      }
}

TEST(MapTest, SplitsLongRowsAndGroupsShortOnes) {
  for (auto [rows, columns] : {std::pair{3, 10001}, {1001, 13}, {7, 4097}}) {
    const Rows l{{rows, columns}, {columns + 2, 1}};
    const auto size = static_cast<std::size_t>(rows * (columns + 2) - 2);
    const auto y = runStep(std::vector<float>(size, -1.0f), map_units(l), [&](float *out, Part part) {
      map(l, out, part, [](auto lanes, int r, int c) {
        const float value = static_cast<float>(r * 3 + c / 64);
        return broadcast(&value, lanes);
      });
    });
    for (int r = 0; r < rows; ++r)
      for (int c = 0; c < columns; c += 64)
        ASSERT_EQ(y[static_cast<std::size_t>(r * (columns + 2) + c)], static_cast<float>(r * 3 + c / 64));
  }
}

TEST(MapTest, WalksEveryDimensionInOrder) {
  const auto y = runStep(std::vector<std::int64_t>(60), map_scalar_units(Deep{}), [&](std::int64_t *out, Part part) {
    map_scalar(Deep{}, out, part, [](Scalar, int i0, int i1, int i2, int i3, int i4) {
      return std::int64_t{10000} * i0 + 1000 * i1 + 100 * i2 + 10 * i3 + i4;
    });
  });
  for (int i = 0; i < 60; ++i)
    ASSERT_EQ(y[static_cast<std::size_t>(i)], i / 30 * 10000 + i / 10 % 3 * 1000 + i / 5 % 2 * 10 + i % 5);
}

TEST(MapTest, ScalarFormTakesAnyTypesAndStrides) {
  const Rows l{{3, 5}, {1, 3}}; // transposed on the way out
  const auto x = randomValues<float>(15);
  const auto y = runStep(std::vector<std::int8_t>(15), map_scalar_units(l), [&](std::int8_t *out, Part part) {
    map_scalar(l, out, part, [&](auto lanes, int r, int c) {
      return static_cast<std::int8_t>(load(x.data() + r * 5 + c, lanes) * 10.0f);
    });
  });
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 5; ++c)
      EXPECT_EQ(y[static_cast<std::size_t>(c * 3 + r)],
                static_cast<std::int8_t>(x[static_cast<std::size_t>(r * 5 + c)] * 10.0f));
}

TEST(MapTest, RankZeroIsOneElement) {
  float y = 0.0f;
  map(Point{}, &y, Part{0, 1, 0}, [](auto) { return 5.0f; });
  EXPECT_EQ(y, 5.0f);
  map_scalar(Point{}, &y, Part{1, 1, 0}, [](auto) { return 6.0f; });
  EXPECT_EQ(y, 5.0f);
}

struct Two { // results of 100 elements
  static constexpr int rank = 1, extent[] = {100}, y_stride[] = {1, 1};
};

struct Spread {
  static constexpr int rank = 1, extent[] = {5}, y_stride[] = {1, 3};
};

struct Halves { // each of two results is one half of rows of 2 x size
  static constexpr int rank = 2;
  int extent[2], y_stride[4];
};

// Sums and differences of two tensors, in the two halves of rows, or element by element beside each other.
template <class T>
std::vector<T> sumsAndDifferences(const std::vector<T> &a, const std::vector<T> &b, int rows, bool areBeside) {
  const int size = static_cast<int>(a.size()) / rows, step = areBeside ? 2 : 1;
  const Halves l{{rows, size}, {2 * size, step, 2 * size, step}};
  const T *pa = a.data(), *pb = b.data();
  return runStep(std::vector<T>(2 * a.size(), T{-7}), map_several_units(l), [&](T *y, Part part) {
    map_several(l, several(y, y + (areBeside ? 1 : size)), part, [=](auto lanes, int i, int j) {
      const auto x = load(pa + i * size + j, lanes), z = load(pb + i * size + j, lanes);
      return several(x + z, x - z);
    });
  });
}

template <class T> void testSeveralResults() {
  for (int size : {1, 7, 16, 17, 33, 100})
    for (bool areBeside : {false, true}) {
      const auto count = static_cast<std::size_t>(3 * size);
      const auto a = randomValues<T>(count, 1), b = randomValues<T>(count, 2);
      const auto y = sumsAndDifferences(a, b, 3, areBeside);
      for (std::size_t i = 0; i < count; ++i) {
        const std::size_t width = static_cast<std::size_t>(size), row = i / width * 2 * width, column = i % width;
        EXPECT_EQ(y[row + (areBeside ? 2 * column : column)], a[i] + b[i]) << size << " " << i;
        EXPECT_EQ(y[row + (areBeside ? 2 * column + 1 : column + width)], a[i] - b[i]) << size << " " << i;
      }
    }
}

TEST(MapTest, StoresSeveralResultsAnywhere) {
  testSeveralResults<float>();
  testSeveralResults<double>();
}

TEST(MapTest, ReadsAllBeforeItStoresAny) { // two tensors change places
  auto a = randomValues<float>(100, 1), b = randomValues<float>(100, 2);
  const auto oldA = a, oldB = b;
  float *pa = a.data(), *pb = b.data();
  map_several(Two{}, several(pa, pb), Part{0, 1, 0}, [=](auto lanes, int i) {
    return several(load(static_cast<const float *>(pb) + i, lanes), load(static_cast<const float *>(pa) + i, lanes));
  });
  EXPECT_EQ(a, oldB);
  EXPECT_EQ(b, oldA);
}

TEST(MapTest, ScalarFormTakesSeveralResults) {
  std::vector<std::int64_t> y(5), z(13);
  map_several_scalar(Spread{}, several(y.data(), z.data()), Part{0, 1, 0},
                     [](auto, int i) { return several(std::int64_t{i}, std::int64_t{10} * i); });
  EXPECT_EQ(y, (std::vector<std::int64_t>{0, 1, 2, 3, 4}));
  EXPECT_EQ(z, (std::vector<std::int64_t>{0, 0, 0, 10, 0, 0, 20, 0, 0, 30, 0, 0, 40}));
  float first = 0, second = 0;
  map_several(Point{}, several(&first, &second), Part{0, 1, 0}, [](auto) { return several(5.0f, 6.0f); });
  EXPECT_EQ(first, 5.0f);
  EXPECT_EQ(second, 6.0f);
}

TEST(MapTest, ComputesInPlace) {
  auto y = randomValues<float>(1000);
  const auto x = y;
  float *p = y.data();
  map(Flat{{1000}}, p, Part{0, map_units(Flat{{1000}}), 0},
      [=](auto lanes, int i) { return exp(load(static_cast<const float *>(p) + i, lanes)); });
  for (std::size_t i = 0; i < y.size(); ++i)
    expectNear(y[i], std::exp(static_cast<double>(x[i])), 1e-6, "exp", i);
}

} // namespace
