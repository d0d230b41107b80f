// Convolution of one to three spatial dimensions, channels last, for what the fast kernels leave out: weights that are
// computed, three dimensions, doubles. Vectors run over the filters.
//
//   x [batch][in...][groups * channels], w [kernel...][channels][groups * filters]
//   -> y [batch][out...][groups * filters]
//
// Layout: batch, groups, channels and filters (of one group), and arrays of three: in, out, kernel, stride, dilation,
// pad (before); missing dimensions come first, with extent 1. All contiguous. Taps outside the image are skipped. float
// or double. The order of the sums is fixed: taps, then channels. conv_nd_bias adds bias [groups * filters]. x, w and
// bias do not overlap y.
#pragma once
#include "pool2d.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

template <class L>
constexpr Blocks conv_nd_blocks(const L& l) {
  const int pixels = l.batch * l.out[0] * l.out[1] * l.out[2];
  const int work = max_of(1, l.groups * l.filters) * max_of(1, l.channels);
  return {pixels, 1, max_of(1, unit_elements / work), 1};
}

// The taps of one output pixel along the three dimensions, and where its window begins.
struct Window3 {
  int origin[3];
  Taps taps[3];

  template <class L>
  AOTC_INLINE Window3(const L& l, int pixel) : origin{}, taps{} {
    for (int d = 2; d >= 0; --d) {
      origin[d] = pixel % l.out[d] * l.stride[d] - l.pad[d];
      pixel /= l.out[d];
      taps[d] = taps_inside(origin[d], l.kernel[d], l.dilation[d], l.in[d]);
    }
  }
};

// `Columns` vectors of filters; x is at the group's first channel of the image, w at the first filter.
template <int Columns, class L, class T, class V, class Lanes>
AOTC_INLINE void conv_nd_window(const L& l, const Window3& window, const T* x, const T* w, Lanes lanes,
                                V (&sum)[Columns]) {
  const std::ptrdiff_t pixel = l.groups * l.channels, row = l.groups * l.filters;
  for (int k0 = window.taps[0].begin; k0 < window.taps[0].end; ++k0)
    for (int k1 = window.taps[1].begin; k1 < window.taps[1].end; ++k1)
      for (int k2 = window.taps[2].begin; k2 < window.taps[2].end; ++k2) {
        const std::ptrdiff_t i0 = window.origin[0] + k0 * l.dilation[0], i1 = window.origin[1] + k1 * l.dilation[1],
                             i2 = window.origin[2] + k2 * l.dilation[2];
        const T* const from = x + ((i0 * l.in[1] + i1) * l.in[2] + i2) * pixel;
        const T* tap = w + static_cast<std::ptrdiff_t>((k0 * l.kernel[1] + k1) * l.kernel[2] + k2) * l.channels * row;
        for (int c = 0; c < l.channels; ++c, tap += row) {
          AOTC_UNROLL(4)
          for (int u = 0; u < Columns; ++u)
            sum[u] = fma(splat<V>(from[c]), load(tap + u * fold_lanes_of<T>, lanes), sum[u]);
        }
      }
}

template <class L, class T>
AOTC_INLINE void conv_nd_pixels(const L& l, const T* x, const T* w, const T* bias, T* y, int begin, int end) {
  const int pixels = l.out[0] * l.out[1] * l.out[2];
  const std::ptrdiff_t image = static_cast<std::ptrdiff_t>(l.in[0]) * l.in[1] * l.in[2] * l.groups * l.channels;
  for (int at = begin; at < end; ++at) {
    const Window3 window(l, at % pixels);
    for (int g = 0; g < l.groups; ++g)
      for_each_columns<T>(g * l.filters, (g + 1) * l.filters, [&](int f, auto columns, auto lanes) AOTC_INLINE_LAMBDA {
        constexpr int count = decltype(columns)::value;
        using V = FoldVec<T>;
        V sum[count];
        AOTC_UNROLL(4)
        for (int u = 0; u < count; ++u)
          sum[u] = bias ? V(load(bias + f + u * fold_lanes_of<T>, lanes)) : splat<V>(T(0));
        conv_nd_window(l, window, x + at / pixels * image + g * l.channels, w + f, lanes, sum);
        AOTC_UNROLL(4)
        for (int u = 0; u < count; ++u)
          store(y + static_cast<std::ptrdiff_t>(at) * l.groups * l.filters + f + u * fold_lanes_of<T>, sum[u], lanes);
      });
  }
}

}  // namespace detail

template <class L>
constexpr int conv_nd_units(const L& l) {
  return detail::conv_nd_blocks(l).count();
}
template <class L>
constexpr int conv_nd_bias_units(const L& l) {
  return conv_nd_units(l);
}

template <class L, class T>
void conv_nd_bias(const L& l, const T* x, const T* w, const T* bias, T* y, Part part) {
  for_each_block(detail::conv_nd_blocks(l), part, [&](int begin, int end, int, int) AOTC_INLINE_LAMBDA {
    detail::conv_nd_pixels(l, x, w, bias, y, begin, end);
  });
}

template <class L, class T>
void conv_nd(const L& l, const T* x, const T* w, T* y, Part part) {
  for_each_block(detail::conv_nd_blocks(l), part, [&](int begin, int end, int, int) AOTC_INLINE_LAMBDA {
    detail::conv_nd_pixels(l, x, w, static_cast<const T*>(nullptr), y, begin, end);
  });
}

AOTC_KERNELS_END
