// The sums of a convolution's tile by float16 weights, where the machine multiplies float16 (half_products.hpp):
// activations are rounded to it, a tile's at a time, and what then overflows is computed in floats. Decides which
// convolutions are done so; must not touch the output.
//
// For each row of the kernel, and each half_depth channels of a group, the pixels under a tile are copied as float16,
// with zeros where the image ends: all tiles then have all taps. Where taps are neighbours, each pixel is copied once
// for all of them, and the taps of all channels are one run of products; else each tap is a run.
#pragma once
#include "conv2d_plan.hpp"
#include "half_products.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

// Where a tile of output lies, and the channels it computes.
struct ConvPlace {
  int image, row, column;  // first output pixel
  int group, vector;       // first channel vector within the group
};

// Whether a layout's convolution of T by weights W is computed so: with adjacent channels, which are read as vectors.
template <class L, class T, class W>
constexpr bool multiplies_halves() {
  if constexpr (AOTC_HAS_F16_PRODUCTS && std::is_same_v<T, float> && std::is_same_v<W, Float16> &&
                AOTC_IS_CONSTANT(L, in_channel) && AOTC_IS_CONSTANT(L, stride_w) && AOTC_IS_CONSTANT(L, dilation_w))
    return L::in_channel == 1;
  else
    return false;
}

#if AOTC_HAS_F16_PRODUCTS
// Channels that are copied at a time: what a tile needs of them stays in the first-level cache.
constexpr int half_depth = 128;
static_assert(half_depth % (half_chain * half_chains) == 0, "a run is cut where its channels are");

// The copy under Rows x Width outputs: `columns` pixels of each row, `distance` halves from one to the next.
template <class L, int Rows, int Width>
struct HalfWindow {
  static constexpr int depth = L::in_channels / L::groups, distance = min_of(depth, half_depth);
  static constexpr bool has_all_taps = L::dilation_w == 1 && L::kernel_w > 1, is_one_run = depth == distance;
  static constexpr int columns = has_all_taps ? tile_columns<L, Width> : Width;
  static constexpr int column_step = has_all_taps ? 1 : L::stride_w;              // in the image
  static constexpr int pixel_step = (has_all_taps ? L::stride_w : 1) * distance;  // from one output's to the next
  static constexpr int row_step = columns * distance;

  Float16 values[Rows * row_step];

  static constexpr int place(int pixel) { return pixel / Width * row_step + pixel % Width * pixel_step; }

  // `count` channels of the pixels from `column` on, of the rows row, row + stride_h and so on, all of which there are.
  AOTC_INLINE void fill(const L& l, const float* x, int row, int column, int count) {
    for (int r = 0; r < Rows; ++r)
      for (int i = 0; i < columns; ++i) {
        const int from = column + i * column_step;
        const float* pixel = x + std::ptrdiff_t{row + r * l.stride_h} * l.in_row + std::ptrdiff_t{from} * l.in_pixel;
        Float16* copy = values + r * row_step + i * distance;
        if (from >= 0 && from < l.in_w)
          for_each_vector<float>(
              count, [&](int c, auto lanes) AOTC_INLINE_LAMBDA { store(copy + c, load(pixel + c, lanes), lanes); });
        else
          std::memset(copy, 0, static_cast<std::size_t>(count) * sizeof *copy);
      }
  }
};

// The sums of Rows x Width outputs at `place`: x is the group's first channel, w the tile's first vector of weights,
// tap_weights from one tap to the next.
template <int Rows, int Width, int Vectors, class L, class VectorOffset>
AOTC_INLINE void sum_halves(const L& l, ConvPlace place, const float* x, const Float16* w, int tap_weights,
                            VectorOffset vector_offset, Vec<float> (&sum)[Rows * Width][Vectors]) {
  using Window = HalfWindow<L, Rows, Width>;
  constexpr bool is_one_run = Window::has_all_taps && Window::is_one_run;
  alignas(64) Window window;
  const auto pixel_offset = [](int i) AOTC_INLINE_LAMBDA { return Window::place(i); };
  const int first_row = place.row * l.stride_h - l.pad_top, first_column = place.column * l.stride_w - l.pad_left;
  const Range rows = kernel_rows_inside(l, place.row);
  AOTC_UNROLL(1)
  for (int kh = rows.first; kh < rows.end; ++kh) AOTC_UNROLL(1)
  for (int c = 0; c < Window::depth; c += Window::distance) {
    const int count = Window::is_one_run ? Window::depth : min_of(Window::distance, Window::depth - c);
    AOTC_UNROLL(1)
    for (int run = 0; run < (is_one_run ? 1 : L::kernel_w); ++run) {
      if (run == 0 || !Window::has_all_taps)
        window.fill(l, x + c, first_row + kh * l.dilation_h,
                    first_column + (Window::has_all_taps ? 0 : run * l.dilation_w), count);
      const Float16* first = window.values + (Window::has_all_taps ? run * Window::distance : 0);
      const Float16* weights =
          w + std::ptrdiff_t{kh * L::kernel_w + run} * tap_weights + std::ptrdiff_t{c} * panel_channels;
      multiply_halves(sum, first, pixel_offset, weights, vector_offset, is_one_run ? L::kernel_w * count : count);
    }
  }
}

// Whether none of the sums is infinite or NaN.
template <int Pixels, int Vectors>
AOTC_INLINE bool are_finite(const Vec<float> (&sum)[Pixels][Vectors]) {
  Vec<float> zero(0.0f);
  for (int i = 0; i < Pixels; ++i)
    for (int j = 0; j < Vectors; ++j) zero = fma(sum[i][j], Vec<float>(0.0f), zero);
  return !xsimd::any(is_nan(zero));
}

// Takes the sums of floats where those of halves overflowed: sum_floats(pixel, Vec<float> (&)[1][Vectors]).
template <int Pixels, int Vectors, class SumFloats>
[[gnu::noinline, gnu::cold]] void replace_overflown(Vec<float> (&sum)[Pixels][Vectors], const SumFloats& sum_floats) {
  for (int i = 0; i < Pixels; ++i) {
    Vec<float> exact[1][Vectors];
    sum_floats(i, exact);
    for (int j = 0; j < Vectors; ++j) sum[i][j] = select(is_nan(sum[i][j] * Vec<float>(0.0f)), exact[0][j], sum[i][j]);
  }
}
#endif

}  // namespace detail

AOTC_KERNELS_END
