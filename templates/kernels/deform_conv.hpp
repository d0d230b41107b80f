// Convolution whose taps are moved by an offset each and weighted by a mask, planar, two dimensions, float or double.
//
//   x [batch][groups * channels][in_h][in_w], w [groups * filters][channels][kernel_h][kernel_w],
//   offset [batch][offset_groups][kernel_h][kernel_w][2: down, right][out_h][out_w],
//   mask [batch][offset_groups][kernel_h][kernel_w][out_h][out_w] -> y [batch][groups * filters][out_h][out_w]
//
// Layout: batch, groups, channels and filters (of one group), offset_groups, has_mask (0 or 1: mask is not read), in_h,
// in_w, out_h, out_w, kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w, pad_top, pad_left. A sample
// between pixels is interpolated; pixels outside are 0. scratch: channels * kernel_h * kernel_w elements of the
// thread's own, the samples under one output pixel, which all filters share. Buffers do not overlap.
#pragma once
#include "fold.hpp"
#include "split.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

template <class L>
constexpr Blocks deform_blocks(const L& l) {
  const int work = l.groups * l.channels * l.kernel_h * l.kernel_w * (l.filters + 16);
  return {l.batch * l.out_h * l.out_w, 1, max_of(1, unit_elements / work), 1};
}

template <class L, class T>
AOTC_INLINE T pixel_or_zero(const L& l, const T* x, int h, int w) {
  return h >= 0 && h < l.in_h && w >= 0 && w < l.in_w ? x[static_cast<std::ptrdiff_t>(h) * l.in_w + w] : T(0);
}

template <class L, class T>
AOTC_INLINE T between_pixels(const L& l, const T* x, T h, T w) {
  if (!(h > T(-1)) || !(w > T(-1)) || !(h < static_cast<T>(l.in_h)) || !(w < static_cast<T>(l.in_w))) return T(0);
  const T top = floor(h), left = floor(w), down = h - top, right = w - left;
  const int i = static_cast<int>(top), j = static_cast<int>(left);
  return (T(1) - down) * (T(1) - right) * pixel_or_zero(l, x, i, j) +
         (T(1) - down) * right * pixel_or_zero(l, x, i, j + 1) + down * (T(1) - right) * pixel_or_zero(l, x, i + 1, j) +
         down * right * pixel_or_zero(l, x, i + 1, j + 1);
}

// The samples of one group's channels under the output pixel (n, h, w).
template <class L, class T>
AOTC_INLINE void deform_samples(const L& l, const T* x, const T* offset, const T* mask, T* sample, int n, int g, int h,
                                int w) {
  const std::ptrdiff_t pixels = static_cast<std::ptrdiff_t>(l.out_h) * l.out_w, pixel = h * l.out_w + w;
  const int taps = l.kernel_h * l.kernel_w, per_offset = l.groups * l.channels / l.offset_groups;
  for (int c = 0; c < l.channels; ++c) {
    const int channel = g * l.channels + c;
    const std::ptrdiff_t first = (static_cast<std::ptrdiff_t>(n) * l.offset_groups + channel / per_offset) * taps;
    const T* const image = x + (static_cast<std::ptrdiff_t>(n) * l.groups * l.channels + channel) * l.in_h * l.in_w;
    for (int k = 0; k < taps; ++k) {
      const T down = offset[(2 * (first + k)) * pixels + pixel], right = offset[(2 * (first + k) + 1) * pixels + pixel];
      const T row = static_cast<T>(h * l.stride_h - l.pad_top + k / l.kernel_w * l.dilation_h) + down;
      const T column = static_cast<T>(w * l.stride_w - l.pad_left + k % l.kernel_w * l.dilation_w) + right;
      const T value = between_pixels(l, image, row, column);
      sample[c * taps + k] = l.has_mask != 0 ? value * mask[(first + k) * pixels + pixel] : value;
    }
  }
}

}  // namespace detail

template <class L>
constexpr int deform_conv_units(const L& l) {
  return detail::deform_blocks(l).count();
}

template <class L, class T>
void deform_conv(const L& l, const T* x, const T* w, const T* offset, const T* mask, T* y, void* scratch, Part part) {
  T* const sample = static_cast<T*>(scratch);
  const int pixels = l.out_h * l.out_w, count = l.channels * l.kernel_h * l.kernel_w;
  for_each_block(detail::deform_blocks(l), part, [&](int begin, int end, int, int) AOTC_INLINE_LAMBDA {
    for (int at = begin; at < end; ++at) {
      const int n = at / pixels, pixel = at % pixels;
      for (int g = 0; g < l.groups; ++g) {
        detail::deform_samples(l, x, offset, mask, sample, n, g, pixel / l.out_w, pixel % l.out_w);
        for (int f = g * l.filters; f < (g + 1) * l.filters; ++f) {
          const T* const weights = w + static_cast<std::ptrdiff_t>(f) * count;
          y[(static_cast<std::ptrdiff_t>(n) * l.groups * l.filters + f) * pixels + pixel] =
              fold_row<T>(count, Sum{}, [&](int i, auto lanes) AOTC_INLINE_LAMBDA {
                return load(weights + i, lanes) * load(static_cast<const T*>(sample) + i, lanes);
              });
        }
      }
    }
  });
}

AOTC_KERNELS_END
