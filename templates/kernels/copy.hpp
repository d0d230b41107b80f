// Strided copies: y[sum i*y_stride] = x[sum i*x_stride] for every index of `extent`. Concats, slices, pads, transposes
// and broadcasts are all this. T is any trivially copyable type; x and y do not overlap; strides may be negative, x's
// also 0.
//
// Layout: rank, and where rank > 0 extent[rank], x_stride[rank], y_stride[rank], in elements. Join dimensions that are
// contiguous on both sides before coming here: the last dimension is the inner loop. It takes the first of these that
// fits:
//   rows        both last strides are 1: a memcpy per row
//   transpose   y's last stride is 1, and x's is 1 in another dimension: tiles of the two (transpose.hpp)
//   elements    anything else
#pragma once
#include "split.hpp"
#include "transpose.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

// Width of the panels that transposes are cut into: at least a cache line of x, few enough lines of y to stay cached.
constexpr int transpose_panel = 16;

// The dimension that is contiguous in x when the last one is contiguous in y only; -1 when the copy is no transpose.
template <class L>
constexpr int transposed_dim(const L& l) {
  if constexpr (L::rank >= 2) {
    constexpr int last = L::rank - 1;
    if (l.y_stride[last] != 1 || l.x_stride[last] == 1 || l.x_stride[last] == 0) return -1;
    for (int d = last - 1; d >= 0; --d)
      if (l.x_stride[d] == 1 && l.extent[d] > 1) return d;
  }
  return -1;
}

// The outer dimensions of a copy: all but the last, the transposed one counted in panels.
template <class L>
struct CopyRows {
  int extent[L::rank > 1 ? L::rank - 1 : 1] = {};
  int count = 1;

  constexpr CopyRows(const L& l, int transposed) {
    for (int d = 0; d + 1 < L::rank; ++d) {
      extent[d] = d == transposed ? ceil_div(l.extent[d], transpose_panel) : l.extent[d];
      count *= extent[d];
    }
  }
};

template <class L>
constexpr Blocks copy_blocks(const L& l) {
  if constexpr (L::rank == 0) {
    return {1, 1, 1, 1};
  } else {
    const int transposed = transposed_dim(l);
    return blocks_of(CopyRows<L>(l, transposed).count, l.extent[L::rank - 1], transposed < 0 ? 1 : transpose_panel);
  }
}

template <class T>
AOTC_INLINE void copy_row(const T* x, std::ptrdiff_t x_stride, T* y, std::ptrdiff_t y_stride, int count) {
  if (x_stride == 1 && y_stride == 1) {
    std::memcpy(y, x, static_cast<std::size_t>(count) * sizeof(T));
  } else if (x_stride == 0 && y_stride == 1) {
    const T value = *x;
    for (int i = 0; i < count; ++i) y[i] = value;
  } else {
    for (int i = 0; i < count; ++i) y[i * y_stride] = x[i * x_stride];
  }
}

}  // namespace detail

template <class L>
constexpr int copy_units(const L& l) {
  return detail::copy_blocks(l).count();
}

template <class L, class T>
void copy(const L& l, const T* x, T* y, Part part) {
  if constexpr (L::rank == 0) {
    if (part.begin < part.end) *y = *x;
  } else {
    constexpr int last = L::rank - 1;
    const int transposed = detail::transposed_dim(l);
    const detail::CopyRows<L> rows(l, transposed);
    const auto piece = [&](int begin, int end, auto... outer) AOTC_INLINE_LAMBDA {
      const int index[] = {outer..., begin};
      std::ptrdiff_t from = 0, to = 0;
      AOTC_UNROLL(8)
      for (int d = 0; d <= last; ++d) {
        const std::ptrdiff_t i = d == transposed ? index[d] * detail::transpose_panel : index[d];
        from += i * l.x_stride[d];
        to += i * l.y_stride[d];
      }
      if (transposed < 0) {
        detail::copy_row(x + from, l.x_stride[last], y + to, l.y_stride[last], end - begin);
      } else {
        const int width =
            min_of(detail::transpose_panel, l.extent[transposed] - index[transposed] * detail::transpose_panel);
        detail::transpose(x + from, l.x_stride[last], y + to, l.y_stride[transposed], width, end - begin);
      }
    };
    for_each_block(detail::copy_blocks(l), part,
                   [&](int row_begin, int row_end, int begin, int end) AOTC_INLINE_LAMBDA {
                     for_each_index<last>(rows.extent, row_begin, row_end,
                                          [&](auto... outer) AOTC_INLINE_LAMBDA { piece(begin, end, outer...); });
                   });
  }
}

AOTC_KERNELS_END
