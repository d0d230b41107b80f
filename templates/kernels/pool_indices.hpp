// Max pooling that tells where its maxima lie, and its inverse; planar images of up to three spatial dimensions.
//
//   max_pool_indices  x [images][in...] -> y, indices [images][out...]
//   max_unpool        x, indices [count] -> y [size]: zeros, but for y[indices[i]] = x[i]
//
// max_pool_indices' layout: images, and arrays of three: in, out, kernel, stride, dilation, pad (before), index_stride;
// missing dimensions come first, with extent 1. An index is image * (elements of an image) + the sum of position *
// index_stride. Of equal elements the first is taken, a NaN before all numbers. max_unpool's layout: count, size;
// indices outside [0, size) write nothing, of equal ones the last element counts. T: any type of numbers. Buffers do
// not overlap.
#pragma once
#include "conv_nd.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

template <class L>
constexpr Blocks pool_indices_blocks(const L& l) {
  const int window = l.kernel[0] * l.kernel[1] * l.kernel[2];
  return {l.images * l.out[0] * l.out[1] * l.out[2], 1, max_of(1, unit_elements / window), 1};
}

// The largest element of a window and its index within the image.
template <class L, class T>
AOTC_INLINE void largest_in_window(const L& l, const Window3& window, const T* x, T& most, std::int64_t& index) {
  bool is_first = true;
  for (int k0 = window.taps[0].begin; k0 < window.taps[0].end; ++k0)
    for (int k1 = window.taps[1].begin; k1 < window.taps[1].end; ++k1)
      for (int k2 = window.taps[2].begin; k2 < window.taps[2].end; ++k2) {
        const int i0 = window.origin[0] + k0 * l.dilation[0], i1 = window.origin[1] + k1 * l.dilation[1],
                  i2 = window.origin[2] + k2 * l.dilation[2];
        const T value = x[(static_cast<std::ptrdiff_t>(i0) * l.in[1] + i1) * l.in[2] + i2];
        if (!is_first && !(value > most) && !(value != value && most == most)) continue;
        is_first = false;
        most = value;
        index = static_cast<std::int64_t>(i0) * l.index_stride[0] + static_cast<std::int64_t>(i1) * l.index_stride[1] +
                static_cast<std::int64_t>(i2) * l.index_stride[2];
      }
}

}  // namespace detail

template <class L>
constexpr int max_pool_indices_units(const L& l) {
  return detail::pool_indices_blocks(l).count();
}

template <class L, class T>
void max_pool_indices(const L& l, const T* x, T* y, std::int64_t* indices, Part part) {
  const int pixels = l.out[0] * l.out[1] * l.out[2];
  const std::ptrdiff_t image = static_cast<std::ptrdiff_t>(l.in[0]) * l.in[1] * l.in[2];
  for_each_block(detail::pool_indices_blocks(l), part, [&](int begin, int end, int, int) AOTC_INLINE_LAMBDA {
    for (int at = begin; at < end; ++at) {
      T most = Max::identity<T>();
      std::int64_t index = 0;
      detail::largest_in_window(l, detail::Window3(l, at % pixels), x + at / pixels * image, most, index);
      y[at] = most;
      indices[at] = at / pixels * image + index;
    }
  });
}

template <class L>
constexpr int max_unpool_units(const L&) {
  return 1;  // an index may name any place
}

template <class L, class T>
void max_unpool(const L& l, const T* x, const std::int64_t* indices, T* y, Part part) {
  if (part.begin == part.end) return;
  for (int i = 0; i < l.size; ++i) y[i] = T(0);
  for (int i = 0; i < l.count; ++i)
    if (indices[i] >= 0 && indices[i] < l.size) y[indices[i]] = x[i];
}

AOTC_KERNELS_END
