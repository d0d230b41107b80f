// One row times a packed matrix, f32: y[n] = sum over k of x[k] * w[n / 16][k][n % 16]. Every weight is read once, in
// order, so the speed is that of the memory; the sums of a panel are kept apart by k modulo a few steps to hide the
// latency of fma.
#pragma once
#include "register_tile.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

// The panel `w` of `k` rows of 16, of which `columns` (1..16) are wanted: finish(sums, lanes, first column).
template <class Finish>
AOTC_INLINE void gemv_panel(const float* x, const float* w, int k, int columns, Finish finish) {
  constexpr int lanes = vec_lanes<float>, vectors = max_of(panel_channels / lanes, 1);
  constexpr int steps = max_of(8 / vectors, 1);
  Vec<float> sum[steps][vectors];
  AOTC_UNROLL(8)
  for (int s = 0; s < steps; ++s) {
    AOTC_UNROLL(16)
    for (int j = 0; j < vectors; ++j) sum[s][j] = Vec<float>(0.0f);
  }
  int i = 0;
  AOTC_UNROLL(1)
  for (; i + steps <= k; i += steps, w += steps * panel_channels) {
    AOTC_UNROLL(8)
    for (int s = 0; s < steps; ++s) {
      const Vec<float> value = broadcast(x + i + s, Full{});
      AOTC_UNROLL(16)
      for (int j = 0; j < vectors; ++j)
        sum[s][j] = fma(value, load(w + s * panel_channels + j * lanes, Full{}), sum[s][j]);
    }
  }
  AOTC_UNROLL(1)
  for (; i < k; ++i, w += panel_channels) {
    AOTC_UNROLL(16)
    for (int j = 0; j < vectors; ++j) sum[0][j] = fma(broadcast(x + i, Full{}), load(w + j * lanes, Full{}), sum[0][j]);
  }
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
template <class Epilogue>
AOTC_INLINE void gemv(int n, int k, const float* x, const float* w, float* y, Part part, const Epilogue& epilogue) {
  for (int panel = part.begin; panel < part.end; ++panel) {
    const int first = panel * panel_channels;
    detail::gemv_panel(x, w + std::ptrdiff_t{first} * k, k, min_of(panel_channels, n - first),
                       [&](Vec<float> sum, auto lanes, int column) AOTC_INLINE_LAMBDA {
                         store(y + first + column, epilogue(sum, lanes, first + column), lanes);
                       });
  }
}

AOTC_KERNELS_END
