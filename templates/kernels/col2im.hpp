// Blocks laid out as images, summed where they overlap: x [images][block...][positions...],
// y [images][image...], all contiguous.
//
//   y[p * stride + k * dilation - pad] += x[k][p]
//   for every cell k of a block and every position p, where it lies inside
//
// Layout: images, rank, and arrays of rank: image, block, positions, stride, dilation, pad (before). Sums are in the
// order of k, then p. T: any type of numbers. Buffers do not overlap.
#pragma once
#include "scalar.hpp"
#include "split.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

template <int Rank>
constexpr int volume(const int (&extent)[Rank]) {
  int count = 1;
  for (int d = 0; d < Rank; ++d) count *= extent[d];
  return count;
}

template <class L>
constexpr Blocks col2im_blocks(const L& l) {
  const std::int64_t work = static_cast<std::int64_t>(volume(l.block)) * volume(l.positions) + volume(l.image);
  return {l.images, 1, static_cast<int>(work < unit_elements ? unit_elements / (work < 1 ? 1 : work) : 1), 1};
}

template <class T>
AOTC_INLINE T sum_of(T a, T b) {
  if constexpr (std::is_integral_v<T>)
    return wrapping_add(a, b);
  else
    return a + b;
}

// Position `index` of a space, the last dimension fastest.
template <int Rank>
AOTC_INLINE void decode(int index, const int (&extent)[Rank], int (&place)[Rank]) {
  for (int d = Rank - 1; d >= 0; --d) {
    place[d] = index % extent[d];
    index /= extent[d];
  }
}

template <class L, class T>
void col2im_image(const L& l, const T* x, T* y) {
  constexpr int rank = L::rank;
  const int cells = volume(l.block), positions = volume(l.positions), pixels = volume(l.image);
  for (int i = 0; i < pixels; ++i) y[i] = T(0);
  int cell[rank], position[rank];
  for (int k = 0; k < cells; ++k) {
    decode(k, l.block, cell);
    for (int p = 0; p < positions; ++p) {
      decode(p, l.positions, position);
      bool is_inside = true;
      std::ptrdiff_t at = 0;
      for (int d = 0; d < rank; ++d) {
        const int place = position[d] * l.stride[d] + cell[d] * l.dilation[d] - l.pad[d];
        is_inside &= place >= 0 && place < l.image[d];
        at = at * l.image[d] + place;
      }
      if (is_inside) y[at] = sum_of(y[at], x[static_cast<std::ptrdiff_t>(k) * positions + p]);
    }
  }
}

}  // namespace detail

template <class L>
constexpr int col2im_units(const L& l) {
  return detail::col2im_blocks(l).count();
}

template <class L, class T>
void col2im(const L& l, const T* x, T* y, Part part) {
  const std::ptrdiff_t columns = static_cast<std::ptrdiff_t>(detail::volume(l.block)) * detail::volume(l.positions);
  const std::ptrdiff_t pixels = detail::volume(l.image);
  for_each_block(detail::col2im_blocks(l), part, [&](int begin, int end, int, int) {
    for (int i = begin; i < end; ++i) detail::col2im_image(l, x + i * columns, y + i * pixels);
  });
}

AOTC_KERNELS_END
