// Depthwise 2-D convolution, f32: every channel has a kernel of its own (in_channels == out_channels == groups).
//
//   x  pixel (0, 0) of [batch][in_h][in_w][channels] at in_image, in_row, in_pixel; channels are adjacent
//   w  [kernel_h][kernel_w][channels rounded up to 16], zero filled; floats, or halves (halves.hpp)
//   y  [batch][out_h][out_w][channels] at out_image, out_row, out_pixel
//
// Channels, kernel sizes, strides and dilations are constants; the rest may be run-time members. Taps outside
// [0, in_h) x [0, in_w) are skipped. y must not overlap x; it may be memory that the epilogue reads.
// epilogue(sum, lanes, n, h, w, c) returns what is stored for the channels from c on.
//
// A tile is a few neighbouring pixels of a row for one vector of channels. Each input vector is loaded once per kernel
// row and serves every output of the tile that it reaches. A unit is a few rows by a block of channels, so narrow that
// the rows of input under the kernel stay in the first-level cache from one row of output to the next.
#pragma once
#include "conv2d_plan.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

template <class L>
struct DepthwisePlan {
  static constexpr int lanes = vec_lanes<float>, channels = L::out_channels, vectors = ceil_div(channels, lanes);
  static constexpr int last_lanes = channels - (vectors - 1) * lanes;
  static constexpr int w_tap = round_up(channels, panel_channels);
  // A row of weights stays in registers beside the sums, unless it is too wide; then taps are taken one by one.
  static constexpr bool weights_stay = L::kernel_w <= (register_file.registers >= 24 ? 7 : 5);
  static constexpr int most_pixels = min_of(8, register_file.registers - 3 - (weights_stay ? L::kernel_w : 1));

  static constexpr int row_tiles() { return ceil_div(L::out_w, most_pixels); }
  static constexpr int narrow() { return L::out_w / row_tiles(); }
  static constexpr int wide_tiles() { return L::out_w % row_tiles(); }
  static constexpr int width_of(int t) { return narrow() + (t < wide_tiles() ? 1 : 0); }
  static constexpr int column_of(int t) { return t * narrow() + min_of(t, wide_tiles()); }

  // Channel vectors of one unit, and its rows.
  static constexpr int block(const L& l) {
    const std::int64_t column = std::int64_t{4} * l.in_w * l.kernel_h * lanes;
    return max_of(1, min_of(vectors, static_cast<int>((24 << 10) / column)));
  }
  static constexpr int blocks(const L& l) { return ceil_div(vectors, block(l)); }
  // A few microseconds of work: enough units for all threads, and little lost between them.
  static constexpr int rows(const L& l) { return min_of(l.out_h, max_of(1, 512 / (l.out_w * block(l)))); }
  static constexpr int row_units(const L& l) { return ceil_div(l.out_h, rows(l)); }
};

template <class L, class W, class Y, class Epilogue>
struct DepthwiseStep {
  const L& l;
  const float* x;
  const W* w;
  Y* y;
  const Epilogue epilogue;  // a copy: stores to y then cannot change what it captured
};
struct DepthwisePlace {
  int image, row, column, channel;
};

// The outputs of a tile that input column `Column` reaches (counted from the first tap of the first pixel), then the
// columns behind it. A recursion, so that the pixels a column reaches are constants.
template <int Column, int W0, int Pixels, class L, class Lanes>
AOTC_INLINE void depthwise_columns(const L& l, Vec<float> (&sum)[Pixels], const float* x,
                                   const Vec<float> (&weight)[L::kernel_w], Lanes lanes) {
  constexpr auto is_read = [] {
    if constexpr (W0 >= 0) {
      const int position = W0 * L::stride_w - L::pad_left + Column;
      if (position < 0 || position >= L::in_w) return false;
    }
    return reaches_pixels<L, Pixels>(Column);
  };
  if constexpr (Column < tile_columns<L, Pixels>) {
    if constexpr (is_read()) {
      const Vec<float> value = in_register(load(x + Column * l.in_pixel, lanes));
      AOTC_UNROLL(8)
      for (int kw = 0; kw < L::kernel_w; ++kw)
        if (const int p = pixel_under<L, Pixels>(Column, kw); p >= 0) sum[p] = fma(value, weight[kw], sum[p]);
    }
    depthwise_columns<Column + 1, W0>(l, sum, x, weight, lanes);
  }
}

// sum[p] += x[p * stride + kw * dilation] * w[kw] for the taps [taps.first, taps.end); with a constant column W0, for
// those inside the input.
template <int W0, int Pixels, class L, class W, class Lanes>
AOTC_INLINE void depthwise_row(const L& l, Vec<float> (&sum)[Pixels], const float* x, const W* w, Range taps,
                               Lanes lanes) {
  using Plan = DepthwisePlan<L>;
  if constexpr (Plan::weights_stay && W0 != clipped_at_run_time) {
    Vec<float> weight[L::kernel_w];
    AOTC_UNROLL(8)
    for (int kw = 0; kw < L::kernel_w; ++kw) weight[kw] = load(w + kw * Plan::w_tap, Full{});
    depthwise_columns<0, W0>(l, sum, x, weight, lanes);
  } else {
    AOTC_UNROLL(1)
    for (int kw = taps.first; kw < taps.end; ++kw) {
      const Vec<float> weight = load(w + kw * Plan::w_tap, Full{});
      const Range inner = W0 >= 0 ? pixels_inside(l, W0, Pixels, kw) : Range{0, Pixels};
      AOTC_UNROLL(8)
      for (int p = 0; p < Pixels; ++p) {
        const float* tap = x + std::ptrdiff_t{p * l.stride_w + kw * l.dilation_w} * l.in_pixel;
        if (p >= inner.first && p < inner.end) sum[p] = fma(load(tap, lanes), weight, sum[p]);
      }
    }
  }
}

template <int Pixels, int W0, class L, class W, class Y, class Epilogue, class Lanes>
AOTC_INLINE void depthwise_tile(const DepthwiseStep<L, W, Y, Epilogue>& step, DepthwisePlace place, Lanes lanes) {
  using Plan = DepthwisePlan<L>;
  const L& l = step.l;
  const float* x = step.x + std::ptrdiff_t{place.image} * l.in_image + place.channel +
                   std::ptrdiff_t{place.column * l.stride_w - l.pad_left} * l.in_pixel;
  Vec<float> sum[Pixels];
  AOTC_UNROLL(8)
  for (int p = 0; p < Pixels; ++p) sum[p] = Vec<float>(0.0f);
  const Range rows = kernel_rows_inside(l, place.row);
  const Range taps = W0 == clipped_at_run_time ? kernel_columns_inside(l, place.column) : Range{0, L::kernel_w};
  AOTC_UNROLL(1)
  for (int kh = rows.first; kh < rows.end; ++kh)
    depthwise_row<W0>(l, sum, x + std::ptrdiff_t{place.row * l.stride_h - l.pad_top + kh * l.dilation_h} * l.in_row,
                      step.w + std::ptrdiff_t{kh} * L::kernel_w * Plan::w_tap + place.channel, taps, lanes);
  Y* y = step.y + std::ptrdiff_t{place.image} * l.out_image + std::ptrdiff_t{place.row} * l.out_row +
         std::ptrdiff_t{place.column} * l.out_pixel + place.channel;
  AOTC_UNROLL(8)
  for (int p = 0; p < Pixels; ++p)
    store(y + std::ptrdiff_t{p} * l.out_pixel,
          step.epilogue(sum[p], lanes, place.image, place.row, place.column + p, place.channel), lanes);
}

// `width` pixels whose column is known at run time only: whole tiles inside, single pixels where taps are clipped.
template <int Pixels, class L, class W, class Y, class Epilogue, class Lanes>
AOTC_INLINE void depthwise_pieces(const DepthwiseStep<L, W, Y, Epilogue>& step, DepthwisePlace place, int width,
                                  Lanes lanes) {
  if (width >= Pixels) {
    if (!is_clipped(step.l, place.column, Pixels)) {
      depthwise_tile<Pixels, not_clipped>(step, place, lanes);
    } else {
      DepthwisePlace pixel = place;
      for (int p = 0; p < Pixels; ++p, ++pixel.column) depthwise_tile<1, clipped_at_run_time>(step, pixel, lanes);
    }
    place.column += Pixels;
    width -= Pixels;
  }
  if constexpr (Pixels > 1) depthwise_pieces<(Pixels + 1) / 2>(step, place, width, lanes);
}

// Tile `t` of a row of constant width.
template <class L, class W, class Y, class Epilogue, class Lanes>
AOTC_INLINE void depthwise_row_tile(const DepthwiseStep<L, W, Y, Epilogue>& step, DepthwisePlace place, int t,
                                    Lanes lanes) {
  using Plan = DepthwisePlan<L>;
  constexpr int tiles = Plan::row_tiles(), wide = Plan::width_of(0), narrow = Plan::narrow();
  constexpr int last = Plan::column_of(tiles - 1);
  constexpr auto clipped = [](int tile) { return is_clipped(L{}, Plan::column_of(tile), Plan::width_of(tile)); };
  place.column = Plan::column_of(t);
  if constexpr (clipped(0))
    if (t == 0) return depthwise_tile<wide, 0>(step, place, lanes);
  if constexpr (tiles > 1 && clipped(tiles - 1))
    if (t == tiles - 1) return depthwise_tile<narrow, last>(step, place, lanes);
  if constexpr (tiles > 2 && (clipped(1) || clipped(tiles - 2))) {
    depthwise_pieces<wide>(step, place, Plan::width_of(t), lanes);
  } else if constexpr (tiles > 2 || !clipped(0) || !clipped(tiles - 1)) {
    if constexpr (wide != narrow)
      if (t < Plan::wide_tiles()) return depthwise_tile<wide, not_clipped>(step, place, lanes);
    depthwise_tile<narrow, not_clipped>(step, place, lanes);
  }
}

// One row for the channel vectors [begin, end).
template <class L, class W, class Y, class Epilogue>
AOTC_INLINE void depthwise_out_row(const DepthwiseStep<L, W, Y, Epilogue>& step, DepthwisePlace place, int begin,
                                   int end) {
  using Plan = DepthwisePlan<L>;
  const auto each_vector = [&](auto tile) AOTC_INLINE_LAMBDA {
    const int whole = Plan::last_lanes == Plan::lanes ? end : min_of(end, Plan::vectors - 1);
    AOTC_UNROLL(1)
    for (int v = begin; v < whole; ++v) {
      place.channel = v * Plan::lanes;
      tile(Full{});
    }
    if constexpr (Plan::last_lanes != Plan::lanes)
      if (end == Plan::vectors) {
        place.channel = (Plan::vectors - 1) * Plan::lanes;
        tile(Tail{Plan::last_lanes});
      }
  };
  if constexpr (has_constant_extents<L>) {
    for (int t = 0; t < Plan::row_tiles(); ++t)
      each_vector([&](auto lanes) AOTC_INLINE_LAMBDA { depthwise_row_tile(step, place, t, lanes); });
  } else {
    AOTC_UNROLL(1)
    for (place.column = 0; place.column < step.l.out_w; place.column += Plan::most_pixels)
      each_vector([&](auto lanes) AOTC_INLINE_LAMBDA {
        depthwise_pieces<Plan::most_pixels>(step, place, min_of(Plan::most_pixels, step.l.out_w - place.column), lanes);
      });
  }
}

}  // namespace detail

template <class L>
constexpr int depthwise_conv2d_units(const L& l) {
  using Plan = detail::DepthwisePlan<L>;
  return l.batch * Plan::blocks(l) * Plan::row_units(l);
}

template <class L, class W, class Y, class Epilogue = Identity>
[[gnu::flatten]] void depthwise_conv2d(const L& l, const float* x, const W* w, Y* y, Part part,
                                       const Epilogue& epilogue = {}) {
  using Plan = detail::DepthwisePlan<L>;
  const detail::DepthwiseStep<L, W, Y, Epilogue> step{l, x, w, y, epilogue};
  const int rows = Plan::rows(l), row_units = Plan::row_units(l), block = Plan::block(l), blocks = Plan::blocks(l);
  AOTC_UNROLL(1)
  for (int unit = part.begin; unit < part.end; ++unit) {
    const int first_row = unit % row_units * rows, vector = unit / row_units % blocks * block;
    const int end_row = min_of(first_row + rows, l.out_h);
    AOTC_UNROLL(1)
    for (int row = first_row; row < end_row; ++row)
      detail::depthwise_out_row(step, {unit / row_units / blocks, row, 0, 0}, vector,
                                min_of(vector + block, Plan::vectors));
  }
}

AOTC_KERNELS_END
