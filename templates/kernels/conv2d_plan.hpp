// How a convolution is cut up: tiles, blocks of channels, units of work and their order. Pure arithmetic on a layout,
// all of it constant where the layout is; must not touch data.
#pragma once
#include <type_traits>

#include "register_tile.hpp"
#include "split.hpp"

AOTC_KERNELS_BEGIN

namespace detail {
template <class Member>
constexpr bool is_static_member = !std::is_member_object_pointer<Member>::value;
}
// Whether a layout knows `member` ahead of time (static constexpr) rather than at run time (ordinary member).
#define AOTC_IS_CONSTANT(L, member) (::aotc::detail::is_static_member<decltype(&L::member)>)

namespace detail {

template <class L>
constexpr bool has_constant_extents = AOTC_IS_CONSTANT(L, in_h) && AOTC_IS_CONSTANT(L, in_w) &&
                                      AOTC_IS_CONSTANT(L, out_h) && AOTC_IS_CONSTANT(L, out_w) &&
                                      AOTC_IS_CONSTANT(L, in_row) && AOTC_IS_CONSTANT(L, in_pixel) &&
                                      AOTC_IS_CONSTANT(L, out_row) && AOTC_IS_CONSTANT(L, out_pixel) &&
                                      AOTC_IS_CONSTANT(L, pad_top) && AOTC_IS_CONSTANT(L, pad_left) &&
                                      AOTC_IS_CONSTANT(L, stride_h) && AOTC_IS_CONSTANT(L, stride_w) &&
                                      AOTC_IS_CONSTANT(L, dilation_h) && AOTC_IS_CONSTANT(L, dilation_w);

// Columns where a tile begins, as a constant where taps must be clipped left or right; or one of these.
constexpr int not_clipped = -1, clipped_at_run_time = -2;

struct Range {
  int first, end;
};

// The `count` positions start + i * step that are in [0, extent).
constexpr Range inside(int start, int step, int count, int extent) {
  const int first = start >= 0 ? 0 : min_of(ceil_div(-start, step), count);
  const int end = start >= extent ? 0 : min_of(ceil_div(extent - start, step), count);
  return {first, max_of(first, end)};
}
template <class L>
constexpr Range pixels_inside(const L& l, int column, int pixels, int kw) {
  return inside(column * l.stride_w - l.pad_left + kw * l.dilation_w, l.stride_w, pixels, l.in_w);
}
template <class L>
constexpr bool has_constant_extents_without_clipped_rows() {
  if constexpr (has_constant_extents<L>)
    return L::pad_top == 0 && (L::out_h - 1) * L::stride_h + (L::kernel_h - 1) * L::dilation_h < L::in_h;
  else
    return false;
}
template <class L>
constexpr Range kernel_rows_inside(const L& l, int row) {
  if constexpr (has_constant_extents_without_clipped_rows<L>()) return {0, L::kernel_h};
  return inside(row * l.stride_h - l.pad_top, l.dilation_h, l.kernel_h, l.in_h);
}
template <class L>
constexpr Range kernel_columns_inside(const L& l, int column) {
  return inside(column * l.stride_w - l.pad_left, l.dilation_w, l.kernel_w, l.in_w);
}

// Whether taps of the pixels [column, column + pixels) of a row fall outside the input on the left or on the right.
template <class L>
constexpr bool is_clipped(const L& l, int column, int pixels) {
  return column * l.stride_w < l.pad_left ||
         (column + pixels - 1) * l.stride_w - l.pad_left + (l.kernel_w - 1) * l.dilation_w >= l.in_w;
}

template <class L>
constexpr TileShape conv_tile_shape(int vectors) {
  if constexpr (has_constant_extents<L>)
    return choose_tile(L::out_h, L::out_w, vectors, is_clipped(L{}, 0, L::out_w) ? 1 : L::out_h);
  else
    return choose_tile(1, 1 << 12, vectors, 1);
}

// Columns of input under a tile of `Pixels` neighbouring outputs, counted from the first tap of the first one; the
// output that tap `kw` of a column belongs to, -1 where there is none; and whether there is one for any tap.
template <class L, int Pixels>
constexpr int tile_columns = (Pixels - 1) * L::stride_w + (L::kernel_w - 1) * L::dilation_w + 1;
template <class L, int Pixels>
constexpr int pixel_under(int column, int kw) {
  const int from = column - kw * L::dilation_w;
  return from >= 0 && from % L::stride_w == 0 && from / L::stride_w < Pixels ? from / L::stride_w : -1;
}
template <class L, int Pixels>
constexpr bool reaches_pixels(int column) {
  for (int kw = 0; kw < L::kernel_w; ++kw)
    if (pixel_under<L, Pixels>(column, kw) >= 0) return true;
  return false;
}

// Bytes of input for one unit: they stay in the first-level cache while the blocks of channels pass over them.
constexpr std::int64_t unit_input_bytes = 24 << 10;
// Weights or input up to this size stay in the second-level cache from one pass to the next.
constexpr std::int64_t second_level_bytes = 512 << 10;

}  // namespace detail

// A tile is `shape.rows` rows of at most `tile_w` pixels by `vectors` channel vectors. Units are numbered so that a
// contiguous range of them, on one thread, re-reads what is cheapest to re-read:
//   tiles outer, channels inner   the weights of the whole layer pass over a little input
//   channels outer, tiles inner   the whole input passes by one block of weights
template <class L>
struct ConvPlan {
  static constexpr int lanes = vec_lanes<float>;
  static constexpr int group_in = L::in_channels / L::groups, group_out = L::out_channels / L::groups;
  static constexpr int channel_vectors = ceil_div(group_out, lanes);
  static constexpr int last_lanes = group_out - (channel_vectors - 1) * lanes;
  static constexpr TileShape shape = detail::conv_tile_shape<L>(channel_vectors);
  static constexpr int tile_w = shape.pixels / shape.rows;
  static constexpr int vectors = shape.vectors, blocks = ceil_div(channel_vectors, vectors);
  static constexpr int last_vectors = channel_vectors - (blocks - 1) * vectors;
  static constexpr int taps = L::kernel_h * L::kernel_w;
  static constexpr int group_panels = ceil_div(group_out, panel_channels);
  // As floats: units are the same whatever weights are stored as.
  static constexpr std::int64_t weight_bytes =
      std::int64_t{4} * group_panels * taps * group_in * panel_channels * L::groups;

  static constexpr int tiles_per_row(const L& l) { return ceil_div(l.out_w, tile_w); }
  static constexpr int tiles_per_image(const L& l) { return ceil_div(l.out_h, shape.rows) * tiles_per_row(l); }
  static constexpr std::int64_t input_bytes(const L& l) { return std::int64_t{4} * l.in_h * l.in_w * L::in_channels; }
  // Tiles of one unit.
  static constexpr int unit_tiles(const L& l) {
    const int tiles = tiles_per_image(l);
    const std::int64_t most = detail::unit_input_bytes * tiles / (input_bytes(l) + 1);
    const int share = max_of(1, ceil_div(tiles, least_units));  // of small images
    return most >= share ? share : most < 1 ? 1 : static_cast<int>(most);
  }
  static constexpr int units_per_image(const L& l) { return ceil_div(tiles_per_image(l), unit_tiles(l)); }
  static constexpr bool channels_outer(const L& l) {
    const std::int64_t input = input_bytes(l) * l.batch;
    if (weight_bytes <= detail::second_level_bytes) return false;
    if (input <= detail::second_level_bytes) return true;
    return input * blocks < weight_bytes * ceil_div(static_cast<int>(input >> 10), 256);
  }
  // With constant extents the tiles of a row differ in width by at most one pixel; the wide ones come first.
  static constexpr int row_tiles() { return ceil_div(L::out_w, tile_w); }
  static constexpr int narrow() { return L::out_w / row_tiles(); }
  static constexpr int wide_tiles() { return L::out_w % row_tiles(); }
  static constexpr int width_of(int t) { return narrow() + (t < wide_tiles() ? 1 : 0); }
  static constexpr int column_of(int t) { return t * narrow() + min_of(t, wide_tiles()); }
};

AOTC_KERNELS_END
