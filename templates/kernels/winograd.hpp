// 3x3 convolution by Winograd's F(4x4, 3x3), f32: 36 products for 16 outputs instead of 144. Stride and dilation 1, one
// group; in_channel 1. Otherwise layouts and epilogue are those of conv2d.
//
//   x        taps outside [0, in_h) x [0, in_w) count as zero
//   w        [ceil(out_channels / 16)][36][in_channels][16], zero filled, computed ahead (in double); floats, or
//            Float16 (halves.hpp): element (i, j) of G g G^T, for each 3x3 kernel g, at point 6 * i + j, where the rows
//            of G are (1/4, 0, 0) (-1/6, -1/6, -1/6) (-1/6, 1/6, -1/6) (1/6, 1/3, 2/3) (1/6, -1/3, 2/3) (0, 0, 1)
//            Usually the last but one and two have a quarter of that, and A^T four times as much: here all points are
//            of one magnitude, which halves need.
//   y        must not overlap x or scratch; may be memory that the epilogue reads
//   scratch  winograd_conv2d_scratch_floats(l) floats of the calling thread's own, aligned to 64 bytes. With
//            tiles = ceil(out_h / 4) * ceil(out_w / 4) and blocks = ceil(tiles / 28) these are
//            36 * ceil(tiles / blocks) * (in_channels rounded up to 16, plus 48)
//            on every instruction set, so that one arena serves all of them
//
// Rounding errors are a few times those of conv2d, and one NaN or infinity spoils every output of the 4x4 tiles whose
// 6x6 input it is part of: use it only where the caller allows that.
//
// A unit is a block of tiles by 32 channels. The block's input is transformed, once per thread, into V
// [36][tiles][depth], multiplied by the weights into M [36][tiles][32], and transformed back with the epilogue.
#pragma once
#include "conv2d_plan.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

constexpr int winograd_tile = 4, winograd_patch = 6, winograd_points = winograd_patch * winograd_patch;
constexpr int winograd_block_tiles = 28;  // at most: two register tiles of 14, five of 6
constexpr int winograd_columns = 32;      // channels of M, and of a unit

template <class L>
struct WinogradPlan {
  static_assert(L::kernel_h == 3 && L::kernel_w == 3 && L::stride_h == 1 && L::stride_w == 1, "F(4x4, 3x3) only");
  static_assert(L::dilation_h == 1 && L::dilation_w == 1 && L::groups == 1, "F(4x4, 3x3) only");
  // Floats of one tile in V for one point; the addend keeps tiles out of the same cache sets.
  static constexpr int depth = round_up(L::in_channels, panel_channels) + panel_channels;
  static constexpr int groups = ceil_div(L::out_channels, winograd_columns);

  static constexpr int tiles_w(const L& l) { return ceil_div(l.out_w, winograd_tile); }
  static constexpr int tiles(const L& l) { return tiles_w(l) * ceil_div(l.out_h, winograd_tile); }
  static constexpr int blocks(const L& l) { return ceil_div(tiles(l), winograd_block_tiles); }
  // Blocks of an image differ by one tile at most, larger ones first.
  static constexpr int narrow(const L& l) { return tiles(l) / blocks(l); }
  static constexpr int most_tiles(const L& l) { return ceil_div(tiles(l), blocks(l)); }
  static constexpr int first_tile(const L& l, int block) {
    return block * narrow(l) + min_of(block, tiles(l) % blocks(l));
  }
};

template <class L, class W, class Y, class Epilogue>
struct WinogradStep {
  const L& l;
  const float* x;
  const W* w;
  Y* y;
  float* v;
  float* m;
  const Epilogue epilogue;  // a copy: stores to y then cannot change what it captured
  int image, first_tile, tiles;
};

// One row of B^T d, in place.
template <class V>
AOTC_INLINE void winograd_input_line(V& d0, V& d1, V& d2, V& d3, V& d4, V& d5) {
  const V four(4.0f), five(5.0f), two(2.0f);
  const V a = fma(-four, d2, d4), b = fma(-four, d1, d3), c = d4 - d2, d = two * (d3 - d1);
  d0 = fma(four, d0, fma(-five, d2, d4));
  d5 = fma(four, d1, fma(-five, d3, d5));
  d1 = a + b;
  d2 = a - b;
  d3 = c + d;
  d4 = c - d;
}

// One row of A^T m: six values into four, in place.
template <class V>
AOTC_INLINE void winograd_output_line(V& m0, V& m1, V& m2, V& m3, const V& m4, const V& m5) {
  const V sum = m1 + m2, difference = m1 - m2, far_sum = m3 + m4, far_difference = m3 - m4;
  m0 = fma(V(0.25f), far_sum, m0 + sum);
  m1 = fma(V(0.5f), far_difference, difference);
  m2 = sum + far_sum;
  m3 = fma(V(2.0f), far_difference, difference) + m5;
}

// B^T d B of one patch and one vector of channels. `x` is the patch's first pixel, which may lie outside the image.
template <bool Inside, class L, class Lanes>
AOTC_INLINE void winograd_input_patch(const L& l, const float* x, float* v, std::ptrdiff_t point, Range rows,
                                      Range columns, Lanes lanes) {
  constexpr int n = winograd_patch;
  Vec<float> d[n][n];
  AOTC_UNROLL(6)
  for (int j = 0; j < n; ++j) {
    AOTC_UNROLL(6)
    for (int i = 0; i < n; ++i) {
      const bool inside = Inside || (i >= rows.first && i < rows.end && j >= columns.first && j < columns.end);
      d[i][j] =
          inside ? load(x + std::ptrdiff_t{i} * l.in_row + std::ptrdiff_t{j} * l.in_pixel, lanes) : Vec<float>(0.0f);
    }
    winograd_input_line(d[0][j], d[1][j], d[2][j], d[3][j], d[4][j], d[5][j]);
  }
  AOTC_UNROLL(6)
  for (int i = 0; i < n; ++i) {
    winograd_input_line(d[i][0], d[i][1], d[i][2], d[i][3], d[i][4], d[i][5]);
    AOTC_UNROLL(6)
    for (int j = 0; j < n; ++j) store(v + (i * n + j) * point, d[i][j], Full{});
  }
}

// V of all tiles of the block.
template <class L, class W, class Y, class Epilogue>
AOTC_INLINE void winograd_input(const WinogradStep<L, W, Y, Epilogue>& step) {
  using Plan = WinogradPlan<L>;
  const L& l = step.l;
  const std::ptrdiff_t point = std::ptrdiff_t{step.tiles} * Plan::depth;
  AOTC_UNROLL(1)
  for (int t = 0; t < step.tiles; ++t) {
    const int tile = step.first_tile + t, row = tile / Plan::tiles_w(l) * winograd_tile - l.pad_top;
    const int column = tile % Plan::tiles_w(l) * winograd_tile - l.pad_left;
    const Range rows = inside(row, 1, winograd_patch, l.in_h), columns = inside(column, 1, winograd_patch, l.in_w);
    const float* x = step.x + std::ptrdiff_t{step.image} * l.in_image + std::ptrdiff_t{row} * l.in_row +
                     std::ptrdiff_t{column} * l.in_pixel;
    float* v = step.v + std::ptrdiff_t{t} * Plan::depth;
    const bool whole = rows.end - rows.first == winograd_patch && columns.end - columns.first == winograd_patch;
    for_each_vector<float>(L::in_channels, [&](int c, auto lanes) AOTC_INLINE_LAMBDA {
      if (whole)
        winograd_input_patch<true>(l, x + c, v + c, point, rows, columns, lanes);
      else
        winograd_input_patch<false>(l, x + c, v + c, point, rows, columns, lanes);
    });
  }
}

// M [point][tile][32] = V w for `Vectors` channel vectors from `vector` on.
template <int Vectors, int MostTiles, class L, class W, class Y, class Epilogue>
AOTC_INLINE void winograd_multiply(const WinogradStep<L, W, Y, Epilogue>& step, int vector, float* m) {
  using Plan = WinogradPlan<L>;
  constexpr int lanes = vec_lanes<float>, per_panel = panel_channels / lanes;
  constexpr std::ptrdiff_t point_floats = std::ptrdiff_t{L::in_channels} * panel_channels;
  const auto vector_offset = [](int j) AOTC_INLINE_LAMBDA {
    return std::ptrdiff_t{j / per_panel} * winograd_points * point_floats + (j % per_panel) * lanes;
  };
  const auto tile_offset = [](int i) AOTC_INLINE_LAMBDA { return i * Plan::depth; };
  const W* w = step.w + vector_offset(vector);
  const float* v = step.v;
  AOTC_UNROLL(1)
  for (int point = 0; point < winograd_points; ++point, w += point_floats) {
    const auto tiles = [&](int first, auto count) AOTC_INLINE_LAMBDA {
      constexpr int pixels = decltype(count)::value;
      Sums<pixels, Vectors> sum;
      clear(sum);
      multiply<pixels, Vectors>(PixelRange<0, pixels>{}, sum, v + std::ptrdiff_t{first} * Plan::depth, 1, tile_offset,
                                w, panel_channels, vector_offset, L::in_channels);
      AOTC_UNROLL(32)
      for (int i = 0; i < pixels; ++i) {
        AOTC_UNROLL(8)
        for (int j = 0; j < Vectors; ++j) store(m + (first + i) * winograd_columns + j * lanes, sum[i][j], Full{});
      }
    };
    if constexpr (has_constant_extents<L>) {
      constexpr int narrow = Plan::narrow(L{}), wide = Plan::most_tiles(L{});
      if (wide == narrow || step.tiles == wide)
        each_even_piece<wide, MostTiles>(tiles);
      else
        each_even_piece<narrow, MostTiles>(tiles);
    } else {
      each_piece<MostTiles>(0, step.tiles, tiles);
    }
    v += std::ptrdiff_t{step.tiles} * Plan::depth;
    m += step.tiles * winograd_columns;
  }
}

// A^T M A and the epilogue, for the channels [channel, channel + count) whose products M holds.
template <class L, class W, class Y, class Epilogue>
AOTC_INLINE void winograd_output(const WinogradStep<L, W, Y, Epilogue>& step, int channel, int count) {
  using Plan = WinogradPlan<L>;
  constexpr int n = winograd_patch;
  const L& l = step.l;
  AOTC_UNROLL(1)
  for (int t = 0; t < step.tiles; ++t) {
    const int tile = step.first_tile + t, row = tile / Plan::tiles_w(l) * winograd_tile;
    const int column = tile % Plan::tiles_w(l) * winograd_tile;
    const int rows = min_of(winograd_tile, l.out_h - row), columns = min_of(winograd_tile, l.out_w - column);
    for_each_vector<float>(count, [&](int c, auto lanes) AOTC_INLINE_LAMBDA {
      const float* m = step.m + t * winograd_columns + c;
      Vec<float> a[n][n];
      AOTC_UNROLL(6)
      for (int j = 0; j < n; ++j) {
        AOTC_UNROLL(6)
        for (int i = 0; i < n; ++i) a[i][j] = load(m + (i * n + j) * step.tiles * winograd_columns, Full{});
        winograd_output_line(a[0][j], a[1][j], a[2][j], a[3][j], a[4][j], a[5][j]);
      }
      Y* y = step.y + std::ptrdiff_t{step.image} * l.out_image + std::ptrdiff_t{row} * l.out_row +
             std::ptrdiff_t{column} * l.out_pixel + channel + c;
      alignas(64) float out[winograd_tile][winograd_tile][vec_lanes<float>];
      AOTC_UNROLL(4)
      for (int i = 0; i < winograd_tile; ++i) {
        winograd_output_line(a[i][0], a[i][1], a[i][2], a[i][3], a[i][4], a[i][5]);
        AOTC_UNROLL(4)
        for (int j = 0; j < winograd_tile; ++j) store(out[i][j], a[i][j], Full{});
      }
      AOTC_UNROLL(1)
      for (int i = 0; i < rows; ++i) {
        AOTC_UNROLL(1)
        for (int j = 0; j < columns; ++j)
          store(y + std::ptrdiff_t{i} * l.out_row + std::ptrdiff_t{j} * l.out_pixel,
                step.epilogue(load(out[i][j], Full{}), lanes, step.image, row + i, column + j, channel + c), lanes);
      }
    });
  }
}

// The 32 channels from `channel` on, or as many as there are, of one block.
template <class L, class W, class Y, class Epilogue>
AOTC_INLINE void winograd_channels(const WinogradStep<L, W, Y, Epilogue>& step, int channel) {
  constexpr int lanes = vec_lanes<float>, all_vectors = ceil_div(L::out_channels, lanes);
  constexpr int column_vectors = min_of(winograd_columns / lanes, all_vectors);
  constexpr TileShape shape = choose_tile(1, winograd_block_tiles, column_vectors, 1);
  constexpr int last_vectors = (all_vectors - 1) % shape.vectors + 1;
  const int first = channel / lanes, end = min_of(first + column_vectors, all_vectors);
  int vector = first;
  AOTC_UNROLL(1)
  for (; vector + shape.vectors <= end; vector += shape.vectors)
    winograd_multiply<shape.vectors, shape.pixels>(step, vector, step.m + (vector - first) * lanes);
  if constexpr (last_vectors != shape.vectors)
    if (vector < end) winograd_multiply<last_vectors, shape.pixels>(step, vector, step.m + (vector - first) * lanes);
  winograd_output(step, channel, min_of(winograd_columns, L::out_channels - channel));
}

}  // namespace detail

template <class L>
constexpr int winograd_conv2d_units(const L& l) {
  using Plan = detail::WinogradPlan<L>;
  return l.batch * Plan::blocks(l) * Plan::groups;
}

// Floats of scratch for one thread: V and M of the largest block.
template <class L>
constexpr int winograd_conv2d_scratch_floats(const L& l) {
  using Plan = detail::WinogradPlan<L>;
  return detail::winograd_points * Plan::most_tiles(l) * (Plan::depth + detail::winograd_columns);
}

template <class L, class W, class Y, class Epilogue = Identity>
[[gnu::flatten]] void winograd_conv2d(const L& l, const float* x, const W* w, Y* y, void* scratch, Part part,
                                      const Epilogue& epilogue = {}) {
  using Plan = detail::WinogradPlan<L>;
  float* const v = static_cast<float*>(scratch);
  float* const m = v + std::ptrdiff_t{detail::winograd_points} * Plan::most_tiles(l) * Plan::depth;
  const int blocks = Plan::blocks(l);
  int transformed = -1;
  AOTC_UNROLL(1)
  for (int unit = part.begin; unit < part.end; ++unit) {
    const int image_block = unit / Plan::groups, first = Plan::first_tile(l, image_block % blocks);
    const int tiles = Plan::first_tile(l, image_block % blocks + 1) - first;
    const detail::WinogradStep<L, W, Y, Epilogue> step{l, x, w, y, v, m, epilogue, image_block / blocks, first, tiles};
    if (transformed != image_block) detail::winograd_input(step);
    transformed = image_block;
    detail::winograd_channels(step, unit % Plan::groups * detail::winograd_columns);
  }
}

AOTC_KERNELS_END
