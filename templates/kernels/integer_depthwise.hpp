// Depthwise 2-D convolution of 8-bit integers, exact: every channel has a kernel of its own (in_channels ==
// out_channels == groups).
//
//   x, y, offsets, in_zero, scratch, epilogue   as in integer_conv2d.hpp; scratch of
//       integer_depthwise_scratch_bytes(l) bytes
//   w   weights less their own zero point: [ceil(kernel_h / 4)][kernel_w][channels rounded up to 16][4], zero filled,
//       four rows of the kernel side by side
//
// All extents but the batch are constants. Four rows of a column of x are joined to a word in each lane, which serves
// all outputs of a tile that it reaches. An image without pads is read where it lies, of others the rows under
// block_rows rows of output are copied. A unit is such a block.
#pragma once
#include "bytes.hpp"
#include "conv2d_plan.hpp"
#include "integer_rows.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

template <class L>
struct IntegerDepthwisePlan {
  static constexpr int lanes = vec_lanes<float>, channels = L::out_channels, w_tap = round_up(channels, panel_channels);
  static constexpr int quads = ceil_div(L::kernel_h, 4);
  static constexpr bool weights_stay = L::kernel_w <= (register_file.registers >= 24 ? 7 : 3);
  static constexpr int most_pixels =
      max_of(1, min_of(8, register_file.registers - 6 - (weights_stay ? L::kernel_w : 1)));
  template <int Rows>
  using Padded = PaddedRows<L, Rows, channels, channels>;
};

// Up to four rows of x in the bytes of each lane.
template <int Rows, class Lanes>
AOTC_INLINE Vec<std::int32_t> join_rows(const std::int8_t* x, std::ptrdiff_t row, Lanes lanes) {
  const auto bytes = reinterpret_cast<const std::uint8_t*>(x);
  Vec<std::int32_t> word = load_integer(bytes, lanes);
  if constexpr (Rows > 1) word = word | (load_integer(bytes + row, lanes) << 8);
  if constexpr (Rows > 2) word = word | (load_integer(bytes + 2 * row, lanes) << 16);
  if constexpr (Rows > 3) word = word | (load_integer(bytes + 3 * row, lanes) << 24);
  return word;
}

// The outputs of a tile that column `Column` reaches (counted from the first tap of the first pixel), then those of the
// columns behind it: a recursion, so that the pixels a column reaches are constants.
template <int Column, int Rows, int Pixels, class L, class Lanes>
AOTC_INLINE void depthwise_word_columns(Vec<std::int32_t> (&sum)[Pixels], const std::int8_t* x, int pixel,
                                        std::ptrdiff_t row, const SecondFactor<Int8Quad> (&weight)[L::kernel_w],
                                        Lanes lanes) {
  using Quads = Products<QuadOf<(L::in_unsigned != 0)>>;
  if constexpr (Column < tile_columns<L, Pixels>) {
    if constexpr (reaches_pixels<L, Pixels>(Column)) {
      const auto word = Quads::first(join_rows<Rows>(x + std::ptrdiff_t{Column} * pixel, row, lanes));
      AOTC_UNROLL(8)
      for (int kw = 0; kw < L::kernel_w; ++kw)
        if (const int p = pixel_under<L, Pixels>(Column, kw); p >= 0) sum[p] = Quads::add(word, weight[kw], sum[p]);
    }
    depthwise_word_columns<Column + 1, Rows, Pixels, L>(sum, x, pixel, row, weight, lanes);
  }
}

// The taps of `Rows` kernel rows; w are their weights.
template <int Rows, int Pixels, class L, class Lanes>
AOTC_INLINE void depthwise_quad(Vec<std::int32_t> (&sum)[Pixels], const std::int8_t* x, int pixel, std::ptrdiff_t row,
                                const Int8Quad* w, Lanes lanes) {
  using Quads = Products<QuadOf<(L::in_unsigned != 0)>>;
  constexpr int w_tap = IntegerDepthwisePlan<L>::w_tap;
  if constexpr (IntegerDepthwisePlan<L>::weights_stay) {
    SecondFactor<Int8Quad> weight[L::kernel_w];
    AOTC_UNROLL(8)
    for (int kw = 0; kw < L::kernel_w; ++kw) weight[kw] = Quads::second(load(w + kw * w_tap, Full{}));
    depthwise_word_columns<0, Rows, Pixels, L>(sum, x, pixel, row, weight, lanes);
  } else {
    AOTC_UNROLL(1)
    for (int kw = 0; kw < L::kernel_w; ++kw) {
      const auto weight = Quads::second(load(w + kw * w_tap, Full{}));
      AOTC_UNROLL(8)
      for (int p = 0; p < Pixels; ++p) {
        const std::int8_t* tap = x + std::ptrdiff_t{p * L::stride_w + kw * L::dilation_w} * pixel;
        sum[p] = Quads::add(Quads::first(join_rows<Rows>(tap, row, lanes)), weight, sum[p]);
      }
    }
  }
}

// An image whose taps are all inside: x is its first tap for the first output of a block.
template <class L, class Y, class Epilogue>
struct IntegerDepthwiseStep {
  const std::int8_t* x;
  int pixel, row;  // distances of x
  const Int8Quad* w;
  const std::int32_t* offsets;
  Y* y;
  const Epilogue epilogue;  // a copy: stores to y then cannot change what it captured
};

// `Pixels` neighbouring outputs at (h, column) of the block, for the channels from c on.
template <int Pixels, class L, class Y, class Epilogue, class Lanes>
AOTC_INLINE void integer_depthwise_tile(const IntegerDepthwiseStep<L, Y, Epilogue>& step, int h, int column, int c,
                                        Lanes lanes) {
  using Plan = IntegerDepthwisePlan<L>;
  constexpr int last_rows = L::kernel_h - (Plan::quads - 1) * 4;
  const std::int8_t* x =
      step.x + std::ptrdiff_t{h * L::stride_h} * step.row + std::ptrdiff_t{column * L::stride_w} * step.pixel + c;
  const std::ptrdiff_t row = std::ptrdiff_t{step.row} * L::dilation_h;
  const Int8Quad* w = step.w + c;
  Vec<std::int32_t> sum[Pixels];
  AOTC_UNROLL(8)
  for (int p = 0; p < Pixels; ++p) sum[p] = load(step.offsets + c, lanes);
  AOTC_UNROLL(1)
  for (int quad = 0; quad < Plan::quads - 1; ++quad, x += 4 * row, w += L::kernel_w * Plan::w_tap)
    depthwise_quad<4, Pixels, L>(sum, x, step.pixel, row, w, lanes);
  depthwise_quad<last_rows, Pixels, L>(sum, x, step.pixel, row, w, lanes);
  Y* y = step.y + std::ptrdiff_t{h} * L::out_row + std::ptrdiff_t{column} * L::out_pixel + c;
  AOTC_UNROLL(8)
  for (int p = 0; p < Pixels; ++p)
    store(y + std::ptrdiff_t{p} * L::out_pixel, step.epilogue(to_float(sum[p]), lanes, h, column + p, c), lanes);
}

template <class L, class Y, class Epilogue>
AOTC_INLINE void integer_depthwise_rows(const IntegerDepthwiseStep<L, Y, Epilogue>& step, int rows) {
  using Plan = IntegerDepthwisePlan<L>;
  AOTC_UNROLL(1)
  for (int h = 0; h < rows; ++h)
    for_each_vector<float>(Plan::channels, [&](int c, auto lanes) AOTC_INLINE_LAMBDA {
      each_even_piece<L::out_w, Plan::most_pixels>([&](int column, auto pixels) AOTC_INLINE_LAMBDA {
        integer_depthwise_tile<decltype(pixels)::value>(step, h, column, c, lanes);
      });
    });
}

template <class L, class Y, class Epilogue>
AOTC_INLINE void integer_depthwise(const L& l, const std::int8_t* x, const std::int8_t* w, [[maybe_unused]] int zero,
                                   const std::int32_t* offsets, Y* y, void* scratch, Part part,
                                   const Epilogue& epilogue) {
  constexpr int blocks = ceil_div(L::out_h, L::block_rows);
  if (!reads_unsigned) offsets += L::out_channels;
  AOTC_UNROLL(1)
  for (int unit = part.begin; unit < part.end; ++unit) {
    const int n = unit / blocks, row = unit % blocks * L::block_rows, rows = min_of(L::block_rows, L::out_h - row);
    const std::int8_t* image = x + std::ptrdiff_t{n} * l.in_image;
    const auto finish = [&](auto sum, auto lanes, int h, int column, int c)
                            AOTC_INLINE_LAMBDA { return epilogue(sum, lanes, n, row + h, column, c); };
    using Step = IntegerDepthwiseStep<L, Y, std::remove_const_t<decltype(finish)>>;
    Y* to = y + std::ptrdiff_t{n} * l.out_image + std::ptrdiff_t{row} * L::out_row;
    const auto quads = reinterpret_cast<const Int8Quad*>(w);
    if constexpr (has_no_pads<L>()) {
      const std::int8_t* from = image + std::ptrdiff_t{row * L::stride_h} * l.in_row;
      integer_depthwise_rows<L>(Step{from, l.in_pixel, l.in_row, quads, offsets, to, finish}, rows);
    } else {
      using Padded = typename IntegerDepthwisePlan<L>::template Padded<L::block_rows>;
      const auto from = static_cast<std::int8_t*>(scratch);
      copy_rows<Padded>(l, image, zero, row, from);
      integer_depthwise_rows<L>(Step{from, Padded::pixel, Padded::row, quads, offsets, to, finish}, rows);
    }
  }
}

}  // namespace detail

template <class L>
constexpr int integer_depthwise_scratch_bytes(const L&) {
  using Padded = typename detail::IntegerDepthwisePlan<L>::template Padded<L::block_rows>;
  return detail::has_no_pads<L>() ? 0 : Padded::height * Padded::row;
}

template <class L>
constexpr int integer_depthwise_conv2d_units(const L& l) {
  return l.batch * ceil_div(L::out_h, L::block_rows);
}

template <class L, class Y, class Epilogue>
[[gnu::flatten]] void integer_depthwise_conv2d(const L& l, const std::int8_t* x, const std::int8_t* w,
                                               const std::int32_t* offsets, Y* y, void* scratch, Part part,
                                               const Epilogue& epilogue) {
  detail::integer_depthwise(l, x, w, L::in_zero_point, offsets, y, scratch, part, epilogue);
}
template <class L, class Y, class Epilogue>
[[gnu::flatten]] void integer_depthwise_conv2d(const L& l, const std::int8_t* x, const std::int8_t* w,
                                               const std::int32_t* offsets, const std::int8_t* in_zero, Y* y,
                                               void* scratch, Part part, const Epilogue& epilogue) {
  detail::integer_depthwise(l, x, w, detail::zero_at<L>(in_zero), offsets, y, scratch, part, epilogue);
}

// Where no scratch memory is needed.
template <class L, class Y, class Epilogue>
AOTC_INLINE void integer_depthwise_conv2d(const L& l, const std::int8_t* x, const std::int8_t* w,
                                          const std::int32_t* offsets, Y* y, Part part, const Epilogue& epilogue) {
  static_assert(detail::has_no_pads<L>());
  integer_depthwise_conv2d(l, x, w, offsets, y, nullptr, part, epilogue);
}
template <class L, class Y, class Epilogue>
AOTC_INLINE void integer_depthwise_conv2d(const L& l, const std::int8_t* x, const std::int8_t* w,
                                          const std::int32_t* offsets, const std::int8_t* in_zero, Y* y, Part part,
                                          const Epilogue& epilogue) {
  static_assert(detail::has_no_pads<L>());
  integer_depthwise_conv2d(l, x, w, offsets, in_zero, y, nullptr, part, epilogue);
}

AOTC_KERNELS_END
