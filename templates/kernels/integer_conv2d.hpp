// 2-D convolution of 8-bit integers, exact: sums of (x - zero point) * w in 32 bits. Any kernel, stride,
// dilation and groups.
//
//   x        [batch][in_h][in_w][in_channels] at in_image, in_row, in_pixel (distances in elements), channels adjacent;
//            unsigned where in_unsigned is 1. Taps outside the image count as the zero point: in_zero_point, or that at
//            in_zero
//   w        weights less their own zero point, in words (dot.hpp) of 4 bytes, or of 2 16-bit integers where 8 bits do
//            not hold them: [groups][ceil(out_channels / groups / 16)][kernel_h][kernel_w][words][16][4 or 2], zero
//            filled, words along in_channels / groups; with joins_taps 1 (groups 1), [panels][words][16][4 or 2], words
//            along [kernel_h][kernel_w][in_channels]
//   offsets  what is added to the sums of each filter. 4 bytes: [2][out_channels], bias - zero point * sum of w, with
//            the zero point of bytes read as unsigned, then as signed; 2 integers: [out_channels], the bias
//   in_zero  [1], of x's type: the zero point where only the run knows it; it comes behind the offsets
//   y        [batch][out_h][out_w][out_channels] at out_image, out_row, out_pixel; must not overlap x
//   scratch  integer_conv2d_scratch_bytes(l, w) bytes of the calling thread's own, aligned to 64 bytes
//
// All extents but the batch are constants. epilogue(sum, lanes, n, h, w, c) gets the sums as floats and returns what is
// stored: floats, or whole numbers that fit into 8 bits, signed or unsigned. Sums that do not fit into 32 bits wrap
// around.
//
// An image without pads whose channels are whole words is read where it lies. Else the rows of input under a block of
// block_rows rows of output are copied, pads written out, and convolved as an image of their own. Either way by
// conv2d's tiles. A unit is a slice of the tiles of a block. With widens_rows 1, builds without products of bytes
// (dot.hpp) copy rows in any case, widened to twice their size, if weights are bytes.
#pragma once
#include "bytes.hpp"
#include "conv2d.hpp"
#include "integer_rows.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

// Integers of a word.
template <class W>
constexpr int per_word = sizeof(std::int32_t) / sizeof(W);
template <class L, class W>
using WordOf = std::conditional_t<std::is_same_v<W, std::int8_t>, QuadOf<L::in_unsigned != 0>, Int16Pair>;
template <class W>
using WeightWord = std::conditional_t<std::is_same_v<W, std::int8_t>, Int8Quad, Int16Pair>;
template <class L, class W>
constexpr bool widens_rows() {
  return splits_quads && std::is_same_v<W, std::int8_t> && L::widens_rows != 0;
}
// Whether the bytes of x are taken as signed, of which offsets know.
template <class L, class W>
constexpr bool reads_signed() {
  return std::is_same_v<W, std::int8_t> && (widens_rows<L, W>() ? L::in_unsigned == 0 : !reads_unsigned);
}

// How the kernel sees what it convolves: as an image of words.
template <class L, class W>
struct IntegerImage {
  static constexpr int group_channels = L::in_channels / L::groups;
  static constexpr int group_words = ceil_div(group_channels, per_word<W>);
  static constexpr int batch = 1, groups = L::groups, in_channels = L::groups * group_words;
  static constexpr int out_w = L::out_w, out_channels = L::out_channels;
  static constexpr int kernel_h = L::kernel_h, kernel_w = L::kernel_w, stride_h = L::stride_h, stride_w = L::stride_w;
  static constexpr int dilation_h = L::dilation_h, dilation_w = L::dilation_w, pad_top = 0, pad_left = 0;
  static constexpr int in_image = 0, in_channel = 1, out_image = 0, out_row = L::out_row, out_pixel = L::out_pixel;
};
// x itself.
template <class L, class W>
struct ImageInPlace : IntegerImage<L, W> {
  static constexpr int in_h = L::in_h, in_w = L::in_w, out_h = L::out_h;
  static constexpr int in_pixel = L::in_pixel / per_word<W>, in_row = L::in_row / per_word<W>;
};
// The copied rows under `Rows` rows of output.
template <class L, class W, int Rows>
struct CopiedRows : IntegerImage<L, W> {
  using Image = IntegerImage<L, W>;
  using Padded = PaddedRows<L, Rows, Image::group_channels, Image::group_words * per_word<W>>;
  static constexpr int in_h = Padded::height, in_w = Padded::width, out_h = Rows;
  static constexpr int in_pixel = Image::in_channels, in_row = in_w * in_pixel;
};
// The taps of each output, one after the other.
template <class L, class W, int Rows>
struct JoinedTaps : IntegerImage<L, W> {
  static constexpr int in_channels = ceil_div(L::kernel_h * L::kernel_w * L::in_channels, per_word<W>);
  static constexpr int kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  static constexpr int in_h = Rows, in_w = L::out_w, out_h = Rows, in_pixel = in_channels, in_row = in_w * in_pixel;
};

// Whether the words of an output's taps lie in x as the kernel reads them.
template <class L, class W>
constexpr bool fits_in_place() {
  return std::is_same_v<W, std::int8_t> && has_no_pads<L>() && L::joins_taps == 0 &&
         IntegerImage<L, W>::group_channels % per_word<W> == 0 && L::in_pixel % per_word<W> == 0 &&
         L::in_row % per_word<W> == 0;
}
template <class L, class W>
constexpr bool reads_in_place() {
  return fits_in_place<L, W>() && !widens_rows<L, W>();
}

template <class L, class W, int Rows>
constexpr auto copied_image() {
  if constexpr (L::joins_taps != 0)
    return JoinedTaps<L, W, Rows>{};
  else
    return CopiedRows<L, W, Rows>{};
}

// --------------------------------------------------------------------------------------------------------- joined taps
// The taps of one output in one row of the image; x is that row, or null where it lies outside.
template <class L, class W>
AOTC_INLINE void join_row(const L& l, const std::int8_t* x, int zero, int w, W* to) {
  constexpr int width = (L::kernel_w - 1) * L::dilation_w + 1, count = L::kernel_w * L::in_channels;
  const int first = w * L::stride_w - L::pad_left;
  if (x == nullptr) return fill_pad(count, zero, to);
  if (L::dilation_w == 1 && l.in_pixel == L::in_channels && first >= 0 && first + width <= L::in_w)
    return copy_integers<L>(x + first * L::in_channels, count, zero, to);
  AOTC_UNROLL(1)
  for (int kw = 0, column = first; kw < L::kernel_w; ++kw, column += L::dilation_w, to += L::in_channels)
    if (column >= 0 && column < L::in_w)
      copy_integers<L>(x + std::ptrdiff_t{column} * l.in_pixel, L::in_channels, zero, to);
    else
      fill_pad(L::in_channels, zero, to);
}
// The taps of the outputs of `rows` rows from `row` on, each output's rounded up to whole words; x is the image.
template <class L, class W>
AOTC_INLINE void join_taps(const L& l, const std::int8_t* x, int zero, int row, int rows, W* to) {
  constexpr int count = L::kernel_w * L::in_channels;
  constexpr int step = round_up(L::kernel_h * count, per_word<W>), rest = step - L::kernel_h * count;
  AOTC_UNROLL(1)
  for (int h = row; h < row + rows; ++h) {
    const int top = h * L::stride_h - L::pad_top;
    AOTC_UNROLL(1)
    for (int w = 0; w < L::out_w; ++w, to += step) {
      for (int kh = 0; kh < L::kernel_h; ++kh) {
        const int in_row = top + kh * L::dilation_h;
        const bool is_inside = in_row >= 0 && in_row < L::in_h;
        join_row<L>(l, is_inside ? x + std::ptrdiff_t{in_row} * l.in_row : nullptr, zero, w, to + kh * count);
      }
      if constexpr (rest > 0) std::memset(to + step - rest, 0, rest * sizeof *to);
    }
  }
}
template <int Rows, class L, class W>
AOTC_INLINE void copy_block(const L& l, const std::int8_t* x, int zero, int row, W* to) {
  if constexpr (L::joins_taps != 0)
    join_taps(l, x, zero, row, Rows, to);
  else
    copy_rows<typename CopiedRows<L, W, Rows>::Padded>(l, x, zero, row, to);
}
template <int Rows, class L, int OddDistance>
AOTC_INLINE void copy_block(const L& l, const std::int8_t* x, [[maybe_unused]] int zero, int row,
                            WidenedQuad<OddDistance>* to) {
  constexpr auto copy = copied_image<L, std::int8_t, Rows>();
  if constexpr (fits_in_place<L, std::int8_t>() && L::in_pixel == L::in_channels) {
    const std::int8_t* from = x + std::ptrdiff_t{row} * L::stride_h * L::in_row;
    AOTC_UNROLL(1)
    for (int i = 0; i < copy.in_h; ++i, from += L::in_row, to += copy.in_row)
      widen_quads<L::in_unsigned != 0>(from, copy.in_row, to);
  } else {
    auto* bytes = reinterpret_cast<std::int8_t*>(to + OddDistance);
    copy_block<Rows>(l, x, zero, row, bytes);
    widen_quads<L::in_unsigned != 0>(bytes, copy.in_h * copy.in_row, to);
  }
}
// What is copied for `Rows` rows of output: bytes, 16-bit integers or words of them.
template <class L, class W, int Rows>
constexpr int copied_words() {
  constexpr auto image = copied_image<L, W, Rows>();
  return image.in_h * image.in_row;
}
template <class L, class W, int Rows>
using Copied = std::conditional_t<widens_rows<L, W>(), WidenedQuad<copied_words<L, W, Rows>()>, W>;

// --------------------------------------------------------------------------------------------------------------- units
// Pieces of the tiles of a block: enough units for all threads, if the image is one block.
template <class L>
constexpr int block_slices = ceil_div(least_units, ceil_div(L::out_h, L::block_rows));

// Slice `slice` of the tiles of an image of words; y is its first output.
template <class Image, class Word, class W, class Y, class Epilogue>
AOTC_INLINE void convolve_slice(const Image& image, const Word* x, const W* w, const std::int32_t* offsets, Y* y,
                                int slice, int slices, int thread, const Epilogue& epilogue) {
  const int tiles = conv2d_units(image);
  conv2d_image(image, x, reinterpret_cast<const WeightWord<W>*>(w), y, offsets,
               Part{tiles * slice / slices, tiles * (slice + 1) / slices, thread}, epilogue);
}

// ---------------------------------------------------------------------------------------------------------------- all
template <class L, class W, class Y, class Epilogue>
AOTC_INLINE void integer_convolution(const L& l, const std::int8_t* x, const W* w, [[maybe_unused]] int zero,
                                     const std::int32_t* offsets, Y* y, void* scratch, Part part,
                                     const Epilogue& epilogue) {
  constexpr int rows = L::block_rows, last_rows = L::out_h - (ceil_div(L::out_h, rows) - 1) * rows;
  constexpr int slices = block_slices<L>, per_image = ceil_div(L::out_h, rows) * slices;
  constexpr bool in_place = reads_in_place<L, W>();
  if constexpr (reads_signed<L, W>()) offsets += L::out_channels;
  int copied = -1;  // the block that scratch holds
  AOTC_UNROLL(1)
  for (int unit = part.begin; unit < part.end; ++unit) {
    const int n = unit / per_image, block = unit / slices, row = in_place ? 0 : unit % per_image / slices * rows;
    const std::int8_t* image = x + std::ptrdiff_t{n} * l.in_image;
    Y* to = y + std::ptrdiff_t{n} * l.out_image + std::ptrdiff_t{row} * l.out_row;
    const auto finish = [&](Vec<std::int32_t> sum, auto lanes, int, int h, int column, int c)
                            AOTC_INLINE_LAMBDA { return epilogue(to_float(sum), lanes, n, row + h, column, c); };
    const auto convolve = [&](auto count) AOTC_INLINE_LAMBDA {
      constexpr int copied_rows = decltype(count)::value;
      using Words = Copied<L, W, copied_rows>;
      using Word = std::conditional_t<widens_rows<L, W>(), Words, WordOf<L, W>>;
      if (block != copied) copy_block<copied_rows>(l, image, zero, row, static_cast<Words*>(scratch));
      copied = block;
      convolve_slice(copied_image<L, W, copied_rows>(), static_cast<const Word*>(scratch), w, offsets, to,
                     unit % slices, slices, part.thread, finish);
    };
    if constexpr (in_place)
      convolve_slice(ImageInPlace<L, W>{}, reinterpret_cast<const WordOf<L, W>*>(image), w, offsets, to,
                     unit % per_image, per_image, part.thread, finish);
    else if (last_rows == rows || row + rows <= L::out_h)
      convolve(Constant<rows>{});
    else
      convolve(Constant<last_rows>{});
  }
}

}  // namespace detail

template <class L, class W>
constexpr int integer_conv2d_scratch_bytes(const L&, const W*) {
  if constexpr (detail::reads_in_place<L, W>()) return 0;
  constexpr int words = detail::copied_words<L, W, L::block_rows>();
  return words * static_cast<int>(sizeof(std::int32_t)) * (detail::widens_rows<L, W>() ? 2 : 1);
}

template <class L>
constexpr int integer_conv2d_units(const L& l) {
  return l.batch * ceil_div(L::out_h, L::block_rows) * detail::block_slices<L>;
}

template <class L, class W, class Y, class Epilogue>
[[gnu::flatten]] void integer_conv2d(const L& l, const std::int8_t* x, const W* w, const std::int32_t* offsets, Y* y,
                                     void* scratch, Part part, const Epilogue& epilogue) {
  detail::integer_convolution(l, x, w, L::in_zero_point, offsets, y, scratch, part, epilogue);
}
template <class L, class W, class Y, class Epilogue>
[[gnu::flatten]] void integer_conv2d(const L& l, const std::int8_t* x, const W* w, const std::int32_t* offsets,
                                     const std::int8_t* in_zero, Y* y, void* scratch, Part part,
                                     const Epilogue& epilogue) {
  detail::integer_convolution(l, x, w, detail::zero_at<L>(in_zero), offsets, y, scratch, part, epilogue);
}

// Where no scratch memory is needed.
template <class L, class W, class Y, class Epilogue>
AOTC_INLINE void integer_conv2d(const L& l, const std::int8_t* x, const W* w, const std::int32_t* offsets, Y* y,
                                Part part, const Epilogue& epilogue) {
  static_assert(detail::reads_in_place<L, W>());
  integer_conv2d(l, x, w, offsets, y, nullptr, part, epilogue);
}
template <class L, class W, class Y, class Epilogue>
AOTC_INLINE void integer_conv2d(const L& l, const std::int8_t* x, const W* w, const std::int32_t* offsets,
                                const std::int8_t* in_zero, Y* y, Part part, const Epilogue& epilogue) {
  static_assert(detail::reads_in_place<L, W>());
  integer_conv2d(l, x, w, offsets, in_zero, y, nullptr, part, epilogue);
}

AOTC_KERNELS_END
