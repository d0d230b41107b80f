// Scatters against loops over all updates in order: duplicates, every reduction, in place, indices out of range.
#include "aotc/kernels/scatter.hpp"

#include "StepRunner.h"

using namespace aotc;
using namespace aotc::test;

namespace {

struct Runs {
  int outer, length, inner, count;
};

template <class Index> std::vector<Index> randomIndices(std::size_t size, int length, int strays) {
  std::mt19937 engine(11);
  std::uniform_int_distribution<int> values(-length - strays, length - 1 + strays);
  std::vector<Index> result(size);
  for (Index &index : result)
    index = static_cast<Index>(values(engine));
  return result;
}

/// The place that an index names; -1 where there is none.
template <class Index> int placeOf(Index index, int length) {
  const std::int64_t place = static_cast<std::int64_t>(index) + (index < 0 ? length : 0);
  return place >= 0 && place < length ? static_cast<int>(place) : -1;
}

/// Into a buffer of its own, then over x: run(y, in place).
template <class T, class Run>
void checkBoth(const std::vector<T> &x, const std::vector<T> &expected, int units, const Run &run) {
  const auto y = runStep(std::vector<T>(x.size()), units, [&](T *out, Part part) { run(x.data(), out, part); });
  const auto over = runStep(x, units, [&](T *out, Part part) { run(out, out, part); });
  for (std::size_t i = 0; i < x.size(); ++i) {
    ASSERT_EQ(y[i], expected[i]) << i;
    ASSERT_EQ(over[i], expected[i]) << i;
  }
}

template <class T, class Index, class Reduce> void checkElements(const Runs &l, Reduce reduce, int strays = 0) {
  const auto x = randomValues<T>(static_cast<std::size_t>(l.outer * l.length * l.inner));
  const std::size_t size = static_cast<std::size_t>(l.outer * l.count * l.inner);
  const auto updates = randomValues<T>(size, 2);
  const auto indices = randomIndices<Index>(size, l.length, strays);
  auto expected = x;
  for (int o = 0; o < l.outer; ++o)
    for (int j = 0; j < l.count; ++j)
      for (int i = 0; i < l.inner; ++i) {
        const auto at = static_cast<std::size_t>((o * l.count + j) * l.inner + i);
        const int place = placeOf(indices[at], l.length);
        if (place < 0)
          continue;
        T &element = expected[static_cast<std::size_t>((o * l.length + place) * l.inner + i)];
        element = reduce(element, updates[at]);
      }
  checkBoth(x, expected, scatter_elements_units(l), [&](const T *from, T *to, Part part) {
    const bool isGood = scatter_elements(l, from, indices.data(), updates.data(), to, part, reduce);
    EXPECT_TRUE(isGood || strays);
  });
}

TEST(ScatterElementsTest, AppliesUpdatesInOrder) {
  const auto run = [](auto reduce) {
    checkElements<float, std::int64_t>({3, 7, 5, 9}, reduce);
    checkElements<std::int32_t, std::int32_t>({1, 10, 3000, 4}, reduce);
    checkElements<double, std::int64_t>({500, 3, 1, 5}, reduce, 2);
    checkElements<std::int8_t, std::int32_t>({1, 20, 1, 50}, reduce, 2);
  };
  run(Overwrite{});
  run(AddTo{});
  run(MultiplyBy{});
  run(RaiseTo{});
  run(LowerTo{});
}

TEST(ScatterElementsTest, ReportsIndicesOutOfRange) {
  const Runs l{1, 4, 1, 2};
  const float x[4] = {}, updates[2] = {};
  float y[4];
  const auto isGood = [&](std::vector<std::int64_t> indices) {
    return scatter_elements(l, x, indices.data(), updates, y, {0, scatter_elements_units(l), 0}, Overwrite{});
  };
  EXPECT_TRUE(isGood({-4, 3}));
  EXPECT_FALSE(isGood({4, 0}));
  EXPECT_FALSE(isGood({0, -5}));
}

TEST(ScatterTest, ReducesBoolsAndNaN) {
  EXPECT_TRUE(AddTo{}(true, true));
  EXPECT_FALSE(MultiplyBy{}(true, false));
  EXPECT_EQ(AddTo{}(std::int8_t{127}, std::int8_t{1}), -128);
  EXPECT_EQ(RaiseTo{}(quietNaN, 1.0f), 1.0f);
  EXPECT_TRUE(std::isnan(LowerTo{}(1.0f, quietNaN)));
}

struct Slices {
  int count, depth, inner;
  int dims[3];
};

template <class T, class Index, class Reduce> void checkSlices(const Slices &l, Reduce reduce, int strays = 0) {
  int volume = 1, shortest = l.dims[0];
  for (int d = 0; d < l.depth; ++d) {
    volume *= l.dims[d];
    shortest = std::min(shortest, l.dims[d]);
  }
  const auto x = randomValues<T>(static_cast<std::size_t>(volume * l.inner));
  const auto updates = randomValues<T>(static_cast<std::size_t>(l.count * l.inner), 2);
  const auto indices = randomIndices<Index>(static_cast<std::size_t>(l.count * l.depth), shortest, strays);
  auto expected = x;
  for (int n = 0; n < l.count; ++n) {
    int slice = 0;
    for (int d = 0; d < l.depth && slice >= 0; ++d) {
      const int place = placeOf(indices[static_cast<std::size_t>(n * l.depth + d)], l.dims[d]);
      slice = place < 0 ? -1 : slice * l.dims[d] + place;
    }
    for (int i = 0; i < l.inner && slice >= 0; ++i) {
      T &element = expected[static_cast<std::size_t>(slice * l.inner + i)];
      element = reduce(element, updates[static_cast<std::size_t>(n * l.inner + i)]);
    }
  }
  checkBoth(x, expected, scatter_nd_units(l), [&](const T *from, T *to, Part part) {
    const bool isGood = scatter_nd(l, from, indices.data(), updates.data(), to, part, reduce);
    EXPECT_TRUE(isGood || strays);
  });
}

TEST(ScatterNdTest, AppliesUpdatesInOrder) {
  const auto run = [](auto reduce) {
    checkSlices<float, std::int64_t>({5, 2, 7, {4, 5}}, reduce);
    checkSlices<std::int64_t, std::int32_t>({40, 1, 1, {6}}, reduce);
    checkSlices<float, std::int64_t>({30, 3, 300, {3, 2, 14}}, reduce, 1);
    checkSlices<std::uint8_t, std::int64_t>({3, 1, 20000, {2}}, reduce, 1);
    checkSlices<float, std::int32_t>({2, 2, 1, {200, 300}}, reduce);
  };
  run(Overwrite{});
  run(AddTo{});
  run(MultiplyBy{});
  run(RaiseTo{});
  run(LowerTo{});
}

TEST(ScatterNdTest, UnitsOwnSlicesOrPartsOfThem) {
  static_assert(scatter_nd_units(Slices{2, 1, 1000, {64, 0, 0}}) > 8);
  static_assert(scatter_nd_units(Slices{2, 1, 100000, {2, 0, 0}}) > 8);
  static_assert(scatter_nd_units(Slices{100000, 1, 1, {200000, 0, 0}}) == 1);
}

struct Cache {
  int batch, outer, length, count, inner, circular;
};

template <class T> void checkCache(const Cache &l, const std::vector<std::int64_t> &begins, bool isGood = true) {
  const auto x = randomValues<T>(static_cast<std::size_t>(l.batch * l.outer * l.length * l.inner));
  const auto updates = randomValues<T>(static_cast<std::size_t>(l.batch * l.outer * l.count * l.inner), 2);
  auto expected = x;
  for (int line = 0; line < l.batch * l.outer; ++line)
    for (int j = 0; j < l.count; ++j)
      for (int i = 0; i < l.inner; ++i) {
        const std::int64_t begin = begins[static_cast<std::size_t>(line / l.outer)];
        if (begin < 0 || (!l.circular && begin + l.count > l.length))
          continue;
        const int t = static_cast<int>((begin + j) % l.length);
        expected[static_cast<std::size_t>((line * l.length + t) * l.inner + i)] =
            updates[static_cast<std::size_t>((line * l.count + j) * l.inner + i)];
      }
  bool found = true;
  checkBoth(x, expected, tensor_scatter_units(l), [&](const T *from, T *to, Part part) {
    found &= tensor_scatter(l, from, updates.data(), begins.data(), to, part);
  });
  EXPECT_EQ(found, isGood);
}

TEST(TensorScatterTest, WritesRunsIntoACache) {
  checkCache<float>({2, 3, 10, 4, 5, 0}, {0, 6});
  checkCache<float>({2, 3, 10, 4, 5, 1}, {8, 27});
  checkCache<std::int16_t>({3, 1, 6, 6, 700, 1}, {5, 0, 3});
  checkCache<double>({2, 2, 4, 2, 3, 0}, {3, 1}, false);
  checkCache<double>({2, 2, 4, 2, 3, 1}, {3, -1}, false);
}

} // namespace
