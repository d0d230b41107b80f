// One row times a packed matrix, f32: y[n] = sum over k of x[k] * w[n / 16][k][n % 16]; weights may be halves, bfloat16
// in pairs. Every weight is read once, in order, so the speed is that of the memory; the sums of a panel are kept apart
// by k modulo a few steps to hide the latency of fma.
#pragma once
#include "register_tile.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

// sum[j] += x * (the weights of one step of k), for all vectors of a panel.
template <int Vectors, class W>
AOTC_INLINE void gemv_step(const float* x, const W* w, Vec<float> (&sum)[Vectors]) {
  AOTC_UNROLL(16)
  for (int j = 0; j < Vectors; ++j) sum[j] = fma(broadcast(x, Full{}), load(w + j * vec_lanes<float>, Full{}), sum[j]);
}
// The same for two steps; where x ends with the first one, the second is not read.
template <int Vectors>
AOTC_INLINE void gemv_pair(const float* x, const BFloat16* w, bool is_whole, Vec<float> (&first)[Vectors],
                           Vec<float> (&second)[Vectors]) {
  AOTC_UNROLL(16)
  for (int j = 0; j < Vectors; ++j) {
    const BFloat16* column = w + j * 2 * vec_lanes<float>;
    first[j] = fma(broadcast(x, Full{}), load_first(column), first[j]);
    if (is_whole) second[j] = fma(broadcast(x + 1, Full{}), load_second(column), second[j]);
  }
}

// Sums of a panel over all k: those of k modulo Steps apart, what is left over in the first of them.
template <int Steps, int Vectors, class W>
AOTC_INLINE void gemv_sums(const float* x, const W* w, int k, Vec<float> (&sum)[Steps][Vectors]) {
  int i = 0;
  if constexpr (PackedDepth<W>::in_pairs) {
    constexpr int step = max_of(Steps, 2);
    AOTC_UNROLL(1)
    for (; i + step <= k; i += step, w += step * panel_channels) {
      AOTC_UNROLL(8)
      for (int s = 0; s < step; s += 2)
        gemv_pair(x + i + s, w + s * panel_channels, true, sum[s % Steps], sum[(s + 1) % Steps]);
    }
    AOTC_UNROLL(1)
    for (; i < k; i += 2, w += 2 * panel_channels) gemv_pair(x + i, w, i + 1 < k, sum[0], sum[0]);
  } else {
    AOTC_UNROLL(1)
    for (; i + Steps <= k; i += Steps, w += Steps * panel_channels) {
      AOTC_UNROLL(8)
      for (int s = 0; s < Steps; ++s) gemv_step(x + i + s, w + s * panel_channels, sum[s]);
    }
    AOTC_UNROLL(1)
    for (; i < k; ++i, w += panel_channels) gemv_step(x + i, w, sum[0]);
  }
}

// The panel `w` of `k` rows of 16, of which `columns` (1..16) are wanted: finish(sums, lanes, first column).
template <class W, class Finish>
AOTC_INLINE void gemv_panel(const float* x, const W* w, int k, int columns, Finish finish) {
  constexpr int lanes = vec_lanes<float>, vectors = max_of(panel_channels / lanes, 1);
  constexpr int steps = max_of(8 / vectors, 1);
  Vec<float> sum[steps][vectors];
  clear(sum);
  gemv_sums(x, w, k, sum);
  AOTC_UNROLL(16)
  for (int j = 0; j < vectors; ++j) {
    AOTC_UNROLL(4)
    for (int half = steps / 2; half > 0; half /= 2) {
      AOTC_UNROLL(8)
      for (int s = 0; s < half; ++s) sum[s][j] = sum[s][j] + sum[s + half][j];
    }
    const int valid = columns - j * lanes;
    if (valid >= lanes)
      finish(sum[0][j], Full{}, j * lanes);
    else if (valid > 0)
      finish(sum[0][j], Tail{valid}, j * lanes);
  }
}

}  // namespace detail

// x [k], w packed [ceil(n / 16)][k][16], y [n]; the units are panels. epilogue(sum, lanes, column) returns
// what is stored.
template <class W, class Y, class Epilogue>
AOTC_INLINE void gemv(int n, int k, const float* x, const W* w, Y* y, Part part, const Epilogue& epilogue) {
  for (int panel = part.begin; panel < part.end; ++panel) {
    const int first = panel * panel_channels;
    detail::gemv_panel(x, w + std::ptrdiff_t{first} * PackedDepth<W>::rows(k), k, min_of(panel_channels, n - first),
                       [&](Vec<float> sum, auto lanes, int column) AOTC_INLINE_LAMBDA {
                         store(y + first + column, epilogue(sum, lanes, first + column), lanes);
                       });
  }
}

AOTC_KERNELS_END
