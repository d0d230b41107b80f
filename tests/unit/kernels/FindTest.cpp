// Kernels that find how much they give: against the plainest loops over sorted lists, and by hand.
#include "aotc/kernels/find.hpp"
#include "aotc/kernels/non_max_suppression.hpp"
#include "aotc/kernels/unique.hpp"

#include "StepRunner.h"

#include <algorithm>
#include <map>

using namespace aotc;
using namespace aotc::test;

namespace {

constexpr Part whole{0, 1, 0};

struct Image {
  int rank;
  int extent[3];
};

TEST(FindTest, NonzeroGivesIndicesPerDimension) {
  const Image l{3, {2, 1, 3}};
  const std::vector<float> x = {0, quietNaN, -0.0F, 5, 0, -1};
  std::vector<std::int64_t> y(18, -1);
  ASSERT_EQ(nonzero(l, x.data(), y.data(), whole), 3);
  y.resize(9);
  EXPECT_EQ(y, (std::vector<std::int64_t>{0, 1, 1, 0, 0, 0, 1, 0, 2}));
}

struct Slices {
  int outer, length, inner, flags;
};

TEST(FindTest, CompressKeepsSlicesAndIgnoresThoseWithoutAFlag) {
  const Slices l{2, 3, 2, 2};
  const std::vector<int> x = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  const bool condition[] = {false, true};
  std::vector<int> y(12, -1);
  ASSERT_EQ(compress(l, x.data(), condition, y.data(), whole), 1);
  y.resize(4);
  EXPECT_EQ(y, (std::vector<int>{2, 3, 8, 9}));
}

struct Sorted {
  int outer, length, inner, sorted;
};

TEST(FindTest, UniqueAgreesWithAMapOfSlices) {
  for (const Sorted l : {Sorted{1, 40, 1, 1}, Sorted{1, 40, 1, 0}, Sorted{2, 30, 2, 1}, Sorted{2, 30, 2, 0}}) {
    std::vector<float> x = randomValues<float>(l.outer * l.length * l.inner);
    for (float &value : x)
      value = static_cast<float>(static_cast<int>(value * 2) % 2);
    const auto slice = [&](int i) {
      std::vector<float> elements;
      for (int o = 0; o < l.outer; ++o)
        for (int k = 0; k < l.inner; ++k)
          elements.push_back(x[static_cast<std::size_t>((o * l.length + i) * l.inner + k)]);
      return elements;
    };
    std::map<std::vector<float>, std::vector<int>> groups;
    for (int i = 0; i < l.length; ++i)
      groups[slice(i)].push_back(i);
    std::vector<std::vector<int>> expected;
    for (const auto &[elements, members] : groups)
      expected.push_back(members);
    if (!l.sorted)
      std::sort(expected.begin(), expected.end());
    std::vector<float> y(x.size());
    const auto size = static_cast<std::size_t>(l.length);
    std::vector<std::int64_t> indices(size), inverse(size), counts(size);
    std::vector<int> scratch(3 * size);
    const int found =
        unique(l, x.data(), y.data(), indices.data(), inverse.data(), counts.data(), scratch.data(), whole);
    ASSERT_EQ(found, static_cast<int>(expected.size()));
    for (std::size_t g = 0; g < expected.size(); ++g) {
      EXPECT_EQ(indices[g], expected[g].front());
      EXPECT_EQ(counts[g], static_cast<std::int64_t>(expected[g].size()));
      for (int member : expected[g])
        EXPECT_EQ(inverse[static_cast<std::size_t>(member)], static_cast<std::int64_t>(g));
      for (int o = 0; o < l.outer; ++o)
        for (int k = 0; k < l.inner; ++k)
          EXPECT_EQ(y[(static_cast<std::size_t>(o) * expected.size() + g) * static_cast<std::size_t>(l.inner) +
                      static_cast<std::size_t>(k)],
                    slice(expected[g].front())[static_cast<std::size_t>(o * l.inner + k)]);
    }
  }
}

TEST(FindTest, UniqueTakesNaNAsOneValueBehindAllOthers) {
  const Sorted l{1, 4, 1, 1};
  const std::vector<float> x = {quietNaN, 2, quietNaN, -infinity};
  std::vector<float> y(4);
  std::vector<std::int64_t> indices(4), inverse(4), counts(4);
  int scratch[12];
  ASSERT_EQ(unique(l, x.data(), y.data(), indices.data(), inverse.data(), counts.data(), scratch, whole), 3);
  EXPECT_EQ(inverse, (std::vector<std::int64_t>{2, 1, 2, 0}));
  EXPECT_EQ(counts[2], 2);
}

struct Boxes {
  int batch, classes, boxes, centered;
};

TEST(FindTest, SuppressionKeepsTheBestOfEachHeap) {
  const std::vector<float> corners = {0, 0,  1, 1,  0, 0.1F,  1, 1.1F,  1, 0.9F, 0, -0.1F,
                                      0, 10, 1, 11, 0, 10.1F, 1, 11.1F, 0, 100,  1, 101};
  const std::vector<float> scores = {0.9F, 0.75F, 0.6F, 0.95F, 0.5F, 0.3F};
  const Boxes l{1, 1, 6, 0};
  const float overlap = 0.5F, least = 0.4F;
  std::int64_t most = 3;
  std::vector<std::int64_t> y(18, -1);
  int scratch[12];
  ASSERT_EQ(non_max_suppression(l, corners.data(), scores.data(), &most, &overlap, &least, y.data(), scratch, whole),
            2);
  y.resize(6);
  EXPECT_EQ(y, (std::vector<std::int64_t>{0, 0, 3, 0, 0, 0}));
  most = 0;
  EXPECT_EQ(non_max_suppression(l, corners.data(), scores.data(), &most, &overlap, &least, y.data(), scratch, whole),
            0);
}

} // namespace
