// Where the largest or smallest element along one axis stands: x [outer][length][inner],
// y [outer][1][inner], contiguous.
//
// Layout: outer, length, inner. A NaN is taken for larger and for smaller than all numbers. Of equal elements the first
// one counts, or the last one where `last` is true. Where length is 0, y is 0 and the call returns false.
#pragma once
#include "split.hpp"

AOTC_KERNELS_BEGIN

// Whether a is the one to look for rather than b.
struct ArgMax {
  template <class T>
  AOTC_INLINE constexpr bool operator()(T a, T b) const {
    return a > b || (a != a && b == b);
  }
};
struct ArgMin {
  template <class T>
  AOTC_INLINE constexpr bool operator()(T a, T b) const {
    return a < b || (a != a && b == b);
  }
};

namespace detail {

constexpr int arg_reduce_columns = 32;  // side by side, for the compiler to make vectors of

template <class L>
constexpr Blocks arg_reduce_blocks(const L& l) {
  return blocks_of(l.outer, l.inner, max_of(1, min_of(unit_elements, l.length)));
}

// `count` neighbouring columns, `inner` elements from row to row.
template <class T, class Index, class Op>
AOTC_INLINE void arg_reduce_some(const T* x, Index* y, int length, std::ptrdiff_t inner, int count, Op op, bool last) {
  T best[arg_reduce_columns];
  std::int32_t place[arg_reduce_columns];
  for (int i = 0; i < count; ++i) {
    best[i] = x[i];
    place[i] = 0;
  }
  for (int row = 1; row < length; ++row) {
    const T* const from = x + row * inner;
    for (int i = 0; i < count; ++i) {
      const bool is_better = last ? !op(best[i], from[i]) : op(from[i], best[i]);
      best[i] = is_better ? from[i] : best[i];
      place[i] = is_better ? row : place[i];
    }
  }
  for (int i = 0; i < count; ++i) y[i] = static_cast<Index>(place[i]);
}

}  // namespace detail

template <class L>
constexpr int arg_reduce_units(const L& l) {
  return detail::arg_reduce_blocks(l).count();
}

// Whether there is a place to find.
template <class L, class T, class Index, class Op>
bool arg_reduce(const L& l, const T* x, Index* y, Part part, Op op, bool last) {
  constexpr int step = detail::arg_reduce_columns;
  for_each_block(detail::arg_reduce_blocks(l), part, [&](int row_begin, int row_end, int begin, int end) {
    const std::ptrdiff_t inner = l.inner;
    for (int o = row_begin; o < row_end; ++o)
      for (int i = begin; i < end; i += step)
        if (l.length > 0)
          detail::arg_reduce_some(x + o * (l.length * inner) + i, y + o * inner + i, l.length, inner,
                                  min_of(step, end - i), op, last);
        else
          for (int column = i; column < end && column < i + step; ++column) y[o * inner + column] = 0;
  });
  return l.length > 0;
}

AOTC_KERNELS_END
