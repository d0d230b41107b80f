// The k best elements against a stable sort: ties, NaN, k of 0, 1 and all, every position of the axis.
#include "aotc/kernels/top_k.hpp"

#include "StepRunner.h"

#include <algorithm>

using namespace aotc;
using namespace aotc::test;

namespace {

struct Columns {
  int outer, length, inner, k;
};

template <class T, class First> void check(const Columns &l, const std::vector<T> &x, First first) {
  const std::size_t size = static_cast<std::size_t>(l.outer * l.k * l.inner);
  const std::vector<T> initial(size);
  std::vector<std::int64_t> indices(size);
  const auto values = runStep(initial, top_k_units(l),
                              [&](T *out, Part part) { top_k(l, x.data(), out, indices.data(), part, first); });
  for (int o = 0; o < l.outer; ++o)
    for (int i = 0; i < l.inner; ++i) {
      const auto at = [&](int j) { return x[static_cast<std::size_t>((o * l.length + j) * l.inner + i)]; };
      std::vector<int> order;
      for (int j = 0; j < l.length; ++j)
        order.push_back(j);
      std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return first(at(a), at(b)); });
      for (int j = 0; j < l.k; ++j) {
        const std::size_t place = static_cast<std::size_t>((o * l.k + j) * l.inner + i);
        ASSERT_EQ(indices[place], order[static_cast<std::size_t>(j)]);
        if (at(order[static_cast<std::size_t>(j)]) == at(order[static_cast<std::size_t>(j)])) {
          ASSERT_EQ(values[place], at(order[static_cast<std::size_t>(j)]));
        } else {
          ASSERT_NE(values[place], values[place]);
        }
      }
    }
}

TEST(TopKTest, IsAStableSortCutOff) {
  for (int k : {0, 1, 3, 16, 17}) {
    const Columns l{3, 17, 5, k};
    const auto x = randomValues<float>(3 * 17 * 5);
    check(l, x, Largest{});
    check(l, x, Smallest{});
  }
  check<std::int8_t>({70, 40, 1, 7}, randomValues<std::int8_t>(70 * 40), Largest{}); // 41 values: many are equal
  check<double>({1, 1000, 3, 500}, randomValues<double>(3000), Smallest{});
}

TEST(TopKTest, NaNIsLargest) {
  const std::vector<float> x = {1, quietNaN, -infinity, infinity, quietNaN, 0};
  check<float>({1, 6, 1, 6}, x, Largest{});
  check<float>({1, 6, 1, 6}, x, Smallest{});
}

} // namespace
