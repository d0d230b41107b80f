// Max and average pooling over windows of pixels, channels last; vectors run over the channels.
//
//   x [batch][in_h][in_w][in_channels] -> y [batch][out_h][out_w][in_channels]; distances are the layout's
//
// Layout: batch, in_h, in_w, in_channels, out_h, out_w, kernel_h, kernel_w, stride_h, stride_w, dilation_h, dilation_w,
// pad_top, pad_left, in_image, in_row, in_pixel, out_image, out_row, out_pixel (elements); average_pool2d also has
// count_include_pad (0 or 1), pad_bottom, pad_right. kernel_w is constexpr. Taps outside the image are skipped: a
// window with none gives -inf (max) or NaN (average). Cells past the padded edge never count. epilogue(value, lanes, n,
// h, w, c) returns what is stored, as y's type. max_pool2d: float, double and integers, a NaN in the window gives NaN.
// average_pool2d: float and double. Bytes may be read as floats (dequantized.hpp). x and y do not overlap.
#pragma once
#include "reduce.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

// The taps [begin, end) of a window along one axis that fall inside [0, size), the first tap being at `origin`.
struct Taps {
  int begin, end;
  constexpr int count() const { return end - begin; }
};

constexpr Taps taps_inside(int origin, int kernel, int dilation, int size) {
  const int begin = origin < 0 ? min_of(kernel, ceil_div(-origin, dilation)) : 0;
  return {begin, max_of(begin, origin < size ? min_of(kernel, ceil_div(size - origin, dilation)) : 0)};
}

// Whether no window of the layout reaches outside the image; a constant wherever the layout is.
template <class L>
constexpr bool pool_always_inside(const L& l) {
  return l.pad_top <= 0 && l.pad_left <= 0 &&
         (l.out_h - 1) * l.stride_h - l.pad_top + (l.kernel_h - 1) * l.dilation_h < l.in_h &&
         (l.out_w - 1) * l.stride_w - l.pad_left + (l.kernel_w - 1) * l.dilation_w < l.in_w;
}

template <class L>
constexpr Blocks pool_blocks(const L& l) {
  return blocks_of(l.batch * l.out_h, l.in_channels, max_of(1, l.out_w * l.kernel_h * l.kernel_w));
}

// Folds the taps of one window, `Columns` vectors of channels side by side; x is at tap (0, 0), which may lie outside.
// Each column of taps is folded by itself, as ONNX Runtime does it: so sums of dequantized bytes, which are exact but
// for their rounding, fall on the same side of a tie. Wide windows take several columns at once where there is a single
// vector, since one chain would wait for itself.
template <int Columns, class L, class X, class V, class Op, class Lanes>
AOTC_INLINE void pool_window(const L& l, X x, Taps taps_h, Taps taps_w, const Op& op, Lanes lanes,
                             V (&total)[Columns]) {
  using T = value_of<X>;
  constexpr int chains = Columns == 1 && L::kernel_w >= 7 && !std::is_integral_v<V> ? 4 : 1;
  const V identity = splat<V>(Op::template identity<T>());
  V sum[chains * Columns];
  AOTC_UNROLL(4)
  for (V& s : sum) s = identity;
  const std::ptrdiff_t row_step = static_cast<std::ptrdiff_t>(l.dilation_h) * l.in_row;
  const std::ptrdiff_t step = static_cast<std::ptrdiff_t>(l.dilation_w) * l.in_pixel;
  const auto fold = [&](X column, int chain) AOTC_INLINE_LAMBDA {
    AOTC_UNROLL(4)
    for (int u = 0; u < Columns; ++u) {
      V folded = identity;
      for (int kh = taps_h.begin; kh < taps_h.end; ++kh)
        folded = op(folded, load(column + kh * row_step + u * fold_lanes_of<T>, lanes));
      sum[chain + u] = op(sum[chain + u], folded);
    }
  };
  int kw = taps_w.begin;
  if constexpr (chains > 1) {
    for (; kw + chains <= taps_w.end; kw += chains) {
      AOTC_UNROLL(4)
      for (int j = 0; j < chains; ++j) fold(x + (kw + j) * step, j);
    }
  }
  for (; kw < taps_w.end; ++kw) fold(x + kw * step, 0);
  AOTC_UNROLL(4)
  for (int u = 0; u < Columns; ++u) total[u] = sum[u];
  if constexpr (chains > 1) total[0] = op(op(sum[0], sum[1]), op(sum[2], sum[3]));
}

// All channels [begin, end) of output pixel (n, h, w); finish(total) makes the pooled value of a window.
template <class L, class X, class Y, class Op, class Finish, class Epilogue>
AOTC_INLINE void pool_pixel(const L& l, X x, Y* y, int n, int h, int w, int begin, int end, Taps taps_h, Taps taps_w,
                            const Op& op, const Finish& finish, const Epilogue& epilogue) {
  using T = value_of<X>;
  for_each_columns<T>(begin, end, [&](int c, auto columns, auto lanes) AOTC_INLINE_LAMBDA {
    constexpr int count = decltype(columns)::value;
    FoldVec<T> total[count];
    pool_window(l, x + c, taps_h, taps_w, op, lanes, total);
    AOTC_UNROLL(4)
    for (int u = 0; u < count; ++u) {
      const int channel = c + u * fold_lanes_of<T>;
      store(y + channel, epilogue(finish(total[u]), lanes, n, h, w, channel), lanes);
    }
  });
}

// Calls pixel(x, y, n, h, w, begin, end, taps_h, taps_w) for the output pixels of `part` and the channels [begin, end).
// Windows that lie inside get their extents as constants.
template <class L, class X, class Y, class Pixel>
AOTC_INLINE void for_each_window(const L& l, X x, Y* y, Part part, const Pixel& pixel) {
  for_each_block(pool_blocks(l), part, [&](int row_begin, int row_end, int begin, int end) AOTC_INLINE_LAMBDA {
    for (int row = row_begin; row < row_end; ++row) {
      const int n = row / l.out_h, h = row % l.out_h;
      const int in_h = h * l.stride_h - l.pad_top;
      const Taps taps_h = taps_inside(in_h, l.kernel_h, l.dilation_h, l.in_h);
      for (int w = 0; w < l.out_w; ++w) {
        const int in_w = w * l.stride_w - l.pad_left;
        const Taps taps_w = taps_inside(in_w, l.kernel_w, l.dilation_w, l.in_w);
        const X from = x + (static_cast<std::ptrdiff_t>(n) * l.in_image + static_cast<std::ptrdiff_t>(in_h) * l.in_row +
                            static_cast<std::ptrdiff_t>(in_w) * l.in_pixel);
        Y* const to = y + static_cast<std::ptrdiff_t>(n) * l.out_image + static_cast<std::ptrdiff_t>(h) * l.out_row +
                      static_cast<std::ptrdiff_t>(w) * l.out_pixel;
        if (pool_always_inside(l) || (taps_h.count() == l.kernel_h && taps_w.count() == l.kernel_w))
          pixel(from, to, n, h, w, begin, end, Taps{0, l.kernel_h}, Taps{0, l.kernel_w});
        else
          pixel(from, to, n, h, w, begin, end, taps_h, taps_w);
      }
    }
  });
}

// How many cells of a window the average divides by: those inside the image, or inside its padding as well.
template <class L>
AOTC_INLINE int average_cells(const L& l, int h, int w, Taps taps_h, Taps taps_w) {
  if (l.count_include_pad == 0) return taps_h.count() * taps_w.count();
  return taps_inside(h * l.stride_h, l.kernel_h, l.dilation_h, l.pad_top + l.in_h + l.pad_bottom).count() *
         taps_inside(w * l.stride_w, l.kernel_w, l.dilation_w, l.pad_left + l.in_w + l.pad_right).count();
}

}  // namespace detail

template <class L>
constexpr int max_pool2d_units(const L& l) {
  return detail::pool_blocks(l).count();
}

template <class L>
constexpr int average_pool2d_units(const L& l) {
  return detail::pool_blocks(l).count();
}

template <class L, class X, class Y, class Epilogue = Identity>
void max_pool2d(const L& l, X x, Y* y, Part part, const Epilogue& epilogue = {}) {
  detail::for_each_window(
      l, x, y, part,
      [&](X from, Y* to, int n, int h, int w, int begin, int end, detail::Taps taps_h, detail::Taps taps_w)
          AOTC_INLINE_LAMBDA {
            detail::pool_pixel(l, from, to, n, h, w, begin, end, taps_h, taps_w, Max{}, Identity{}, epilogue);
          });
}

template <class L, class X, class Y, class Epilogue = Identity>
void average_pool2d(const L& l, X x, Y* y, Part part, const Epilogue& epilogue = {}) {
  using T = value_of<X>;
  detail::for_each_window(
      l, x, y, part,
      [&](X from, Y* to, int n, int h, int w, int begin, int end, detail::Taps taps_h, detail::Taps taps_w)
          AOTC_INLINE_LAMBDA {
            const T scale = T(1) / static_cast<T>(detail::average_cells(l, h, w, taps_h, taps_w));
            const auto finish = [&](auto sum) AOTC_INLINE_LAMBDA { return sum * splat<decltype(sum)>(scale); };
            detail::pool_pixel(l, from, to, n, h, w, begin, end, taps_h, taps_w, Sum{}, finish, epilogue);
          });
}

AOTC_KERNELS_END
