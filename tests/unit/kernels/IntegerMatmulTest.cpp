// Products of integers against sums in 64 bits: signs, zero points of all kinds, batches, odd sizes, sums that wrap.
#include "aotc/kernels/integer_matmul.hpp"
#include "aotc/kernels/integer_matmul_packed.hpp"

#include "StepRunner.h"

#include <limits>
#include <numeric>

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

template <class A, class B>
void check(const Product &l, const std::vector<A> &a, const std::vector<B> &b, const std::vector<A> &aZero,
           const std::vector<B> &bZero) {
  const auto at = [](int index) { return static_cast<std::size_t>(index); };
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

template <class A, class B> void check(const Product &l) {
  check(l, anyValues<A>((l.a_matrix ? l.batch : 1) * l.m * l.k, 1),
        anyValues<B>((l.b_matrix ? l.batch : 1) * l.k * l.n, 2), anyValues<A>(l.a_zeros, 3),
        anyValues<B>(l.b_zeros, 4));
}

template <class T> std::vector<T> everyByte() {
  std::vector<T> result(256);
  std::iota(result.begin(), result.end(), std::numeric_limits<T>::lowest());
  return result;
}

// Of each zero point of either side, all pairs of bytes.
template <class A, class B> void checkPairs() {
  for (int zero = 0; zero < 256; ++zero) {
    const std::vector<A> aZero(1, everyByte<A>()[static_cast<std::size_t>(zero)]);
    check<A, B>({1, 256, 256, 1, 0, 0, 1, 256}, everyByte<A>(), everyByte<B>(), aZero,
                std::vector<B>(256, static_cast<B>(zero)));
  }
}
TEST(IntegerMatmulTest, AllPairsAndZeroPoints) {
  checkPairs<std::uint8_t, std::int8_t>();
  checkPairs<std::int8_t, std::uint8_t>();
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

// ---------------------------------------------------------------------------------------------- by packed matrices
template <int M, int N, int K, int Unsigned, int Batch = 1, int Gap = 0> struct PackedLayout {
  static constexpr int batch = Batch, m = M, n = N, k = K, a_unsigned = Unsigned, a_row = K, a_batch = M * K + 4 * Gap;
  static constexpr int y_row = N, y_batch = M * N + Gap, widened_rows = 0;
};
// The same with rows that are Gap bytes apart.
template <class L, int Gap> struct SpacedRows : L { static constexpr int a_row = L::k + Gap, a_batch = L::m * a_row; };
// The same with rows that the kernel counts at run time.
template <class Constant> struct RunTimeRows {
  static constexpr int n = Constant::n, k = Constant::k, a_unsigned = Constant::a_unsigned, widened_rows = 0;
  int batch = Constant::batch, m = Constant::m, a_row = Constant::a_row, a_batch = Constant::a_batch;
  int y_row = Constant::y_row, y_batch = Constant::y_batch;
};

// The same with rows that builds without products of bytes widen first.
template <class L, int Rows> struct Widening : L { static constexpr int widened_rows = Rows; };

// [ceil(n / 16)][k / 4][16][4] of [k][n].
template <class L> std::vector<std::int8_t> packed(const L &l, const std::vector<std::int8_t> &b) {
  std::vector<std::int8_t> result(static_cast<std::size_t>(ceil_div(l.n, 16) * l.k * 16));
  for (int k = 0; k < l.k; ++k)
    for (int j = 0; j < l.n; ++j)
      result[static_cast<std::size_t>(((j / 16 * (l.k / 4) + k / 4) * 16 + j % 16) * 4 + k % 4)] =
          b[static_cast<std::size_t>(k * l.n + j)];
  return result;
}

template <class L, class Y, class Finish>
void checkPacked(const L &l, const std::vector<std::int8_t> &a, const std::vector<std::int8_t> &b, std::int8_t zero,
                 Finish finish) {
  const auto at = [](int index) { return static_cast<std::size_t>(index); };
  const std::vector<std::int8_t> panels = packed(l, b);
  std::vector<std::int32_t> sums(at(l.n));
  for (int i = 0; i < l.k * l.n; ++i)
    sums[at(i % l.n)] += b[at(i)];
  const std::vector<Y> initial(at(l.batch * l.y_batch), Y{7});
  std::vector<std::int64_t> scratch(at(integer_matmul_packed_scratch_bytes(l) / 8));
  const std::vector<Y> y = runStep(initial, integer_matmul_packed_units(l), [&](Y *to, Part part) {
    integer_matmul_packed(l, a.data(), panels.data(), sums.data(), &zero, to, scratch.data(), part,
                          [&](auto sum, auto, int, int, int) { return finish(sum); });
  });
  const auto value = [](std::int8_t byte) { return L::a_unsigned ? int{static_cast<std::uint8_t>(byte)} : int{byte}; };
  std::vector<Y> expected = initial;
  for (int matrix = 0; matrix < l.batch; ++matrix)
    for (int i = 0; i < l.m; ++i)
      for (int j = 0; j < l.n; ++j) {
        std::int64_t sum = 0; // in 32 bits GCC 12 would sum by VNNI, wrongly: it takes the difference for unsigned
        for (int k = 0; k < l.k; ++k)
          sum += std::int64_t{value(a[at(matrix * l.a_batch + i * l.a_row + k)]) - value(zero)} * b[at(k * l.n + j)];
        expected[at(matrix * l.y_batch + i * l.y_row + j)] = static_cast<Y>(finish(static_cast<float>(sum)));
      }
  EXPECT_EQ(y, expected);
}

template <class L> void checkPackedOnce(const L &l, int zero) {
  const auto a = anyValues<std::int8_t>(l.batch * l.a_batch, 1), b = anyValues<std::int8_t>(l.k * l.n, 2);
  checkPacked<L, float>(l, a, b, static_cast<std::int8_t>(zero), [](auto sum) { return sum; });
  checkPacked<L, std::int8_t>(l, a, b, static_cast<std::int8_t>(zero), [](auto sum) {
    return quantized(sum * splat<decltype(sum)>(1.0f / 512.0f), 3, -128, 127);
  });
}

template <class L> void checkPacked(const L &l, int zero) {
  checkPackedOnce(l, zero);
  if constexpr (splits_quads) {
    checkPackedOnce(Widening<L, 4>{}, zero);
    checkPackedOnce(Widening<L, 40>{}, zero);
  }
}

TEST(IntegerMatmulPacked, Sizes) {
  checkPacked(PackedLayout<1, 40, 12, 1>{}, 3);
  checkPacked(PackedLayout<5, 17, 8, 0>{}, -3);
  checkPacked(PackedLayout<33, 64, 4, 1>{}, 255);
  checkPacked(RunTimeRows<PackedLayout<19, 33, 20, 1>>{}, 128);
  checkPacked(RunTimeRows<PackedLayout<1, 48, 20, 0>>{}, -128);
  checkPacked(RunTimeRows<PackedLayout<0, 48, 20, 0>>{}, -128);
  checkPacked(SpacedRows<PackedLayout<5, 17, 36, 0>, 8>{}, -3);
}

TEST(IntegerMatmulPacked, EveryZeroPoint) {
  for (int zero = 0; zero < 256; ++zero) {
    checkPacked(PackedLayout<5, 20, 8, 1>{}, zero);
    checkPacked(PackedLayout<5, 20, 8, 0>{}, zero - 128);
  }
}

// Row i of a holds byte i, column j of b byte j, at one place of a word.
template <int Unsigned> void checkPackedPairs() {
  using L = PackedLayout<256, 256, 4, Unsigned>;
  for (int place = 0; place < 4; ++place) {
    std::vector<std::int8_t> a(256 * 4), b(4 * 256);
    for (int i = 0; i < 256; ++i) {
      a[static_cast<std::size_t>(4 * i + place)] = static_cast<std::int8_t>(i);
      b[static_cast<std::size_t>(256 * place + i)] = static_cast<std::int8_t>(i);
    }
    checkPacked<L, float>(L{}, a, b, 3, [](auto sum) { return sum; });
    checkPacked<Widening<L, 12>, float>({}, a, b, 3, [](auto sum) { return sum; });
  }
}
TEST(IntegerMatmulPacked, AllPairsOfBytes) { checkPackedPairs<0>(), checkPackedPairs<1>(); }

TEST(IntegerMatmulPacked, Batches) {
  checkPacked(PackedLayout<3, 17, 8, 1, 2>{}, 0);
  checkPacked(PackedLayout<3, 17, 8, 1, 2, 3>{}, 9);
  checkPacked(RunTimeRows<PackedLayout<3, 17, 8, 0, 2, 3>>{}, 127);
}

} // namespace
