// The places of extrema against a plain search: ties, NaN, columns around the block size, several element types.
#include "aotc/kernels/arg_reduce.hpp"

#include "StepRunner.h"

using namespace aotc;
using namespace aotc::test;

namespace {

struct Axis {
  int outer, length, inner;
};

template <class T> int placeOf(const std::vector<T> &values, bool largest, bool last) {
  std::size_t best = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    const bool bothNaN = values[i] != values[i] && values[best] != values[best];
    const bool isEqual = bothNaN || values[i] == values[best];
    const bool isBetter = values[best] == values[best] &&
                          (values[i] != values[i] || (largest ? values[i] > values[best] : values[i] < values[best]));
    if (isBetter || (last && isEqual))
      best = i;
  }
  return static_cast<int>(best);
}

template <class T, class Op> void check(const Axis &l, const std::vector<T> &x, Op op, bool last) {
  const std::vector<std::int64_t> initial(static_cast<std::size_t>(l.outer * l.inner));
  const auto y = runStep(initial, arg_reduce_units(l),
                         [&](std::int64_t *out, Part part) { arg_reduce(l, x.data(), out, part, op, last); });
  for (int o = 0; o < l.outer; ++o)
    for (int i = 0; i < l.inner; ++i) {
      std::vector<T> column;
      for (int j = 0; j < l.length; ++j)
        column.push_back(x[static_cast<std::size_t>((o * l.length + j) * l.inner + i)]);
      ASSERT_EQ(y[static_cast<std::size_t>(o * l.inner + i)], placeOf(column, std::is_same_v<Op, ArgMax>, last))
          << o << ", " << i;
    }
}

template <class T> void checkAll(const Axis &l, const std::vector<T> &x) {
  for (bool last : {false, true}) {
    check(l, x, ArgMax{}, last);
    check(l, x, ArgMin{}, last);
  }
}

TEST(ArgReduceTest, FindsTheFirstAndTheLast) {
  for (const Axis &l : {Axis{1, 1, 1}, Axis{3, 17, 1}, Axis{2, 21, 100}, Axis{1, 5, 33}, Axis{700, 3, 7}}) {
    const std::size_t size = static_cast<std::size_t>(l.outer * l.length * l.inner);
    checkAll(l, randomValues<float>(size));
    checkAll(l, randomValues<double>(size));
    checkAll(l, randomValues<std::int8_t>(size)); // many are equal
    checkAll(l, randomValues<std::int64_t>(size));
    checkAll(l, std::vector<std::uint8_t>(size, 200));
  }
}

TEST(ArgReduceTest, NaNIsBothLargestAndSmallest) {
  checkAll<float>({1, 7, 1}, {1, infinity, quietNaN, -infinity, 2, quietNaN, 3});
  checkAll<float>({1, 3, 2}, {quietNaN, 1, 2, quietNaN, 3, 4});
  checkAll<float>({1, 3, 1}, {-infinity, -infinity, -infinity});
}

TEST(ArgReduceTest, FindsNothingInNothing) {
  const Axis l{2, 0, 40};
  std::vector<std::int64_t> y(80, 1);
  EXPECT_FALSE(
      arg_reduce(l, static_cast<const float *>(nullptr), y.data(), {0, arg_reduce_units(l), 0}, ArgMax{}, false));
  EXPECT_EQ(y, std::vector<std::int64_t>(80, 0));
}

} // namespace
