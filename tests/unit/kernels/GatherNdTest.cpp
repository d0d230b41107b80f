// Single elements and slices by index: negative and out-of-range indices, both index types, every position of the axis.
#include "aotc/kernels/gather_nd.hpp"

#include "StepRunner.h"

using namespace aotc;
using namespace aotc::test;

namespace {

struct Runs {
  int outer, axis_length, inner, count;
};

/// `size` indices of [-length, length) and, with `strays`, some beyond.
template <class Index> std::vector<Index> randomIndices(std::size_t size, int length, bool strays) {
  std::mt19937 engine(7);
  std::uniform_int_distribution<int> values(-length - (strays ? 3 : 0), length - 1 + (strays ? 3 : 0));
  std::vector<Index> result(size);
  for (Index &index : result)
    index = static_cast<Index>(values(engine));
  return result;
}

/// The place that an index names, or the nearest there is.
template <class Index> int placeOf(Index index, int length) {
  const std::int64_t place = static_cast<std::int64_t>(index) + (index < 0 ? length : 0);
  return static_cast<int>(std::min<std::int64_t>(std::max<std::int64_t>(place, 0), length - 1));
}

template <class T, class Index> void checkElements(const Runs &l, bool strays) {
  const auto x = randomValues<T>(static_cast<std::size_t>(l.outer * l.axis_length * l.inner));
  const std::size_t size = static_cast<std::size_t>(l.outer * l.count * l.inner);
  const auto indices = randomIndices<Index>(size, l.axis_length, strays);
  const auto y = runStep(std::vector<T>(size), gather_elements_units(l), [&](T *out, Part part) {
    const bool isGood = gather_elements(l, x.data(), indices.data(), out, part);
    EXPECT_TRUE(isGood || strays);
  });
  for (int o = 0; o < l.outer; ++o)
    for (int j = 0; j < l.count; ++j)
      for (int i = 0; i < l.inner; ++i) {
        const auto at = static_cast<std::size_t>((o * l.count + j) * l.inner + i);
        const int place = placeOf(indices[at], l.axis_length);
        ASSERT_EQ(y[at], x[static_cast<std::size_t>((o * l.axis_length + place) * l.inner + i)]);
      }
}

TEST(GatherElementsTest, TakesTheElementOfEachIndex) {
  for (bool strays : {false, true}) {
    checkElements<float, std::int64_t>({3, 7, 5, 4}, strays);
    checkElements<double, std::int32_t>({1, 100, 1, 7}, strays);
    checkElements<std::int8_t, std::int64_t>({2, 3, 9000, 2}, strays);
    checkElements<float, std::int32_t>({1000, 3, 1, 9}, strays);
  }
}

TEST(GatherElementsTest, ReportsIndicesOutOfRange) {
  const Runs l{1, 4, 1, 3};
  const float x[4] = {};
  float y[3];
  const auto isGood = [&](std::vector<std::int64_t> indices) {
    return gather_elements(l, x, indices.data(), y, {0, gather_elements_units(l), 0});
  };
  EXPECT_TRUE(isGood({-4, 0, 3}));
  EXPECT_FALSE(isGood({0, 4, 0}));
  EXPECT_FALSE(isGood({0, 0, std::numeric_limits<std::int64_t>::min()}));
}

struct Slices {
  int batch, count, depth, inner;
  int dims[3];
};

template <class T, class Index> void checkSlices(const Slices &l, bool strays) {
  int volume = 1, shortest = l.dims[0];
  for (int d = 0; d < l.depth; ++d) {
    volume *= l.dims[d];
    shortest = std::min(shortest, l.dims[d]);
  }
  const auto x = randomValues<T>(static_cast<std::size_t>(l.batch * volume * l.inner));
  const auto indices = randomIndices<Index>(static_cast<std::size_t>(l.batch * l.count * l.depth), shortest, strays);
  const auto y = runStep(std::vector<T>(static_cast<std::size_t>(l.batch * l.count * l.inner)), gather_nd_units(l),
                         [&](T *out, Part part) { (void)gather_nd(l, x.data(), indices.data(), out, part); });
  for (int row = 0; row < l.batch * l.count; ++row) {
    int slice = row / l.count;
    for (int d = 0; d < l.depth; ++d)
      slice = slice * l.dims[d] + placeOf(indices[static_cast<std::size_t>(row * l.depth + d)], l.dims[d]);
    for (int i = 0; i < l.inner; ++i)
      ASSERT_EQ(y[static_cast<std::size_t>(row * l.inner + i)], x[static_cast<std::size_t>(slice * l.inner + i)]);
  }
}

TEST(GatherNdTest, TakesTheSliceOfEachRow) {
  for (bool strays : {false, true}) {
    checkSlices<float, std::int64_t>({1, 5, 2, 7, {4, 5}}, strays);
    checkSlices<float, std::int32_t>({3, 4, 1, 1, {6}}, strays);
    checkSlices<std::int16_t, std::int64_t>({2, 500, 3, 33, {3, 2, 4}}, strays);
    checkSlices<double, std::int64_t>({1, 2, 2, 9000, {2, 3}}, strays);
  }
}

TEST(GatherNdTest, ReportsIndicesOutOfRange) {
  const Slices l{1, 1, 2, 1, {2, 3}};
  const float x[6] = {};
  float y[1];
  const auto isGood = [&](std::vector<std::int32_t> index) {
    return gather_nd(l, x, index.data(), y, {0, gather_nd_units(l), 0});
  };
  EXPECT_TRUE(isGood({1, -3}));
  EXPECT_FALSE(isGood({2, 0}));
  EXPECT_FALSE(isGood({0, -4}));
}

TEST(GatherNdTest, ReadNoneOfNothing) {
  const std::int64_t indices[4] = {0, -1, 0, 0};
  std::vector<float> y(4, 1);
  const float *const none = nullptr;
  const Runs runs{1, 0, 2, 2};
  EXPECT_FALSE(gather_elements(runs, none, indices, y.data(), {0, gather_elements_units(runs), 0}));
  EXPECT_EQ(y, std::vector<float>(4, 0));
  struct {
    int batch, count, depth, dims[2], inner;
  } const l{1, 2, 2, {3, 0}, 2};
  y.assign(4, 1);
  EXPECT_FALSE(gather_nd(l, none, indices, y.data(), {0, gather_nd_units(l), 0}));
  EXPECT_EQ(y, std::vector<float>(4, 0));
}

} // namespace
