// Sums and products along an axis against a loop: both directions, with and without the element itself, in place.
#include "aotc/kernels/cumulate.hpp"

#include "StepRunner.h"

using namespace aotc;
using namespace aotc::test;

namespace {

struct Axis {
  int outer, length, inner;
};

template <class T, class Op> void check(const Axis &l, Op op, bool exclusive, bool reverse) {
  const auto x = randomValues<T>(static_cast<std::size_t>(l.outer * l.length * l.inner));
  const auto run = [&](T *y, Part part) { cumulate(l, x.data(), y, part, op, exclusive, reverse); };
  const auto y = runStep(std::vector<T>(x.size()), cumulate_units(l), run);
  auto inPlace = x;
  cumulate(l, inPlace.data(), inPlace.data(), Part{0, cumulate_units(l), 0}, op, exclusive, reverse);
  EXPECT_EQ(inPlace, y);
  for (int o = 0; o < l.outer; ++o)
    for (int i = 0; i < l.inner; ++i) {
      T total = Op::template identity<T>();
      for (int step = 0; step < l.length; ++step) {
        const int j = reverse ? l.length - 1 - step : step;
        const auto at = static_cast<std::size_t>((o * l.length + j) * l.inner + i);
        const T before = total;
        total = op(total, x[at]);
        ASSERT_EQ(y[at], exclusive ? before : total) << o << ", " << j << ", " << i;
      }
    }
}

template <class T> void checkAll(const Axis &l) {
  for (bool exclusive : {false, true})
    for (bool reverse : {false, true}) {
      check<T>(l, Sum{}, exclusive, reverse);
      check<T>(l, Product{}, exclusive, reverse);
    }
}

TEST(CumulateTest, AgreesWithALoop) {
  for (const Axis &l :
       {Axis{1, 1, 1}, Axis{3, 17, 1}, Axis{2, 5, 100}, Axis{1, 9, 33}, Axis{900, 3, 5}, Axis{2, 0, 3}}) {
    checkAll<float>(l);
    checkAll<double>(l);
    checkAll<std::int32_t>(l);
    checkAll<std::uint64_t>(l);
    checkAll<std::int8_t>(l); // wraps around
  }
}

} // namespace
