// Slices by index: negative and out-of-range indices, both index types, slices of one element and long ones.
#include "aotc/kernels/gather.hpp"

#include "StepRunner.h"

using namespace aotc;
using namespace aotc::test;

namespace {

struct Slices {
  int outer, axis_length, inner, count;
};

template <class T, class Index> void check(const Slices &l, const std::vector<Index> &indices) {
  const auto x = randomValues<T>(static_cast<std::size_t>(l.outer * l.axis_length * l.inner));
  const std::vector<T> initial(static_cast<std::size_t>(l.outer * l.count * l.inner));
  const auto y =
      runStep(initial, gather_units(l), [&](T *out, Part part) { gather(l, x.data(), indices.data(), out, part); });
  for (int o = 0; o < l.outer; ++o)
    for (int i = 0; i < l.count; ++i)
      for (int c = 0; c < l.inner; ++c) {
        Index slice = indices[static_cast<std::size_t>(i)];
        slice = static_cast<Index>(slice < 0 ? slice + l.axis_length : slice);
        slice = std::min(std::max(slice, Index{0}), static_cast<Index>(l.axis_length - 1));
        ASSERT_EQ(y[static_cast<std::size_t>((o * l.count + i) * l.inner + c)],
                  x[static_cast<std::size_t>((o * l.axis_length + static_cast<int>(slice)) * l.inner + c)]);
      }
}

TEST(GatherTest, TakesSlicesOfAnyLength) {
  check<float, std::int64_t>({3, 7, 5, 4}, {0, 6, -1, -7});
  check<float, std::int32_t>({1, 100, 1, 3}, {99, -100, 50});
  check<std::int8_t, std::int64_t>({2, 3, 9000, 2}, {2, -3});
  check<double, std::int32_t>({1000, 3, 4, 3}, {2, 1, 0});
  check<float, std::int32_t>({2, 3, 4, 0}, {});
}

TEST(GatherTest, OutOfRangeIndicesReadTheNearestSlice) {
  check<float, std::int64_t>(
      {2, 4, 3, 4}, {4, -5, std::numeric_limits<std::int64_t>::max(), std::numeric_limits<std::int64_t>::min()});
  check<float, std::int32_t>({2, 4, 3, 2},
                             {std::numeric_limits<std::int32_t>::max(), std::numeric_limits<std::int32_t>::min()});
}

TEST(GatherTest, ReportsIndicesOutOfRange) {
  const Slices l{2, 4, 1, 3};
  const float x[8] = {};
  float y[6];
  const auto isGood = [&](std::vector<std::int64_t> indices) {
    return gather(l, x, indices.data(), y, {0, gather_units(l), 0});
  };
  EXPECT_TRUE(isGood({-4, 0, 3}));
  EXPECT_FALSE(isGood({0, 4, 0}));
  EXPECT_FALSE(isGood({0, 0, -5}));
}

TEST(GatherTest, ReadsNoneOfNoSlices) {
  const Slices l{2, 0, 3, 2};
  const std::int64_t indices[2] = {0, -1};
  std::vector<float> y(12, 1);
  EXPECT_FALSE(gather(l, static_cast<const float *>(nullptr), indices, y.data(), {0, gather_units(l), 0}));
  EXPECT_EQ(y, std::vector<float>(12, 0));
}

TEST(GatherTest, EmbeddingRowsAreUnits) {
  static_assert(gather_units(Slices{1, 30000, 768, 128}) > 16);
  static_assert(gather_units(Slices{1, 30000, 64, 2}) == 1);
}

} // namespace
