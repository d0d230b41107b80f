// Convolution of integers of one to three spatial dimensions, planar, exact up to the 32 bits of its sums, which wrap
// around: for weights and zero points that are only known at run time.
//
//   x [batch][groups * channels][in...], w [groups * filters][channels][kernel...]
//   -> y [batch][groups * filters][out...]
//
// Layout: batch, groups, channels and filters (of one group), w_zeros (1, or one zero point for each filter), and
// arrays of three: in, out, kernel, stride, dilation, pad (before); missing dimensions come first, with extent 1. All
// dense, y of std::int32_t; X and W are integers of up to 32 bits. Taps outside the image count as x_zero[0]. y
// overlaps none of the others.
#pragma once
#include "conv_nd.hpp"
#include "integer_matmul.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

template <class L>
constexpr Blocks integer_conv_blocks(const L& l) {
  const int work = l.channels * l.kernel[0] * l.kernel[1] * l.kernel[2];
  return blocks_of(l.batch * l.groups * l.filters, l.out[0] * l.out[1] * l.out[2],
                   max_of(1, min_of(unit_elements, work)));
}

// One result: x is at the group's first channel of the image, w at the filter.
template <class L, class X, class W>
AOTC_INLINE std::uint32_t integer_conv_window(const L& l, const Window3& window, const X* x, const W* w,
                                              std::uint32_t x_zero, std::uint32_t w_zero) {
  std::uint32_t sum = 0;
  for (int c = 0; c < l.channels; ++c) {
    for (int k0 = window.taps[0].begin; k0 < window.taps[0].end; ++k0)
      for (int k1 = window.taps[1].begin; k1 < window.taps[1].end; ++k1) {
        const std::ptrdiff_t i0 = window.origin[0] + k0 * l.dilation[0], i1 = window.origin[1] + k1 * l.dilation[1];
        const X* const row = x + (i0 * l.in[1] + i1) * l.in[2];
        const W* const taps = w + (static_cast<std::ptrdiff_t>(k0) * l.kernel[1] + k1) * l.kernel[2];
        for (int k2 = window.taps[2].begin; k2 < window.taps[2].end; ++k2)
          sum += (wrapped(row[window.origin[2] + k2 * l.dilation[2]]) - x_zero) * (wrapped(taps[k2]) - w_zero);
      }
    x += static_cast<std::ptrdiff_t>(l.in[0]) * l.in[1] * l.in[2];
    w += static_cast<std::ptrdiff_t>(l.kernel[0]) * l.kernel[1] * l.kernel[2];
  }
  return sum;
}

}  // namespace detail

template <class L>
constexpr int integer_conv_nd_units(const L& l) {
  return detail::integer_conv_blocks(l).count();
}

template <class L, class X, class W>
void integer_conv_nd(const L& l, const X* x, const W* w, const X* x_zero, const W* w_zero, std::int32_t* y, Part part) {
  const std::ptrdiff_t plane = static_cast<std::ptrdiff_t>(l.in[0]) * l.in[1] * l.in[2];
  const std::ptrdiff_t filter_size = static_cast<std::ptrdiff_t>(l.channels) * l.kernel[0] * l.kernel[1] * l.kernel[2];
  const int all = l.groups * l.filters, pixels = l.out[0] * l.out[1] * l.out[2];
  for_each_block(detail::integer_conv_blocks(l), part, [&](int row_begin, int row_end, int begin, int end) {
    for (int row = row_begin; row < row_end; ++row) {
      const std::ptrdiff_t image = row / all, filter = row % all, group = filter / l.filters;
      const X* const from = x + (image * l.groups + group) * l.channels * plane;
      const std::uint32_t zero = detail::wrapped(w_zero[l.w_zeros == 1 ? 0 : filter]);
      for (int at = begin; at < end; ++at)
        y[static_cast<std::ptrdiff_t>(row) * pixels + at] = static_cast<std::int32_t>(detail::integer_conv_window(
            l, detail::Window3(l, at), from, w + filter * filter_size, detail::wrapped(x_zero[0]), zero));
    }
  });
}

AOTC_KERNELS_END
