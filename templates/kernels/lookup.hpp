// Tables: the label of the largest element of each row, and the value that belongs to a key.
#pragma once
#include "split.hpp"

AOTC_KERNELS_BEGIN

// Layout: rows, classes; x [rows][classes], labels [classes], y [rows]. The first one of equal elements counts, and NaN
// only where it comes first.
template <class L>
constexpr int top_class_units(const L& l) {
  return blocks_of(l.rows, 1, max_of(1, min_of(unit_elements, l.classes))).count();
}

template <class L, class T, class Label>
void top_class(const L& l, const T* x, const Label* labels, Label* y, Part part) {
  const Blocks blocks = blocks_of(l.rows, 1, max_of(1, min_of(unit_elements, l.classes)));
  for_each_block(blocks, part, [&](int row_begin, int row_end, int, int) {
    for (int r = row_begin; r < row_end; ++r) {
      const T* row = x + static_cast<std::ptrdiff_t>(r) * l.classes;
      int best = 0;
      for (int c = 1; c < l.classes; ++c)
        if (row[c] > row[best]) best = c;
      y[r] = labels[best];
    }
  });
}

namespace detail {
template <class L>
constexpr Blocks lookup_blocks(const L& l) {
  int steps = 1;
  for (int rest = l.keys; rest > 0; rest /= 2) ++steps;
  return blocks_of(l.rows, l.columns, steps);
}
}  // namespace detail

// Layout: rows, columns, keys; x and y [rows][columns]. keys [keys] are sorted, without NaN; values [keys + 2] are
// theirs, then that of NaN, then that of all that is not among the keys.
template <class L>
constexpr int lookup_units(const L& l) {
  return detail::lookup_blocks(l).count();
}

template <class L, class Key, class Value>
void lookup(const L& l, const Key* x, const Key* keys, const Value* values, Value* y, Part part) {
  for_each_block(detail::lookup_blocks(l), part, [&](int row_begin, int row_end, int begin, int end) {
    for (int r = row_begin; r < row_end; ++r)
      for (int c = begin; c < end; ++c) {
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(r) * l.columns + c;
        const Key key = x[at];
        int low = 0;
        for (int size = l.keys; size > 0;) {  // the first key that is not less
          const int half = size / 2;
          const bool is_less = keys[low + half] < key;
          low = is_less ? low + half + 1 : low;
          size = is_less ? size - half - 1 : half;
        }
        const bool is_found = low < l.keys && keys[low] == key;
        y[at] = values[is_found ? low : key != key ? l.keys : l.keys + 1];
      }
  });
}

AOTC_KERNELS_END
