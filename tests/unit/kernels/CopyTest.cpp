// Strided copies: rows, transposes of every element size and at odd extents, broadcasts, reversals, run-time extents.
#include "aotc/kernels/copy.hpp"

#include "StepRunner.h"

using namespace aotc;
using namespace aotc::test;

namespace {

// Distances of a dense tensor.
template <int Rank> void dense(const int (&extent)[Rank], int (&stride)[Rank]) {
  int distance = 1;
  for (int d = Rank - 1; d >= 0; --d) {
    stride[d] = distance;
    distance *= extent[d];
  }
}

template <int Rank> struct Copy {
  static constexpr int rank = Rank;
  int extent[Rank], x_stride[Rank], y_stride[Rank];
};

// The copy that permutes a dense tensor: dimension d of y is dimension permutation[d] of x.
template <int Rank> Copy<Rank> permuted(const int (&x_extent)[Rank], const int (&permutation)[Rank]) {
  Copy<Rank> l{};
  int x_stride[Rank];
  dense(x_extent, x_stride);
  for (int d = 0; d < Rank; ++d) {
    l.extent[d] = x_extent[permutation[d]];
    l.x_stride[d] = x_stride[permutation[d]];
  }
  dense(l.extent, l.y_stride);
  return l;
}

// Copies x to a y of y_size elements and compares with a loop over all indices; what the copy skips must stay.
template <class T, class L>
void check(const L &l, const std::vector<T> &x, std::size_t y_size, std::ptrdiff_t x_begin = 0) {
  const std::vector<T> initial(y_size, static_cast<T>(77));
  const auto y = runStep(initial, copy_units(l), [&](T *out, Part part) { copy(l, x.data() + x_begin, out, part); });
  auto expected = initial;
  int count = 1;
  for (int d = 0; d < L::rank; ++d)
    count *= l.extent[d];
  for (int position = 0; position < count; ++position) {
    std::ptrdiff_t from = x_begin, to = 0;
    for (int d = L::rank - 1, rest = position; d >= 0; rest /= l.extent[d--]) {
      from += static_cast<std::ptrdiff_t>(rest % l.extent[d]) * l.x_stride[d];
      to += static_cast<std::ptrdiff_t>(rest % l.extent[d]) * l.y_stride[d];
    }
    expected[static_cast<std::size_t>(to)] = x[static_cast<std::size_t>(from)];
  }
  EXPECT_EQ(y, expected);
}

template <class T> void checkTransposes() {
  for (auto [rows, columns] :
       {std::pair{1, 1}, {1, 9}, {3, 50}, {50, 3}, {16, 16}, {17, 33}, {64, 48}, {130, 70}, {5, 3000}}) {
    const auto size = static_cast<std::size_t>(rows * columns);
    check(permuted({rows, columns}, {1, 0}), randomValues<T>(size), size);
    check(permuted({2, rows, columns}, {0, 2, 1}), randomValues<T>(2 * size), 2 * size);
  }
}

struct ToLast { // [2][24][19*21] -> [2][19*21][24]
  static constexpr int rank = 3, extent[] = {2, 399, 24}, x_stride[] = {9576, 1, 399}, y_stride[] = {9576, 24, 1};
};

struct ToFirst {
  static constexpr int rank = 3, extent[] = {2, 24, 399}, x_stride[] = {9576, 1, 24}, y_stride[] = {9576, 399, 1};
};

struct Point {
  static constexpr int rank = 0;
};

TEST(CopyTest, TransposesEveryElementSize) {
  checkTransposes<std::int8_t>();
  checkTransposes<std::int16_t>();
  checkTransposes<float>();
  checkTransposes<double>();
}

struct Odd {
  unsigned char bytes[3];
  Odd(int value = 0) : bytes{static_cast<unsigned char>(value), 1, 2} {}
  bool operator==(const Odd &other) const { return std::memcmp(bytes, other.bytes, 3) == 0; }
};

TEST(CopyTest, TransposesElementsOfOddSize) { check(permuted({20, 30}, {1, 0}), std::vector<Odd>(600, Odd(5)), 600); }

TEST(CopyTest, PermutesFourDimensions) {
  const int extent[] = {2, 5, 6, 7};
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b)
      for (int c = 0; c < 4; ++c)
        if (a != b && a != c && b != c)
          check(permuted(extent, {a, b, c, 6 - a - b - c}), randomValues<float>(420), 420);
}

TEST(CopyTest, ChannelsLastAndBackWithConstantExtents) {
  check(ToLast{}, randomValues<float>(19152), 19152);
  check(ToFirst{}, randomValues<float>(19152), 19152);
}

TEST(CopyTest, CopiesRowsIntoASliceAndLeavesTheRest) {
  check(Copy<2>{{37, 11}, {11, 1}, {16, 1}}, randomValues<float>(37 * 11), 36 * 16 + 11);
  check(Copy<2>{{3, 10000}, {10001, 1}, {10003, 1}}, randomValues<std::int8_t>(30002), 30006);
  check(Copy<1>{{50000}, {1}, {1}}, randomValues<float>(50000), 50000);
}

TEST(CopyTest, BroadcastsSubsamplesAndReverses) {
  check(Copy<3>{{4, 3, 9}, {0, 1, 0}, {27, 9, 1}}, randomValues<float>(3), 108);
  check(Copy<2>{{5, 8}, {17, 2}, {8, 1}}, randomValues<float>(5 * 17), 40);
  check(Copy<2>{{5, 8}, {-8, -1}, {8, 1}}, randomValues<float>(40), 40, 39);
  check(Copy<2>{{5, 8}, {8, 1}, {24, 3}}, randomValues<float>(40), 4 * 24 + 7 * 3 + 1);
  check(Copy<1>{{20000}, {0}, {1}}, randomValues<float>(1), 20000);
}

TEST(CopyTest, EmptyAndSingle) {
  check(Copy<2>{{0, 8}, {8, 1}, {8, 1}}, std::vector<float>{}, 0);
  check(Copy<2>{{8, 0}, {0, 1}, {0, 1}}, std::vector<float>{}, 0);
  check(Copy<2>{{0, 8}, {1, 8}, {8, 1}}, std::vector<float>{}, 0);
  float x = 3.0f, y = 0.0f;
  copy(Point{}, &x, &y, Part{0, copy_units(Point{}), 0});
  EXPECT_EQ(y, 3.0f);
}

TEST(CopyTest, LargeCopiesHaveUnitsForManyThreads) {
  EXPECT_GE(copy_units(permuted({64, 56 * 56}, {1, 0})), 32);
  EXPECT_GE(copy_units(permuted({56 * 56, 64}, {1, 0})), 32);
  EXPECT_EQ(copy_units(permuted({64, 16}, {1, 0})), 1);
  EXPECT_GE(copy_units(Copy<1>{{1 << 20}, {1}, {1}}), 128);
}

} // namespace
