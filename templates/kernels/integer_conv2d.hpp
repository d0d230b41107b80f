// 2-D convolution of 8-bit integers, exact: sums of (x - zero point) * w in 32 bits. Any kernel, stride, dilation and
// groups.
//
//   x        [batch][in_h][in_w][in_channels] at in_image, in_row, in_pixel (distances in elements), channels adjacent;
//            unsigned where in_unsigned is 1. Taps outside the image count as the zero point
//   w        [groups][ceil(out_channels / groups / 16)][kernel_h][kernel_w][ceil(in_channels / groups / 2)][16][2],
//            zero filled: neighbouring input channels side by side, weights less their own zero point
//   y        [batch][out_h][out_w][out_channels] at out_image, out_row, out_pixel; must not overlap x
//   scratch  integer_conv2d_scratch_bytes(l) bytes of the calling thread's own, aligned to 64 bytes
//
// All extents but the batch are constants, and so is in_zero_point. epilogue(sum, lanes, n, h, w, c) gets the sums as
// floats and returns whole numbers that fit into 8 bits, signed or unsigned. |w| and |x - zero point| are at most 255,
// so a sum of up to 33,000 products cannot overflow; larger ones wrap around.
//
// A unit is a row of output: the rows of input under it are widened to pairs of 16-bit integers, then convolved as an
// image of one row by conv2d's own tiles.
#pragma once
#include "conv2d.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

// The layout of a row: an image of kernel_h rows, pads included, in pairs.
template <class L>
struct IntegerRow {
  static constexpr int group_channels = L::in_channels / L::groups, group_pairs = ceil_div(group_channels, 2);
  static constexpr int batch = 1, groups = L::groups, in_channels = L::groups * group_pairs;
  static constexpr int in_h = L::kernel_h, in_w = (L::out_w - 1) * L::stride_w + (L::kernel_w - 1) * L::dilation_w + 1;
  static constexpr int out_h = 1, out_w = L::out_w, out_channels = L::out_channels;
  static constexpr int kernel_h = L::kernel_h, kernel_w = L::kernel_w, stride_h = 1, stride_w = L::stride_w;
  static constexpr int dilation_h = 1, dilation_w = L::dilation_w, pad_top = 0, pad_left = 0;
  static constexpr int in_channel = 1, in_pixel = in_channels, in_row = in_w * in_pixel, in_image = 0;
  static constexpr int out_pixel = L::out_pixel, out_row = 0, out_image = 0;
};

// One pixel: x less the zero point, an odd channel at a group's end beside a zero.
template <class L>
AOTC_INLINE void widen_pixel(const std::int8_t* x, std::int16_t* pairs) {
  using Row = IntegerRow<L>;
  for (int g = 0; g < L::groups; ++g) {
    for (int c = 0; c < Row::group_channels; ++c) {
      const int value = L::in_unsigned != 0 ? static_cast<std::uint8_t>(x[c]) : x[c];
      pairs[c] = static_cast<std::int16_t>(value - L::in_zero_point);
    }
    if constexpr (Row::group_channels % 2 != 0) pairs[Row::group_channels] = 0;
    x += Row::group_channels;
    pairs += 2 * Row::group_pairs;
  }
}

// The rows of input under output row `row`.
template <class L>
AOTC_INLINE void widen_rows(const L& l, const std::int8_t* x, int row, std::int16_t* pairs) {
  using Row = IntegerRow<L>;
  constexpr int pixel = 2 * Row::in_pixel;
  for (int kh = 0; kh < L::kernel_h; ++kh) {
    const int in_row = row * L::stride_h - L::pad_top + kh * L::dilation_h;
    const bool is_inside = in_row >= 0 && in_row < L::in_h;
    for (int i = 0; i < Row::in_w; ++i, pairs += pixel) {
      const int column = i - L::pad_left;
      if (is_inside && column >= 0 && column < L::in_w)
        widen_pixel<L>(x + std::ptrdiff_t{in_row} * l.in_row + std::ptrdiff_t{column} * l.in_pixel, pairs);
      else
        std::memset(pairs, 0, pixel * sizeof *pairs);
    }
  }
}

}  // namespace detail

template <class L>
constexpr int integer_conv2d_units(const L& l) {
  return l.batch * L::out_h;
}

template <class L>
constexpr int integer_conv2d_scratch_bytes(const L&) {
  using Row = detail::IntegerRow<L>;
  return Row::in_h * Row::in_w * Row::in_channels * static_cast<int>(sizeof(Int16Pair));
}

template <class L, class Epilogue>
[[gnu::flatten]] void integer_conv2d(const L& l, const std::int8_t* x, const std::int16_t* w, std::int8_t* y,
                                     void* scratch, Part part, const Epilogue& epilogue) {
  constexpr detail::IntegerRow<L> row{};
  std::int16_t* const pairs = static_cast<std::int16_t*>(scratch);
  AOTC_UNROLL(1)
  for (int unit = part.begin; unit < part.end; ++unit) {
    const int n = unit / L::out_h, h = unit % L::out_h;
    detail::widen_rows(l, x + std::ptrdiff_t{n} * l.in_image, h, pairs);
    detail::conv2d_rows(row, reinterpret_cast<const Int16Pair*>(pairs), reinterpret_cast<const Int16Pair*>(w),
                        y + std::ptrdiff_t{n} * l.out_image + std::ptrdiff_t{h} * l.out_row,
                        Part{0, conv2d_units(row), part.thread},
                        [&](Vec<std::int32_t> sum, auto lanes, int, int, int column, int c)
                            AOTC_INLINE_LAMBDA { return epilogue(to_float(sum), lanes, n, h, column, c); });
  }
}

AOTC_KERNELS_END
