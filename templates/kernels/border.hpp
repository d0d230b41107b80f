// The border of a padded buffer: everything around the interior that a producer writes by itself.
//
//   y [batch][top + h + bottom][left + w + right][c], y points at the start of the padded buffer
//
// Layout: batch, h, w (of the interior), c, top, left, bottom, right, and the distances image, row, pixel in elements.
// Elements between c and pixel belong to others and stay as they are. T is any trivially copyable type. The interior is
// not touched.
#pragma once
#include "split.hpp"

AOTC_KERNELS_BEGIN

namespace detail {
// Rows of all images; their columns are the elements written, on average.
template <class L>
constexpr Blocks border_blocks(const L& l) {
  const int rows = l.top + l.h + l.bottom, width = l.left + l.w + l.right;
  const int written = (rows * width - l.h * l.w) * l.c / max_of(1, rows);
  const int block_rows = max_of(1, unit_elements / max_of(1, written));
  return {l.batch * rows, 1, block_rows, 1};
}

// `count` neighbouring pixels.
template <class L, class T>
AOTC_INLINE void fill_pixels(const L& l, T* y, int count, T value) {
  if (l.pixel == l.c) {
    for (int i = 0; i < count * l.c; ++i) y[i] = value;
    return;
  }
  for (int p = 0; p < count; ++p)
    for (int i = 0; i < l.c; ++i) y[static_cast<std::ptrdiff_t>(p) * l.pixel + i] = value;
}
}  // namespace detail

template <class L>
constexpr int fill_border_units(const L& l) {
  return detail::border_blocks(l).count();
}

template <class L, class T>
void fill_border(const L& l, T* y, Part part, T value) {
  const int rows = l.top + l.h + l.bottom, width = l.left + l.w + l.right;
  for_each_block(detail::border_blocks(l), part, [&](int begin, int end, int, int) AOTC_INLINE_LAMBDA {
    for (int i = begin; i < end; ++i) {
      const int row = i % rows;
      T* const line = y + static_cast<std::ptrdiff_t>(i / rows) * l.image + static_cast<std::ptrdiff_t>(row) * l.row;
      if (row < l.top || row >= l.top + l.h) {
        detail::fill_pixels(l, line, width, value);
      } else {
        detail::fill_pixels(l, line, l.left, value);
        detail::fill_pixels(l, line + static_cast<std::ptrdiff_t>(l.left + l.w) * l.pixel, l.right, value);
      }
    }
  });
}

AOTC_KERNELS_END
