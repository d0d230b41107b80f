// The k largest or smallest elements along one axis, in order: x [outer][length][inner], values and indices
// [outer][k][inner], all contiguous.
//
// Layout: outer, length, inner, k; 0 <= k <= length. Equal elements come in the order of their indices; NaN counts as
// larger than all numbers. The outputs hold a heap of the best elements so far, the worst of them on top, which is
// sorted in place at the end: length * log(k) steps and no other memory.
#pragma once
#include "split.hpp"

AOTC_KERNELS_BEGIN

// Which of two elements comes first in the result.
struct Largest {
  template <class T>
  AOTC_INLINE constexpr bool operator()(T a, T b) const {
    return a > b || (a != a && b == b);
  }
};
struct Smallest {
  template <class T>
  AOTC_INLINE constexpr bool operator()(T a, T b) const {
    return a < b || (b != b && a == a);
  }
};

namespace detail {

// A column of values with their indices, `stride` elements apart.
template <class T, class Index, class First>
struct RankedColumn {
  T* values;
  Index* indices;
  std::ptrdiff_t stride;
  First first;

  AOTC_INLINE bool precedes(T a, Index at_a, T b, Index at_b) const {
    return first(a, b) || (!first(b, a) && at_a < at_b);
  }
  AOTC_INLINE T value(int i) const { return values[i * stride]; }
  AOTC_INLINE Index index(int i) const { return indices[i * stride]; }
  AOTC_INLINE void put(int i, T value, Index index) const {
    values[i * stride] = value;
    indices[i * stride] = index;
  }

  // Puts an element in the place of the top of a heap of `size` and lets it sink below all that come after it.
  void sink(int top, int size, T item, Index at) const {
    for (int child = 2 * top + 1; child < size; child = 2 * top + 1) {
      if (child + 1 < size && precedes(value(child), index(child), value(child + 1), index(child + 1))) ++child;
      if (!precedes(item, at, value(child), index(child))) break;
      put(top, value(child), index(child));
      top = child;
    }
    put(top, item, at);
  }

  void sort(int size) const {
    for (int end = size - 1; end > 0; --end) {
      const T last = value(end);
      const Index at = index(end);
      put(end, value(0), index(0));
      sink(0, end, last, at);
    }
  }
};

template <class L>
constexpr Blocks top_k_blocks(const L& l) {
  return blocks_of(l.outer, l.inner, max_of(1, min_of(unit_elements, 4 * l.length)));
}

}  // namespace detail

template <class L>
constexpr int top_k_units(const L& l) {
  return detail::top_k_blocks(l).count();
}

template <class L, class T, class Index, class First>
void top_k(const L& l, const T* x, T* values, Index* indices, Part part, First first) {
  if (l.k == 0) return;
  for_each_block(detail::top_k_blocks(l), part, [&](int row_begin, int row_end, int begin, int end) {
    for (int o = row_begin; o < row_end; ++o)
      for (int i = begin; i < end; ++i) {
        const std::ptrdiff_t inner = l.inner;
        const T* from = x + o * (l.length * inner) + i;
        const std::ptrdiff_t to = o * (l.k * inner) + i;
        const detail::RankedColumn<T, Index, First> best{values + to, indices + to, inner, first};
        for (int j = 0; j < l.k; ++j) best.put(j, from[j * inner], static_cast<Index>(j));
        for (int j = l.k / 2; j-- > 0;) best.sink(j, l.k, best.value(j), best.index(j));
        for (int j = l.k; j < l.length; ++j)
          if (first(from[j * inner], best.value(0))) best.sink(0, l.k, from[j * inner], static_cast<Index>(j));
        best.sort(l.k);
      }
  });
}

AOTC_KERNELS_END
