// Matrix products of any element type, plainly: a [batch][m][k] by b [batch][k][n] is y [batch][m][n], contiguous.
// Those of floats, which models spend their time in, are in matmul.hpp.
//
// Layout: batch, m, k, n, and a_shared, b_shared: 1 where all batches have that matrix in common. Integers wrap around;
// the sum over k goes from the first element to the last.
#pragma once
#include "fold.hpp"
#include "scalar.hpp"
#include "split.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

constexpr int matmul_any_columns = 16;  // side by side, for the compiler to make vectors of

template <class L>
constexpr Blocks matmul_any_blocks(const L& l) {
  return blocks_of(l.batch * l.m, l.n, max_of(1, min_of(unit_elements, l.k)));
}

template <class T>
AOTC_INLINE T multiply_any(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return wrapping_multiply(a, b);
  else
    return a * b;
}

// `count` neighbouring columns of a row.
template <class T>
AOTC_INLINE void matmul_any_some(const T* a, const T* b, T* y, int k, std::ptrdiff_t n, int count) {
  T sum[matmul_any_columns] = {};
  for (int i = 0; i < k; ++i)
    for (int j = 0; j < count; ++j) sum[j] = Sum{}(sum[j], multiply_any(a[i], b[i * n + j]));
  for (int j = 0; j < count; ++j) y[j] = sum[j];
}

}  // namespace detail

template <class L>
constexpr int matmul_any_units(const L& l) {
  return detail::matmul_any_blocks(l).count();
}

template <class L, class T>
void matmul_any(const L& l, const T* a, const T* b, T* y, Part part) {
  constexpr int step = detail::matmul_any_columns;
  for_each_block(detail::matmul_any_blocks(l), part, [&](int row_begin, int row_end, int begin, int end) {
    const std::ptrdiff_t k = l.k, n = l.n;
    for (int row = row_begin; row < row_end; ++row) {
      const int batch = row / l.m;
      const T* const left = a + (l.a_shared ? row % l.m : row) * k;
      const T* const right = b + (l.b_shared ? 0 : batch * (k * n));
      for (int j = begin; j < end; j += step)
        detail::matmul_any_some(left, right + j, y + row * n + j, l.k, n, min_of(step, end - j));
    }
  });
}

AOTC_KERNELS_END
