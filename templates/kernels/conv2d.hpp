// 2-D convolution, f32: any kernel, stride, dilation and groups; borders inside the kernel or as a halo of the buffer.
//
//   x  pixel (0, 0) of [batch][in_h][in_w][in_channels] at in_image, in_row, in_pixel, in_channel (distances in
//      floats); so an NCHW image is read in place: in_pixel 1, in_channel in_h * in_w
//   w  [groups][ceil(out_channels / groups / 16)][kernel_h][kernel_w][in_channels / groups][16], zero filled; floats,
//      or halves (halves.hpp), bfloat16 in pairs along the channels
//   y  [batch][out_h][out_w][out_channels] at out_image, out_row, out_pixel; channels are adjacent
//
// Channels, groups and kernel sizes are constants; everything else may be a run-time member, at some cost. Both channel
// counts are of all groups. Taps outside [0, in_h) x [0, in_w) are skipped: pads of 0 with the extents of a padded
// buffer mean a halo. y must not overlap x; it may be memory that the epilogue reads.
// epilogue(sum, lanes, n, h, w, c) returns what is stored for the channels from c on.
//
// A row is cut into tiles of nearly equal width, which stay in registers through all taps. A unit of work is a few
// tiles times one block of channels (conv2d_plan.hpp). Every output is one chain of fma in the order of the weights,
// or a sum of halves (conv2d_halves.hpp, dot.hpp): its bits depend neither on tiles nor on threads.
#pragma once
#include "conv2d_halves.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

// Calls body(kw, PixelRange) for each tap of a row, with the pixels of a tile at the constant column W0
// that it reaches.
template <class L, int W0, int Pixels, int Kw = 0, class Body>
AOTC_INLINE void each_clipped_tap(Body body) {
  if constexpr (Kw < L::kernel_w) {
    constexpr Range range = pixels_inside(L{}, W0, Pixels, Kw);
    if constexpr (range.first < range.end) body(Kw, PixelRange<range.first, range.end>{});
    each_clipped_tap<L, W0, Pixels, Kw + 1>(body);
  }
}
// Calls body(PixelRange) for each single pixel in `range`.
template <int Pixels, int I = 0, class Body>
AOTC_INLINE void each_pixel(Range range, Body body) {
  if constexpr (I < Pixels) {
    if (I >= range.first && I < range.end) body(PixelRange<I, I + 1>{});
    each_pixel<Pixels, I + 1>(range, body);
  }
}

// Whether the taps of a row read adjacent floats, by weights that follow one another as well, so that they are one
// loop.
template <class L, class W>
constexpr bool taps_are_adjacent() {
  constexpr int depth = L::in_channels / L::groups;
  if constexpr (PackedDepth<W>::rows(depth) != depth)
    return false;
  else if constexpr (AOTC_IS_CONSTANT(L, in_pixel) && AOTC_IS_CONSTANT(L, in_channel) &&
                     AOTC_IS_CONSTANT(L, dilation_w))
    return L::groups == 1 && L::in_channel == 1 && L::in_pixel == L::in_channels && L::dilation_w == 1;
  else
    return false;
}

// Whether the pixels of a tile are a large power of two apart, so that each access would miss the first-level cache.
template <class L, int Pixels>
constexpr bool pixels_evict_each_other() {
  if constexpr (AOTC_IS_CONSTANT(L, in_pixel) && AOTC_IS_CONSTANT(L, stride_w) && AOTC_IS_CONSTANT(L, in_channel))
    return L::in_channel == 1 && ConvPlan<L>::group_in >= 256 && evicts_itself(Pixels, L::in_pixel * L::stride_w);
  else
    return false;
}

// Where the weights of a panel and of a tap begin, and those of a tile's vectors, counted from its first one.
template <class L, class W>
struct ConvWeights {
  static constexpr int tap = PackedDepth<W>::rows(ConvPlan<L>::group_in) * panel_channels;
  static constexpr int panel = ConvPlan<L>::taps * tap, group = ConvPlan<L>::group_panels * panel;
  static constexpr std::ptrdiff_t vector(int j) {
    constexpr int lanes = vec_lanes<float>, per_panel = max_of(panel_channels / lanes, 1);
    return std::ptrdiff_t{j / per_panel} * panel + (j % per_panel) * lanes * PackedDepth<W>::column;
  }
};

// T: float, or a word of integers (dot.hpp), which the layout then counts; W: what weights are stored as; Y: what the
// epilogue's results are stored as; Offsets: a pointer to what the sums of each channel begin at, or nullptr_t, for 0.
template <class L, class T, class W, class Y, class Offsets, class Epilogue>
struct ConvStep {
  using Layout = L;
  using Element = T;
  using Weight = W;
  static constexpr bool has_half_products = multiplies_halves<L, T, W>();
  const L& l;
  const T* x;
  const W* w;
  Y* y;
  const Offsets offsets;
  const Epilogue epilogue;  // a copy: stores to y then cannot change what it captured

  AOTC_INLINE const T* first_channel(ConvPlace place) const {
    return x + std::ptrdiff_t{place.image} * l.in_image +
           std::ptrdiff_t{place.group} * ConvPlan<L>::group_in * l.in_channel;
  }
  AOTC_INLINE const W* first_weight(ConvPlace place) const {
    using Weights = ConvWeights<L, W>;
    return w + std::ptrdiff_t{place.group} * Weights::group + Weights::vector(place.vector);
  }
};

// The sums of Rows x Width output pixels at `place` by Vectors channel vectors, added to `sum`. W0 is the column where
// that is a constant and taps must be clipped left or right, or one of the two values in conv2d_plan.hpp.
template <int Rows, int Width, int Vectors, int W0, class Step>
AOTC_INLINE void conv2d_sums(const Step& step, ConvPlace place,
                             Sums<Rows * Width, Vectors, typename Step::Element>& sum) {
  using L = typename Step::Layout;
  using T = typename Step::Element;
  using W = typename Step::Weight;
  using Plan = ConvPlan<L>;
  using Weights = ConvWeights<L, W>;
  constexpr int pixels = Rows * Width;
  const L& l = step.l;
  const auto vector_offset = [](int j) AOTC_INLINE_LAMBDA { return Weights::vector(j); };
  const auto pixel_offset = [&l](int i) AOTC_INLINE_LAMBDA {
    return std::ptrdiff_t{i / Width} * l.stride_h * l.in_row + std::ptrdiff_t{i % Width} * l.stride_w * l.in_pixel;
  };
  const T* x = step.first_channel(place);
  const W* w = step.first_weight(place);
  const Range rows = kernel_rows_inside(l, place.row);
  AOTC_UNROLL(1)
  for (int kh = rows.first; kh < rows.end; ++kh) {
    const std::ptrdiff_t row = std::ptrdiff_t{place.row * l.stride_h - l.pad_top + kh * l.dilation_h} * l.in_row +
                               std::ptrdiff_t{place.column * l.stride_w - l.pad_left} * l.in_pixel;
    const W* w_row = w + std::ptrdiff_t{kh} * L::kernel_w * Weights::tap;
    const auto tap = [&](int kw, auto range, int count) AOTC_INLINE_LAMBDA {
      const T* x_tap = x + row + std::ptrdiff_t{kw} * l.dilation_w * l.in_pixel;
      const W* w_tap = w_row + std::ptrdiff_t{kw} * Weights::tap;
      if constexpr (pixels_evict_each_other<L, pixels>() && !is_widened<T> &&
                    !(AOTC_HAS_BF16_DOT && PackedDepth<W>::in_pairs))
        multiply_copied<pixels, Vectors>(range, sum, x_tap, pixel_offset, w_tap, panel_channels, vector_offset, count);
      else
        multiply<pixels, Vectors>(range, sum, x_tap, l.in_channel, pixel_offset, w_tap, panel_channels, vector_offset,
                                  count);
    };
    if constexpr (W0 >= 0) {
      each_clipped_tap<L, W0, pixels>([&](int kw, auto range) AOTC_INLINE_LAMBDA { tap(kw, range, Plan::group_in); });
    } else if constexpr (W0 == clipped_at_run_time) {
      for (int kw = 0; kw < L::kernel_w; ++kw)
        each_pixel<pixels>(pixels_inside(l, place.column, pixels, kw),
                           [&](auto range) AOTC_INLINE_LAMBDA { tap(kw, range, Plan::group_in); });
    } else if constexpr (taps_are_adjacent<L, W>()) {
      tap(0, PixelRange<0, pixels>{}, L::kernel_w * Plan::group_in);
    } else {
      AOTC_UNROLL(1)
      for (int kw = 0; kw < L::kernel_w; ++kw) tap(kw, PixelRange<0, pixels>{}, Plan::group_in);
    }
  }
}

// The same by products of halves; what overflows is computed anew, a pixel at a time.
template <int Rows, int Width, int Vectors, class Step>
AOTC_INLINE void conv2d_half_sums([[maybe_unused]] const Step& step, [[maybe_unused]] ConvPlace place,
                                  [[maybe_unused]] Sums<Rows * Width, Vectors>& sum) {
#if AOTC_HAS_F16_PRODUCTS
  using Weights = ConvWeights<typename Step::Layout, Float16>;
  sum_halves<Rows, Width>(
      step.l, place, step.first_channel(place), step.first_weight(place), Weights::tap,
      [](int j) AOTC_INLINE_LAMBDA { return Weights::vector(j); }, sum);
  if (are_finite(sum)) return;
  replace_overflown(sum, [&](int i, Sums<1, Vectors>& exact) {
    const ConvPlace pixel{place.image, place.row + i / Width, place.column + i % Width, place.group, place.vector};
    clear(exact);
    conv2d_sums<1, 1, Vectors, clipped_at_run_time>(step, pixel, exact);
  });
#endif
}

// Rows x Width output pixels at `place` by Vectors channel vectors, the last of which holds LastLanes channels.
template <int Rows, int Width, int Vectors, int LastLanes, int W0, class Step>
AOTC_INLINE void conv2d_tile(const Step& step, ConvPlace place) {
  using L = typename Step::Layout;
  using T = typename Step::Element;
  using Plan = ConvPlan<L>;
  constexpr int pixels = Rows * Width;
  const L& l = step.l;
  const int channel = place.group * Plan::group_out + place.vector * vec_lanes<float>;
  Sums<pixels, Vectors, T> sum;
  if constexpr (std::is_null_pointer_v<decltype(step.offsets)>)
    clear(sum);
  else
    begin_at(sum, step.offsets + channel, lanes_of<LastLanes>());
  if constexpr (Step::has_half_products)
    conv2d_half_sums<Rows, Width, Vectors>(step, place, sum);
  else
    conv2d_sums<Rows, Width, Vectors, W0>(step, place, sum);

  // Sums of words are quantized: too much to be written out for each of them.
  constexpr bool is_short = std::is_same_v<T, float> && Plan::taps * Plan::group_in <= short_sum;
  finish_tile<is_short, pixels, Vectors>(
      sum, lanes_of<LastLanes>(), [&](Vec<sum_of<T>> value, auto valid, int i, int c) AOTC_INLINE_LAMBDA {
        const int h = place.row + i / Width, column = place.column + i % Width;
        auto* y = step.y + std::ptrdiff_t{place.image} * l.out_image + std::ptrdiff_t{h} * l.out_row +
                  std::ptrdiff_t{column} * l.out_pixel + channel + c;
        store(y, step.epilogue(value, valid, place.image, h, column, channel + c), valid);
      });
}

// A tile whose width is a constant but whose column is not.
template <int Width, int Vectors, int LastLanes, class Step>
AOTC_INLINE void conv2d_piece(const Step& step, ConvPlace place) {
  if constexpr (!Step::has_half_products)
    if (is_clipped(step.l, place.column, Width))
      return conv2d_tile<1, Width, Vectors, LastLanes, clipped_at_run_time>(step, place);
  conv2d_tile<1, Width, Vectors, LastLanes, not_clipped>(step, place);
}

// `width` pixels in pieces of Width, Width / 2, ... 1.
template <int Width, int Vectors, int LastLanes, class Step>
AOTC_INLINE void conv2d_pieces(const Step& step, ConvPlace place, int width) {
  if (width >= Width) {
    conv2d_piece<Width, Vectors, LastLanes>(step, place);
    place.column += Width;
    width -= Width;
  }
  if constexpr (Width > 1) conv2d_pieces<(Width + 1) / 2, Vectors, LastLanes>(step, place, width);
}

// Tile `t` of a row of constant width: the first and the last one know their column, which makes clipping free.
// Products of halves have no need of it.
template <int Vectors, int LastLanes, class Step>
AOTC_INLINE void conv2d_row_tile(const Step& step, ConvPlace place, int t) {
  using L = typename Step::Layout;
  using Plan = ConvPlan<L>;
  constexpr int tiles = Plan::row_tiles(), wide = Plan::width_of(0), narrow = Plan::narrow();
  constexpr int last = Plan::column_of(tiles - 1);
  constexpr auto clipped = [](int tile) {
    return !Step::has_half_products && is_clipped(L{}, Plan::column_of(tile), Plan::width_of(tile));
  };
  place.column = Plan::column_of(t);
  if constexpr (clipped(0))
    if (t == 0) return conv2d_tile<1, wide, Vectors, LastLanes, 0>(step, place);
  if constexpr (tiles > 1 && clipped(tiles - 1))
    if (t == tiles - 1) return conv2d_tile<1, narrow, Vectors, LastLanes, last>(step, place);
  if constexpr (tiles > 2 && (clipped(1) || clipped(tiles - 2))) {
    if (t < Plan::wide_tiles()) return conv2d_piece<wide, Vectors, LastLanes>(step, place);
    conv2d_piece<narrow, Vectors, LastLanes>(step, place);
  } else if constexpr (tiles > 2 || !clipped(0) || !clipped(tiles - 1)) {
    if constexpr (wide != narrow)
      if (t < Plan::wide_tiles()) return conv2d_tile<1, wide, Vectors, LastLanes, not_clipped>(step, place);
    conv2d_tile<1, narrow, Vectors, LastLanes, not_clipped>(step, place);
  }
}

// The tiles [begin, end) of an image.
template <int Vectors, int LastLanes, class Step>
AOTC_INLINE void conv2d_tiles(const Step& step, ConvPlace place, int begin, int end) {
  using L = typename Step::Layout;
  using Plan = ConvPlan<L>;
  const L& l = step.l;
  const int per_row = Plan::tiles_per_row(l);
  AOTC_UNROLL(1)
  for (int tile = begin; tile < end; ++tile) {
    const int t = tile % per_row;
    place.row = tile / per_row * Plan::shape.rows;
    if constexpr (!has_constant_extents<L>) {
      place.column = t * Plan::tile_w;
      conv2d_pieces<Plan::tile_w, Vectors, LastLanes>(step, place, min_of(Plan::tile_w, l.out_w - place.column));
    } else if constexpr (Plan::shape.rows > 1) {
      const int end_row = min_of(place.row + Plan::shape.rows, l.out_h);
      const bool all_taps =
          kernel_rows_inside(l, place.row).first == 0 && kernel_rows_inside(l, end_row - 1).end == l.kernel_h;
      if (all_taps && end_row - place.row == Plan::shape.rows)
        conv2d_tile<Plan::shape.rows, L::out_w, Vectors, LastLanes, not_clipped>(step, place);
      else
        for (; place.row < end_row; ++place.row) conv2d_row_tile<Vectors, LastLanes>(step, place, 0);
    } else {
      conv2d_row_tile<Vectors, LastLanes>(step, place, t);
    }
  }
}

}  // namespace detail

// ----------------------------------------------------------------------------------------- one row instead of an image
namespace detail {

// A kernel of one tap on dense rows sees no rows: the image is one row of out_h * out_w pixels.
template <class L>
constexpr bool is_pointwise() {
  if constexpr (has_constant_extents<L> && AOTC_IS_CONSTANT(L, in_channel))
    return L::kernel_h * L::kernel_w * L::stride_h * L::stride_w == 1 && L::pad_top == 0 && L::pad_left == 0 &&
           L::in_h == L::out_h && L::in_w == L::out_w && L::out_h > 1 && L::in_row == L::in_w * L::in_pixel &&
           L::out_row == L::out_w * L::out_pixel;
  else
    return false;
}
template <class L>
struct PointwiseRow {
  static constexpr int in_h = 1, in_w = L::out_h * L::out_w, in_channels = L::in_channels, groups = L::groups;
  static constexpr int out_h = 1, out_w = L::out_h * L::out_w, out_channels = L::out_channels;
  static constexpr int kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  static constexpr int pad_top = 0, pad_left = 0, in_row = 0, out_row = 0;
  static constexpr int in_pixel = L::in_pixel, in_channel = L::in_channel, out_pixel = L::out_pixel;
  int batch, in_image, out_image;
};

template <class L, class T, class W, class Y, class Offsets, class Epilogue>
AOTC_INLINE void conv2d_rows(const L& l, const T* x, const W* w, Y* y, Offsets offsets, Part part,
                             const Epilogue& epilogue) {
  using Plan = ConvPlan<L>;
  const ConvStep<L, T, W, Y, Offsets, Epilogue> step{l, x, w, y, offsets, epilogue};
  const int per_image = Plan::units_per_image(l), per_unit = Plan::unit_tiles(l);
  const int pixel_units = l.batch * per_image, channel_units = Plan::blocks * L::groups;
  const bool channels_outer = Plan::channels_outer(l);
  AOTC_UNROLL(1)
  for (int unit = part.begin; unit < part.end; ++unit) {
    const int pixels = channels_outer ? unit % pixel_units : unit / channel_units;
    const int channels = channels_outer ? unit / pixel_units : unit % channel_units;
    const int block = channels % Plan::blocks, begin = pixels % per_image * per_unit;
    const int end = min_of(begin + per_unit, Plan::tiles_per_image(l));
    const ConvPlace place{pixels / per_image, 0, 0, channels / Plan::blocks, block * Plan::vectors};
    if (block < Plan::blocks - 1)
      conv2d_tiles<Plan::vectors, vec_lanes<float>>(step, place, begin, end);
    else
      conv2d_tiles<Plan::last_vectors, Plan::last_lanes>(step, place, begin, end);
  }
}

}  // namespace detail

template <class L>
constexpr int conv2d_units(const L& l) {
  if constexpr (detail::is_pointwise<L>())
    return conv2d_units(detail::PointwiseRow<L>{l.batch, l.in_image, l.out_image});
  else
    return l.batch * ConvPlan<L>::units_per_image(l) * ConvPlan<L>::blocks * L::groups;
}

namespace detail {

template <class L, class T, class W, class Y, class Offsets, class Epilogue>
AOTC_INLINE void conv2d_image(const L& l, const T* x, const W* w, Y* y, Offsets offsets, Part part,
                              const Epilogue& epilogue) {
  if constexpr (is_pointwise<L>())
    conv2d_rows(PointwiseRow<L>{l.batch, l.in_image, l.out_image}, x, w, y, offsets, part,
                [&](auto sum, auto lanes, int n, int, int p, int c)
                    AOTC_INLINE_LAMBDA { return epilogue(sum, lanes, n, p / L::out_w, p % L::out_w, c); });
  else
    conv2d_rows(l, x, w, y, offsets, part, epilogue);
}

}  // namespace detail

template <class L, class W, class Y, class Epilogue = Identity>
[[gnu::flatten]] void conv2d(const L& l, const float* x, const W* w, Y* y, Part part, const Epilogue& epilogue = {}) {
  detail::conv2d_image(l, x, w, y, nullptr, part, epilogue);
}

AOTC_KERNELS_END
