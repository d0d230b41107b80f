// Squared Euclidean distances between the rows of x [rows][length] and the columns of points [length][count], f32:
// y [rows][count] = sum over k of (x[r][k] - points[k][c])^2, added up in the order of k. Layout: rows, length, count.
//
// Never as |x|^2 - 2 x p + |p|^2, which loses all digits where the points lie close together and far from the origin.
#pragma once
#include "math.hpp"
#include "split.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

template <class L>
constexpr Blocks distance_blocks(const L& l) {
  return blocks_of(l.rows, l.count, max_of(1, min_of(unit_elements, l.length / 8)));
}

// `vectors` vectors of columns from `points` on, the last of which has the lanes of `lanes`.
template <int vectors, class L, class Lanes>
AOTC_INLINE void distances_to(const L& l, const float* x, const float* points, float* y, Lanes lanes) {
  constexpr int width = vec_lanes<float>;
  Vec<float> sum[vectors];
  AOTC_UNROLL(4)
  for (int v = 0; v < vectors; ++v) sum[v] = Vec<float>(0.0f);
  AOTC_UNROLL(1)
  for (int k = 0; k < l.length; ++k, points += l.count) {
    const Vec<float> value = broadcast(x + k, Full{});
    AOTC_UNROLL(4)
    for (int v = 0; v < vectors; ++v) {
      const Vec<float> difference = value - load(points + v * width, lanes);
      sum[v] = fma(difference, difference, sum[v]);
    }
  }
  AOTC_UNROLL(4)
  for (int v = 0; v < vectors; ++v) store(y + v * width, sum[v], lanes);
}

}  // namespace detail

template <class L>
constexpr int squared_distances_units(const L& l) {
  return detail::distance_blocks(l).count();
}

template <class L>
void squared_distances(const L& l, const float* x, const float* points, float* y, Part part) {
  constexpr int width = vec_lanes<float>, several = 4;
  for_each_block(detail::distance_blocks(l), part, [&](int row_begin, int row_end, int begin, int end) {
    for (int r = row_begin; r < row_end; ++r) {
      const float* row = x + static_cast<std::ptrdiff_t>(r) * l.length;
      float* to = y + static_cast<std::ptrdiff_t>(r) * l.count;
      int c = begin;
      for (; c + several * width <= end; c += several * width)
        detail::distances_to<several>(l, row, points + c, to + c, Full{});
      for (; c + width <= end; c += width) detail::distances_to<1>(l, row, points + c, to + c, Full{});
      if (c < end) detail::distances_to<1>(l, row, points + c, to + c, Tail{end - c});
    }
  });
}

AOTC_KERNELS_END
