// Products of integers against sums in 64 bits: signs, zero points of all kinds, batches, odd sizes, sums that wrap.
#include "aotc/kernels/integer_matmul.hpp"

#include "StepRunner.h"

using namespace aotc;
using namespace aotc::test;

namespace {

struct Product {
  int batch, m, n, k, a_matrix, b_matrix, a_zeros, b_zeros;
};

// Every value that the type has, and its ends more often.
template <class T> std::vector<T> anyValues(int size, unsigned seed) {
  std::mt19937 engine(seed);
  std::vector<T> result(static_cast<std::size_t>(size));
  for (T &value : result) {
    value = static_cast<T>(engine());
    if (engine() % 8 == 0)
      value = engine() % 2 == 0 ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
  }
  return result;
}

template <class A, class B> void check(const Product &l) {
  const auto at = [](int index) { return static_cast<std::size_t>(index); };
  const auto a = anyValues<A>((l.a_matrix ? l.batch : 1) * l.m * l.k, 1);
  const auto b = anyValues<B>((l.b_matrix ? l.batch : 1) * l.k * l.n, 2);
  const auto aZero = anyValues<A>(l.a_zeros, 3);
  const auto bZero = anyValues<B>(l.b_zeros, 4);
  const std::vector<std::int32_t> initial(at(l.batch * l.m * l.n));
  const auto y = runStep(initial, integer_matmul_units(l), [&](std::int32_t *to, Part part) {
    integer_matmul(l, a.data(), b.data(), aZero.data(), bZero.data(), to, part);
  });
  for (int matrix = 0; matrix < l.batch; ++matrix)
    for (int i = 0; i < l.m; ++i)
      for (int j = 0; j < l.n; ++j) {
        std::uint64_t sum = 0;
        for (int k = 0; k < l.k; ++k) {
          const std::int64_t left = std::int64_t{a[at(matrix * l.a_matrix + i * l.k + k)]} - aZero[at(i % l.a_zeros)];
          const std::int64_t right =
              std::int64_t{b[at(matrix * l.b_matrix + k * l.n + j)]} - bZero[at(l.b_zeros == 1 ? 0 : j)];
          sum += static_cast<std::uint64_t>(left) * static_cast<std::uint64_t>(right);
        }
        ASSERT_EQ(static_cast<std::uint32_t>(y[at((matrix * l.m + i) * l.n + j)]), static_cast<std::uint32_t>(sum))
            << "at " << matrix << ", " << i << ", " << j;
      }
}

TEST(IntegerMatmulTest, AllSigns) {
  check<std::uint8_t, std::uint8_t>({1, 5, 7, 9, 0, 0, 1, 1});
  check<std::uint8_t, std::int8_t>({1, 5, 7, 9, 0, 0, 1, 1});
  check<std::int8_t, std::uint8_t>({1, 5, 7, 9, 0, 0, 1, 1});
  check<std::int8_t, std::int8_t>({1, 5, 7, 9, 0, 0, 1, 1});
}

TEST(IntegerMatmulTest, SizesAroundTheColumnsOfATile) {
  for (int n : {1, 63, 64, 65, 129})
    check<std::uint8_t, std::int8_t>({1, 3, n, 33, 0, 0, 1, 1});
  check<std::uint8_t, std::int8_t>({1, 2, 9000, 3, 0, 0, 2, 9000}); // rows that are cut
  check<std::uint8_t, std::int8_t>({1, 0, 4, 4, 0, 0, 1, 1});
  check<std::uint8_t, std::int8_t>({1, 4, 4, 0, 0, 0, 1, 1}); // sums of nothing
}

TEST(IntegerMatmulTest, ZeroPointsOfRowsAndColumns) {
  check<std::uint8_t, std::int8_t>({1, 6, 70, 11, 0, 0, 6, 70});
  check<std::uint8_t, std::int8_t>({1, 12, 5, 11, 0, 0, 4, 5}); // three matrices of four rows as one
}

TEST(IntegerMatmulTest, Batches) {
  check<std::uint8_t, std::int8_t>({3, 4, 5, 6, 24, 30, 4, 5});
  check<std::uint8_t, std::int8_t>({3, 4, 5, 6, 0, 30, 1, 1});
}

TEST(IntegerMatmulTest, SumsWrapAround) {
  check<std::int32_t, std::int32_t>({1, 3, 4, 5, 0, 0, 1, 1});
  check<std::uint8_t, std::uint8_t>({1, 1, 2, 70000, 0, 0, 1, 1});
}

} // namespace
