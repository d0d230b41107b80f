// Tables: the first of the largest elements, and binary search with NaN and keys that are not there.
#include "aotc/kernels/lookup.hpp"

#include "StepRunner.h"

using namespace aotc;
using namespace aotc::test;

namespace {

struct Classes {
  int rows, classes;
};

TEST(LookupTest, TopClassIsTheFirstOfEquals) {
  const std::vector<float> x = {1, 3, 3, -1, -2, -1, quietNaN, 5, 6, 0, quietNaN, 1, -infinity, -infinity, infinity};
  const std::vector<std::int64_t> labels = {10, -20, 30};
  const Classes l{5, 3};
  const auto y = runStep(std::vector<std::int64_t>(5), top_class_units(l),
                         [&](std::int64_t *to, Part part) { top_class(l, x.data(), labels.data(), to, part); });
  EXPECT_EQ(y, (std::vector<std::int64_t>{-20, 10, 10, 30, 30}));
}

TEST(LookupTest, TopClassOfOne) {
  const std::vector<double> x = {1, -1};
  const std::vector<std::int64_t> labels = {7};
  std::vector<std::int64_t> y(2);
  top_class(Classes{2, 1}, x.data(), labels.data(), y.data(), Part{0, top_class_units(Classes{2, 1}), 0});
  EXPECT_EQ(y, (std::vector<std::int64_t>{7, 7}));
}

struct Table {
  int rows, columns, keys;
};

template <class Key> void check(const std::vector<Key> &keys, const std::vector<Key> &x) {
  const Table l{1, static_cast<int>(x.size()), static_cast<int>(keys.size())};
  std::vector<double> values;
  for (std::size_t i = 0; i < keys.size() + 2; ++i)
    values.push_back(static_cast<double>(i) + 0.5);
  const auto y = runStep(std::vector<double>(x.size()), lookup_units(l),
                         [&](double *to, Part part) { lookup(l, x.data(), keys.data(), values.data(), to, part); });
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::size_t want = x[i] != x[i] ? keys.size() : keys.size() + 1;
    for (std::size_t k = 0; k < keys.size(); ++k)
      if (keys[k] == x[i])
        want = k;
    EXPECT_EQ(y[i], values[want]) << "at " << i;
  }
}

TEST(LookupTest, FindsEveryKey) {
  for (std::int64_t count : {1, 2, 3, 8, 31}) {
    std::vector<std::int64_t> keys, x;
    for (std::int64_t i = 0; i < count; ++i)
      keys.push_back(3 * i - 5);
    for (std::int64_t i = -10; i < 3 * count; ++i)
      x.push_back(i);
    check(keys, x);
  }
  check<std::int16_t>({-32768, 0, 32767}, {-32768, -1, 0, 1, 32767});
}

TEST(LookupTest, NaNAndInfinities) {
  check<float>({-infinity, -0.0f, 2.5f, infinity}, {quietNaN, 0.0f, -0.0f, infinity, -infinity, 2.5f, 2.0f});
}

} // namespace
