// Images sampled at given places, with interpolation; planar, two or three spatial dimensions. float or double.
//
//   x [batch][channels][in...], grid [batch][points][rank] in -1 ... 1, the last dimension first
//     -> y [batch][channels][points]
//
// Layout: batch, channels, points, rank (2 or 3), in[3] (missing dimensions first, extent 1), mode (0 nearest, 1
// linear, 2 cubic), padding (0 zeros, 1 border, 2 reflection), align_corners (0 or 1: -1 and 1 are the centres
// of the outermost pixels, otherwise their outer edges). A place of NaN counts as one far outside. x, grid and y
// do not overlap.
#pragma once
#include "math.hpp"
#include "split.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

constexpr int grid_zeros = 0, grid_border = 1, grid_reflection = 2;
constexpr int grid_nearest = 0, grid_linear = 1, grid_cubic = 2;
// Positions beyond this are all the same: far outside, and still integers.
constexpr int grid_far = 1 << 28;

// Whole numbers that floats of any size, infinities and NaN become.
template <class T>
AOTC_INLINE int whole(T value) {
  if (!(value > static_cast<T>(-grid_far))) return -grid_far;
  return value < static_cast<T>(grid_far) ? static_cast<int>(value) : grid_far;
}

// Folded back at the edges until it lies in [low, high].
template <class T>
AOTC_INLINE T reflected(T x, T low, T high) {
  const T range = high - low;
  const bool is_below = x < low;
  const T beyond = is_below ? low - x : x - high;
  if (!(beyond > T(0))) return x;
  if (!(range > T(0)) || !(beyond < static_cast<T>(grid_far))) return low;
  const int turns = static_cast<int>(beyond / range);
  const T rest = beyond - static_cast<T>(turns) * range;
  return (turns % 2 == 0) == is_below ? low + rest : high - rest;
}

// The pixels along one dimension that a place takes part in, -1 for one that counts as zero, and their weights.
template <class T>
struct GridTaps {
  int count = 1;
  int index[4] = {0, 0, 0, 0};
  T weight[4] = {T(1), T(0), T(0), T(0)};
};

// Keys' cubic convolution with a = -0.75 for the four neighbours of a point at `t` between the middle two.
template <class T>
AOTC_INLINE void cubic_weights(T t, T (&weight)[4]) {
  const T a = T(-0.75), s = T(1) - t;
  weight[0] = ((a * (t + T(1)) - T(5) * a) * (t + T(1)) + T(8) * a) * (t + T(1)) - T(4) * a;
  weight[1] = ((a + T(2)) * t - (a + T(3))) * t * t + T(1);
  weight[2] = ((a + T(2)) * s - (a + T(3))) * s * s + T(1);
  weight[3] = ((a * (s + T(1)) - T(5) * a) * (s + T(1)) + T(8) * a) * (s + T(1)) - T(4) * a;
}

template <class T>
struct GridEdges {
  T low, high;
};
template <class L, class T>
AOTC_INLINE GridEdges<T> grid_edges(const L& l, int extent) {
  if (l.align_corners != 0) return {T(0), static_cast<T>(extent - 1)};
  return {T(-0.5), static_cast<T>(extent) - T(0.5)};
}

// The pixel that stands for position `i`: itself, or what the padding makes of it.
template <class L, class T>
AOTC_INLINE int grid_pixel(const L& l, int i, int extent, GridEdges<T> edges) {
  if (i >= 0 && i < extent) return i;
  if (l.padding == grid_zeros) return -1;
  if (l.padding == grid_reflection) i = whole(reflected(static_cast<T>(i), edges.low, edges.high));
  return i < 0 ? 0 : i < extent ? i : extent - 1;
}

// `n` is the place in -1 ... 1.
template <class L, class T>
AOTC_INLINE GridTaps<T> grid_taps(const L& l, T n, int extent) {
  const T length = static_cast<T>(extent);
  const GridEdges<T> edges = grid_edges<L, T>(l, extent);
  T x = l.align_corners != 0 ? (n + T(1)) / T(2) * (length - T(1)) : ((n + T(1)) * length - T(1)) / T(2);
  if (l.mode == grid_nearest) x = round_even(x);
  if (l.padding == grid_border)
    x = x < T(0) ? T(0) : x > length - T(1) ? length - T(1) : x;
  else if (l.padding == grid_reflection)
    x = reflected(x, edges.low, edges.high);
  GridTaps<T> taps;
  if (l.mode == grid_nearest) {
    taps.index[0] = grid_pixel<L, T>(l, whole(x), extent, edges);
    return taps;
  }
  const T base = floor(x);
  const int first = whole(base);
  const T t = x - base;
  taps.count = l.mode == grid_linear ? 2 : 4;
  if (l.mode == grid_linear) {
    taps.weight[0] = T(1) - t;
    taps.weight[1] = t;
  } else {
    cubic_weights(t, taps.weight);
  }
  const int before = l.mode == grid_linear ? 0 : 1;
  for (int k = 0; k < taps.count; ++k) taps.index[k] = grid_pixel<L, T>(l, first - before + k, extent, edges);
  return taps;
}

// One channel at a place.
template <class L, class T>
AOTC_INLINE T grid_value(const L& l, const T* x, const GridTaps<T> (&taps)[3]) {
  T total = T(0);
  for (int a = 0; a < taps[0].count; ++a) {
    T plane = T(0);
    for (int b = 0; b < taps[1].count; ++b) {
      T line = T(0);
      for (int c = 0; c < taps[2].count; ++c) {
        const int i = taps[0].index[a], j = taps[1].index[b], k = taps[2].index[c];
        if (i < 0 || j < 0 || k < 0) continue;
        line += taps[2].weight[c] * x[(static_cast<std::ptrdiff_t>(i) * l.in[1] + j) * l.in[2] + k];
      }
      plane += taps[1].weight[b] * line;
    }
    total += taps[0].weight[a] * plane;
  }
  return total;
}

template <class L>
constexpr Blocks grid_blocks(const L& l) {
  return {l.batch * l.points, 1, max_of(1, unit_elements / (16 * (l.channels + 2))), 1};
}

}  // namespace detail

template <class L>
constexpr int grid_sample_units(const L& l) {
  return detail::grid_blocks(l).count();
}

template <class L, class T>
void grid_sample(const L& l, const T* x, const T* grid, T* y, Part part) {
  const std::ptrdiff_t image = static_cast<std::ptrdiff_t>(l.in[0]) * l.in[1] * l.in[2];
  detail::GridTaps<T> taps[3];
  for_each_block(detail::grid_blocks(l), part, [&](int begin, int end, int, int) AOTC_INLINE_LAMBDA {
    for (int at = begin; at < end; ++at) {
      const T* const place = grid + static_cast<std::ptrdiff_t>(at) * l.rank;
      for (int d = 0; d < l.rank; ++d) taps[2 - d] = detail::grid_taps(l, place[d], l.in[2 - d]);
      const std::ptrdiff_t channel = static_cast<std::ptrdiff_t>(at / l.points) * l.channels;
      for (int c = 0; c < l.channels; ++c)
        y[(channel + c) * l.points + at % l.points] = detail::grid_value(l, x + (channel + c) * image, taps);
    }
  });
}

AOTC_KERNELS_END
