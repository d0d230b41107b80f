// Separable resizing of images, channels last: nearest, linear, cubic and antialiased resizing are all tables of taps.
//
//   y[n][h][w][c] = sum over i, j of weight_h[h][i] * weight_w[w][j] * x[n][index_h[h][i]][index_w[w][j]][c]
//
// Layout: batch, in_h, in_w, out_h, out_w, channels, taps_h, taps_w (constexpr), in_image, in_row, in_pixel, out_image,
// out_row, out_pixel (elements). Tables, made when the code was generated: int32 index_h [out_h][taps_h] in [0, in_h),
// float weight_h of the same shape, and likewise for w. With one tap each way (nearest) values are copied and the
// weights are not read: they may be null, and elements may be of any trivially copyable type; they are float or double
// elsewhere, or bytes that are read as floats (dequantized.hpp). x and y do not overlap.
// epilogue(value, lanes, n, h, w, c) returns what is stored, as y's type.
#pragma once
#include <cstring>

#include "reduce.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

template <class L>
constexpr Blocks resize_blocks(const L& l) {
  const Blocks rows = blocks_of(l.batch * l.out_h, l.out_w * l.channels, l.taps_h * l.taps_w);
  return {rows.rows, 1, rows.block_rows, 1};
}

// One output pixel from the pixels at x + offset[t], t < taps.
template <int Taps, class L, class X, class T, class Y, class Epilogue>
AOTC_INLINE void resize_pixel(const L& l, X x, const std::ptrdiff_t* offset, const T* weight, Y* y, int n, int h, int w,
                              const Epilogue& epilogue) {
  for_each_vector<T>(l.channels, [&](int c, auto lanes) AOTC_INLINE_LAMBDA {
    Vec<T> sum = load(x + (offset[0] + c), lanes);
    if constexpr (Taps > 1) {
      sum = sum * Vec<T>(weight[0]);
      AOTC_UNROLL(16)
      for (int t = 1; t < Taps; ++t) sum = fma(Vec<T>(weight[t]), load(x + (offset[t] + c), lanes), sum);
    }
    store(y + c, epilogue(sum, lanes, n, h, w, c), lanes);
  });
}

}  // namespace detail

template <class L>
constexpr int resize2d_units(const L& l) {
  return detail::resize_blocks(l).count();
}

template <class L, class X, class Y, class Epilogue = Identity>
void resize2d(const L& l, X x, const std::int32_t* index_h, const float* weight_h, const std::int32_t* index_w,
              const float* weight_w, Y* y, Part part, const Epilogue& epilogue = {}) {
  using T = value_of<X>;
  constexpr int taps = L::taps_h * L::taps_w;
  constexpr bool floats = std::is_floating_point_v<T>;
  static_assert(floats || (taps == 1 && std::is_same_v<Epilogue, Identity>), "only nearest resizing takes other types");
  for_each_block(detail::resize_blocks(l), part, [&](int row_begin, int row_end, int, int) AOTC_INLINE_LAMBDA {
    for (int row = row_begin; row < row_end; ++row) {
      const int n = row / l.out_h, h = row % l.out_h;
      const X image = x + static_cast<std::ptrdiff_t>(n) * l.in_image;
      Y* to = y + static_cast<std::ptrdiff_t>(n) * l.out_image + static_cast<std::ptrdiff_t>(h) * l.out_row;
      for (int w = 0; w < l.out_w; ++w, to += l.out_pixel) {
        std::ptrdiff_t offset[taps];
        T weight[taps];
        AOTC_UNROLL(16)
        for (int t = 0; t < taps; ++t) {
          const int i = h * L::taps_h + t / L::taps_w, j = w * L::taps_w + t % L::taps_w;
          offset[t] =
              static_cast<std::ptrdiff_t>(index_h[i]) * l.in_row + static_cast<std::ptrdiff_t>(index_w[j]) * l.in_pixel;
          if constexpr (taps > 1) weight[t] = static_cast<T>(weight_h[i] * weight_w[j]);
        }
        if constexpr (floats)
          detail::resize_pixel<taps>(l, image, offset, weight, to, n, h, w, epilogue);
        else
          std::memcpy(to, image + offset[0], static_cast<std::size_t>(l.channels) * sizeof(T));
      }
    }
  });
}

AOTC_KERNELS_END
