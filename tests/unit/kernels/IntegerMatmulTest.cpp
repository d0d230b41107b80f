// Products of integers against sums in 64 bits: signs, zero points of all kinds, batches, odd sizes, sums that wrap.
#include "aotc/kernels/integer_matmul.hpp"
#include "aotc/kernels/integer_matmul_packed.hpp"

#include "StepRunner.h"

#include <limits>
#include <numeric>
#include <type_traits>

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
// Rows that the kernel counts at run time.
template <int N, int K, int Unsigned> struct RunTimeRows {
  static constexpr int n = N, k = K, a_unsigned = Unsigned, widened_rows = 0;
  int m, batch = 1, gap = 0;
  int a_row = K, a_batch = m * K + 4 * gap, y_row = N, y_batch = m * N + gap;
};

// The same with rows that builds without products of bytes widen first.
template <class L, int Rows> struct Widening : L { static constexpr int widened_rows = Rows; };

// What the epilogue makes of a sum.
template <class Y> struct Finish {
  template <class V> auto operator()(V sum) const {
    if constexpr (std::is_same_v<Y, float>)
      return sum;
    else
      return quantized(sum * splat<V>(1.0f / 512.0f), 3, -128, 127);
  }
  template <class V, class Lanes> auto operator()(V sum, Lanes, int, int, int) const { return (*this)(sum); }
};

// The layout as data, whichever kernel it is for.
struct PackedSizes {
  int batch, m, n, k, a_unsigned, a_row, a_batch, y_row, y_batch;
  template <class L> static PackedSizes of(const L &l) {
    return {l.batch, l.m, l.n, l.k, l.a_unsigned, l.a_row, l.a_batch, l.y_row, l.y_batch};
  }
};

// [ceil(n / 16)][k / 4][16][4] of [k][n].
std::vector<std::int8_t> packed(const PackedSizes &l, const std::vector<std::int8_t> &b) {
  std::vector<std::int8_t> result(static_cast<std::size_t>(ceil_div(l.n, 16) * l.k * 16));
  for (int k = 0; k < l.k; ++k)
    for (int j = 0; j < l.n; ++j)
      result[static_cast<std::size_t>(((j / 16 * (l.k / 4) + k / 4) * 16 + j % 16) * 4 + k % 4)] =
          b[static_cast<std::size_t>(k * l.n + j)];
  return result;
}

// A kernel, and its units and its scratch memory.
template <class Y> struct PackedKernel {
  using Bytes = const std::int8_t *;
  std::function<void(Bytes a, Bytes w, const std::int32_t *sums, Bytes zero, Y *y, void *scratch, Part part)> run;
  int units, scratchBytes;
  template <class L> static PackedKernel of(const L &l) {
    const auto run = [l](Bytes a, Bytes w, const std::int32_t *sums, Bytes zero, Y *y, void *scratch, Part part) {
      integer_matmul_packed(l, a, w, sums, zero, y, scratch, part, Finish<Y>{});
    };
    return {run, integer_matmul_packed_units(l), integer_matmul_packed_scratch_bytes(l)};
  }
};

template <class Y>
std::vector<Y> expectedPacked(const PackedSizes &l, const std::vector<std::int8_t> &a,
                              const std::vector<std::int8_t> &b, std::int8_t zero, std::vector<Y> y) {
  const auto at = [](int index) { return static_cast<std::size_t>(index); };
  const auto value = [&](std::int8_t byte) { return l.a_unsigned ? int{static_cast<std::uint8_t>(byte)} : int{byte}; };
  for (int matrix = 0; matrix < l.batch; ++matrix)
    for (int i = 0; i < l.m; ++i)
      for (int j = 0; j < l.n; ++j) {
        std::int64_t sum = 0; // in 32 bits GCC 12 would sum by VNNI, wrongly: it takes the difference for unsigned
        for (int k = 0; k < l.k; ++k)
          sum += std::int64_t{value(a[at(matrix * l.a_batch + i * l.a_row + k)]) - value(zero)} * b[at(k * l.n + j)];
        y[at(matrix * l.y_batch + i * l.y_row + j)] = static_cast<Y>(Finish<Y>{}(static_cast<float>(sum)));
      }
  return y;
}

template <class Y>
void checkPacked(const PackedSizes &l, const PackedKernel<Y> &kernel, const std::vector<std::int8_t> &a,
                 const std::vector<std::int8_t> &b, std::int8_t zero) {
  const std::vector<std::int8_t> panels = packed(l, b);
  std::vector<std::int32_t> sums(static_cast<std::size_t>(l.n));
  for (int i = 0; i < l.k * l.n; ++i)
    sums[static_cast<std::size_t>(i % l.n)] += b[static_cast<std::size_t>(i)];
  const std::vector<Y> initial(static_cast<std::size_t>(l.batch * l.y_batch), Y{7});
  std::vector<std::int64_t> scratch(static_cast<std::size_t>(kernel.scratchBytes / 8));
  const std::vector<Y> y = runStep(initial, kernel.units, [&](Y *to, Part part) {
    kernel.run(a.data(), panels.data(), sums.data(), &zero, to, scratch.data(), part);
  });
  EXPECT_EQ(y, expectedPacked(l, a, b, zero, initial));
}

// To floats or to bytes, as is and with `Rows` widened at a time.
template <class Y, int Rows, class L>
void checkPacked(const L &l, const std::vector<std::int8_t> &a, const std::vector<std::int8_t> &b, int zero) {
  const PackedSizes sizes = PackedSizes::of(l);
  checkPacked(sizes, PackedKernel<Y>::of(l), a, b, static_cast<std::int8_t>(zero));
  if constexpr (splits_quads)
    checkPacked(sizes, PackedKernel<Y>::of(Widening<L, Rows>{l}), a, b, static_cast<std::int8_t>(zero));
}
template <class Y, int Rows, class L> void checkPacked(const L &l, int zero) {
  checkPacked<Y, Rows>(l, anyValues<std::int8_t>(l.batch * l.a_batch, 1), anyValues<std::int8_t>(l.k * l.n, 2), zero);
}

TEST(IntegerMatmulPacked, Sizes) {
  checkPacked<float, 40>(PackedLayout<1, 40, 12, 1>{}, 3);
  checkPacked<float, 4>(PackedLayout<5, 20, 8, 0>{}, -3);
  checkPacked<float, 40>(PackedLayout<33, 64, 4, 1>{}, 255);
  for (int m : {0, 1, 19, 50}) {
    checkPacked<float, 4>(RunTimeRows<33, 20, 1>{m}, 128);
    checkPacked<float, 40>(RunTimeRows<48, 20, 0>{m}, -128);
  }
  checkPacked<float, 4>(SpacedRows<PackedLayout<5, 17, 36, 0>, 8>{}, -3);
}

TEST(IntegerMatmulPacked, Bytes) {
  checkPacked<std::int8_t, 40>(PackedLayout<33, 64, 4, 1>{}, 255);
  for (int m : {0, 1, 19, 50})
    checkPacked<std::int8_t, 40>(RunTimeRows<33, 20, 1>{m}, 128);
}

TEST(IntegerMatmulPacked, EveryZeroPoint) {
  for (int zero = 0; zero < 256; ++zero) {
    checkPacked<float, 4>(PackedLayout<5, 20, 8, 1>{}, zero);
    checkPacked<float, 4>(PackedLayout<5, 20, 8, 0>{}, zero - 128);
  }
}

// Row i of a holds byte i, column j of b byte j, at one place of a word.
template <int Unsigned> void checkPackedPairs() {
  for (int place = 0; place < 4; ++place) {
    std::vector<std::int8_t> a(256 * 4), b(4 * 256);
    for (int i = 0; i < 256; ++i) {
      a[static_cast<std::size_t>(4 * i + place)] = static_cast<std::int8_t>(i);
      b[static_cast<std::size_t>(256 * place + i)] = static_cast<std::int8_t>(i);
    }
    checkPacked<float, 12>(PackedLayout<256, 256, 4, Unsigned>{}, a, b, 3);
  }
}
TEST(IntegerMatmulPacked, AllPairsOfBytes) { checkPackedPairs<0>(), checkPackedPairs<1>(); }

TEST(IntegerMatmulPacked, Batches) {
  checkPacked<float, 4>(PackedLayout<3, 17, 8, 1, 2>{}, 0);
  checkPacked<float, 4>(PackedLayout<3, 17, 8, 1, 2, 3>{}, 9);
  checkPacked<float, 4>(RunTimeRows<33, 20, 1>{3, 2, 3}, 127);
  checkPacked<float, 40>(RunTimeRows<48, 20, 0>{3, 2, 3}, 127);
}

} // namespace
