// Products of doubles and integers against loops: shared operands, columns around the block size, wrapping around.
#include "aotc/kernels/matmul_any.hpp"

#include "StepRunner.h"

using namespace aotc;
using namespace aotc::test;

namespace {

struct Shape {
  int batch, m, k, n, a_shared, b_shared;
};

template <class T> void check(const Shape &l) {
  const auto elements = [](int matrices, int rows, int columns) {
    return static_cast<std::size_t>(matrices * rows * columns);
  };
  const auto a = randomValues<T>(elements(l.a_shared ? 1 : l.batch, l.m, l.k), 1);
  const auto b = randomValues<T>(elements(l.b_shared ? 1 : l.batch, l.k, l.n), 2);
  const auto y = runStep(std::vector<T>(elements(l.batch, l.m, l.n)), matmul_any_units(l),
                         [&](T *out, Part part) { matmul_any(l, a.data(), b.data(), out, part); });
  for (int batch = 0; batch < l.batch; ++batch)
    for (int i = 0; i < l.m; ++i)
      for (int j = 0; j < l.n; ++j) {
        T sum = 0;
        for (int k = 0; k < l.k; ++k) {
          const T left = a[static_cast<std::size_t>(((l.a_shared ? 0 : batch) * l.m + i) * l.k + k)];
          const T right = b[static_cast<std::size_t>(((l.b_shared ? 0 : batch) * l.k + k) * l.n + j)];
          sum = static_cast<T>(sum + left * right);
        }
        ASSERT_EQ(y[static_cast<std::size_t>((batch * l.m + i) * l.n + j)], sum) << batch << ", " << i << ", " << j;
      }
}

template <class T> void checkAll() {
  for (const Shape &l :
       {Shape{1, 1, 1, 1, 0, 0}, Shape{1, 5, 7, 17, 0, 1}, Shape{3, 2, 70, 33, 0, 0}, Shape{3, 4, 5, 6, 1, 0},
        Shape{3, 4, 5, 6, 0, 1}, Shape{2, 3, 0, 4, 0, 0}, Shape{1, 300, 20, 40, 0, 0}})
    check<T>(l);
}

TEST(MatmulAnyTest, AgreesWithLoops) {
  checkAll<double>();
  checkAll<std::int32_t>();
  checkAll<std::uint32_t>();
  checkAll<std::int64_t>();
  checkAll<std::uint64_t>();
  checkAll<std::int8_t>();
}

TEST(MatmulAnyTest, WrapsAround) {
  const std::vector<std::int32_t> a{INT32_MAX, INT32_MAX}, b{2, INT32_MIN};
  std::int32_t y = 0;
  const Shape l{1, 1, 2, 1, 0, 0};
  matmul_any(l, a.data(), b.data(), &y, Part{0, 1, 0});
  EXPECT_EQ(y, INT32_MAX - 1); // -2 + 2^31
}

} // namespace
