// Sums or products of all elements up to each one along one axis: x, y [outer][length][inner], contiguous. y may be x.
//
// Layout: outer, length, inner. op is Sum or Product (fold.hpp), applied in the order of the elements. exclusive:
// without the element itself, so that the first result is the identity of op; reverse: from the last element backwards.
#pragma once
#include "fold.hpp"
#include "split.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

constexpr int cumulate_columns = 32;  // side by side, for the compiler to make vectors of

template <class L>
constexpr Blocks cumulate_blocks(const L& l) {
  return blocks_of(l.outer, l.inner, max_of(1, min_of(unit_elements, l.length)));
}

// `count` neighbouring columns, `step` elements from one row to the next.
template <class T, class Op>
AOTC_INLINE void cumulate_some(const T* x, T* y, int length, std::ptrdiff_t step, int count, const Op& op,
                               bool exclusive) {
  T total[cumulate_columns];
  for (int i = 0; i < count; ++i) total[i] = Op::template identity<T>();
  for (int row = 0; row < length; ++row)
    for (int i = 0; i < count; ++i) {
      const T before = total[i];
      total[i] = op(before, x[row * step + i]);
      y[row * step + i] = exclusive ? before : total[i];
    }
}

}  // namespace detail

template <class L>
constexpr int cumulate_units(const L& l) {
  return detail::cumulate_blocks(l).count();
}

template <class L, class T, class Op>
void cumulate(const L& l, const T* x, T* y, Part part, const Op& op, bool exclusive, bool reverse) {
  constexpr int columns = detail::cumulate_columns;
  for_each_block(detail::cumulate_blocks(l), part, [&](int row_begin, int row_end, int begin, int end) {
    const std::ptrdiff_t inner = l.inner, last = reverse ? (l.length - 1) * inner : 0;
    for (int o = row_begin; o < row_end; ++o)
      for (int i = begin; i < end; i += columns) {
        const std::ptrdiff_t first = o * (l.length * inner) + last + i;
        detail::cumulate_some(x + first, y + first, l.length, reverse ? -inner : inner, min_of(columns, end - i), op,
                              exclusive);
      }
  });
}

AOTC_KERNELS_END
