// Products of matrices of integers, exact up to the 32 bits of their sums, which wrap around:
//
//   y[b][i][j] = sum over k of (a[b][i][k] - a_zero[i]) * (b[b][k][j] - b_zero[j])
//
// Layout: batch, m, n, k; a_matrix and b_matrix, the distances between the matrices of a batch (0: one for all);
// a_zeros and b_zeros: 1 or as many zero points as there are rows of a matrix of a and columns of b. Where rows of
// several matrices are taken as those of one, a_zeros still counts those of one. All dense, y of std::int32_t; A and B
// are integers of up to 32 bits. y overlaps none of the others.
#pragma once
#include <cstdint>

#include "split.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

constexpr int integer_columns = 64;  // whose sums stay in registers, or close by

template <class L>
constexpr Blocks integer_matmul_blocks(const L& l) {
  return blocks_of(l.batch * l.m, l.n, max_of(1, min_of(unit_elements, l.k)));
}

template <class T>
AOTC_INLINE constexpr std::uint32_t wrapped(T x) {
  return static_cast<std::uint32_t>(static_cast<std::int32_t>(x));
}

// Up to integer_columns elements of a row of y.
template <class L, class A, class B>
AOTC_INLINE void integer_matmul_row(const L& l, const A* a, const B* b, std::uint32_t a_zero, const B* b_zero,
                                    std::int32_t* y, int columns) {
  std::uint32_t sum[integer_columns] = {}, zero[integer_columns] = {};
  for (int j = 0; j < columns; ++j) zero[j] = wrapped(b_zero[l.b_zeros == 1 ? 0 : j]);
  for (int k = 0; k < l.k; ++k, b += l.n) {
    const std::uint32_t factor = wrapped(a[k]) - a_zero;
    for (int j = 0; j < columns; ++j) sum[j] += factor * (wrapped(b[j]) - zero[j]);
  }
  for (int j = 0; j < columns; ++j) y[j] = static_cast<std::int32_t>(sum[j]);
}

}  // namespace detail

template <class L>
constexpr int integer_matmul_units(const L& l) {
  return detail::integer_matmul_blocks(l).count();
}

template <class L, class A, class B>
void integer_matmul(const L& l, const A* a, const B* b, const A* a_zero, const B* b_zero, std::int32_t* y, Part part) {
  using detail::integer_columns;
  for_each_block(detail::integer_matmul_blocks(l), part, [&](int row_begin, int row_end, int begin, int end) {
    for (int row = row_begin; row < row_end; ++row) {
      const std::ptrdiff_t matrix = row / l.m, i = row % l.m;
      const A* from = a + matrix * l.a_matrix + i * l.k;
      const std::uint32_t zero = detail::wrapped(a_zero[row % l.a_zeros]);
      for (int j = begin; j < end; j += integer_columns)
        detail::integer_matmul_row(l, from, b + matrix * l.b_matrix + j, zero, b_zero + (l.b_zeros == 1 ? 0 : j),
                                   y + static_cast<std::ptrdiff_t>(row) * l.n + j, min_of(integer_columns, end - j));
    }
  });
}

AOTC_KERNELS_END
