// Elements that are not zero: where they are, and what stands there. Each call is one unit of work and returns how many
// it found, which is the extent of its result.
#pragma once
#include "split.hpp"

AOTC_KERNELS_BEGIN

// Layout: rank, extent [rank] (of at least 1 entry). x [extent…], y [rank][found]: the index along each dimension, in
// the order of the elements. A NaN is not zero.
template <class L>
constexpr int nonzero_units(const L&) {
  return 1;
}

template <class L, class T>
int nonzero(const L& l, const T* x, std::int64_t* y, Part) {
  int size = 1, found = 0;
  for (int d = 0; d < l.rank; ++d) size *= l.extent[d];
  for (int i = 0; i < size; ++i) found += x[i] != T(0);
  for (int i = 0, at = 0; i < size; ++i) {
    if (x[i] == T(0)) continue;
    for (int d = l.rank - 1, rest = i; d >= 0; rest /= l.extent[d], --d)
      y[static_cast<std::ptrdiff_t>(d) * found + at] = rest % l.extent[d];
    ++at;
  }
  return found;
}

// Layout: outer, length, inner, flags. x [outer][length][inner], condition [flags], flags <= length;
// y [outer][found][inner]: the slices whose condition is true.
template <class L>
constexpr int compress_units(const L&) {
  return 1;
}

template <class L, class T>
int compress(const L& l, const T* x, const bool* condition, T* y, Part) {
  int found = 0;
  for (int i = 0; i < l.flags; ++i) found += condition[i];
  for (int o = 0; o < l.outer; ++o)
    for (int i = 0; i < l.flags; ++i) {
      if (!condition[i]) continue;
      const T* const from = x + (static_cast<std::ptrdiff_t>(o) * l.length + i) * l.inner;
      for (int k = 0; k < l.inner; ++k) *y++ = from[k];
    }
  return found;
}

AOTC_KERNELS_END
