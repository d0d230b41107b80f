// Product of 8-bit integers by a constant matrix packed ahead, exact: sums of (a - zero point) * w in 32 bits, which
// wrap around.
//
//   a        [batch][m][k] at a_batch, a_row; unsigned where a_unsigned is 1; k is a multiple of 4
//   w        less its own zero points: [ceil(n / 16)][k / 4][16][4], zero filled, shared by all batches
//   w_sums   [n], the sum of each column of w
//   a_zero   the zero point of a, of a's type
//   y        [batch][m][n] at y_batch, y_row, f32 or 8 bits; must not overlap a
//   scratch  integer_matmul_packed_scratch_bytes(l) bytes of the calling thread's own, aligned to 64 bytes
//
// k, n, a_unsigned and widened_rows are constants, the rest may be run-time members. epilogue(sum, lanes, batch, row,
// column) gets the sums as floats and returns what is stored: floats, or integers for 8 bits. Units and tiles
// are those of matmul_packed; but where widened_rows is not 0, builds without products of bytes (dot.hpp) copy so many
// rows of a at a time, widened, and a unit is a slice of their tiles.
#pragma once
#include "bytes.hpp"
#include "integer_rows.hpp"
#include "matmul.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

// The product as one of words.
template <class L>
struct QuadConstants {
  static constexpr int n = L::n, k = L::k / 4;
};
template <class L, bool ConstantRows = has_constant_rows<L>>
struct QuadProduct : QuadConstants<L> {
  static constexpr int batch = L::batch, m = L::m, a_batch = L::a_batch / 4, a_row = L::a_row / 4;
  static constexpr int y_batch = L::y_batch, y_row = L::y_row;
  constexpr explicit QuadProduct(const L&) {}
  constexpr QuadProduct() = default;
};
template <class L>
struct QuadProduct<L, false> : QuadConstants<L> {
  int batch, m, a_batch, a_row, y_batch, y_row;
  constexpr explicit QuadProduct(const L& l)
      : batch(l.batch), m(l.m), a_batch(l.a_batch / 4), a_row(l.a_row / 4), y_batch(l.y_batch), y_row(l.y_row) {}
};

template <class L>
constexpr bool widens_product() {
  return splits_quads && L::widened_rows > 0;
}
template <class L>
using WidenedWord = WidenedQuad<L::k / 4 * L::widened_rows>;

// Rows of a that were widened.
template <class L>
struct WidenedMatrix : MatmulConstants<QuadConstants<L>> {
  static constexpr int batch = 1, in_image = 0, out_image = 0, in_pixel = L::k / 4;
  int in_w, out_w, out_pixel;
};
// How all rows are cut, into blocks of much the same size; dense batches are more rows.
template <class L>
struct WidenedBlocks {
  int images, rows, blocks, slices;  // `blocks` of each image, `slices` of each block
  constexpr explicit WidenedBlocks(const L& l) : WidenedBlocks(MatmulRows<QuadProduct<L>>(QuadProduct<L>(l))) {}
  constexpr int first_row(int block) const { return static_cast<int>(std::int64_t{rows} * block / blocks); }

 private:
  constexpr explicit WidenedBlocks(const MatmulRows<QuadProduct<L>>& all)
      : images(all.batch),
        rows(all.in_w),
        blocks(ceil_div(rows, L::widened_rows)),
        slices(ceil_div(least_units, max_of(1, images * blocks))) {}
};

// `count` rows from `a` on.
template <class L>
AOTC_INLINE void copy_widened(const L& l, const std::int8_t* a, int count, WidenedWord<L>* to) {
  constexpr int words = L::k / 4;
  if (l.a_row == L::k) return widen_quads<L::a_unsigned != 0>(a, count * words, to);
  AOTC_UNROLL(1)
  for (int i = 0; i < count; ++i)
    widen_quads<L::a_unsigned != 0>(a + std::ptrdiff_t{i} * l.a_row, words, to + std::ptrdiff_t{i} * words);
}

// finish(sum, lanes, image, row, column) gets the sums.
template <class L, class Y, class Finish>
AOTC_INLINE void multiply_widened_blocks(const L& l, const std::int8_t* a, const std::int8_t* w, Y* y, void* scratch,
                                         Part part, Finish finish) {
  const WidenedBlocks<L> cut(l);
  auto* words = static_cast<WidenedWord<L>*>(scratch);
  int widened = -1;  // the block that scratch holds
  AOTC_UNROLL(1)
  for (int unit = part.begin; unit < part.end; ++unit) {
    const int block = unit / cut.slices, slice = unit % cut.slices;
    const int image = block / cut.blocks, first = cut.first_row(block % cut.blocks);
    const int count = cut.first_row(block % cut.blocks + 1) - first;
    if (block != widened)
      copy_widened(l, a + std::ptrdiff_t{image} * l.a_batch + std::ptrdiff_t{first} * l.a_row, count, words);
    widened = block;
    const WidenedMatrix<L> rows{{}, count, count, l.y_row};
    const int tiles = conv2d_units(rows);
    conv2d_rows(rows, static_cast<const WidenedWord<L>*>(words), reinterpret_cast<const Int8Quad*>(w),
                y + std::ptrdiff_t{image} * l.y_batch + std::ptrdiff_t{first} * l.y_row, nullptr,
                Part{tiles * slice / cut.slices, tiles * (slice + 1) / cut.slices, part.thread},
                [=](Vec<std::int32_t> sum, auto lanes, int, int, int row, int column)
                    AOTC_INLINE_LAMBDA { return finish(sum, lanes, image, first + row, column); });
  }
}

template <class L, class Y, class Finish>
AOTC_INLINE void multiply_rows_in_place(const L& l, const std::int8_t* a, const std::int8_t* w, Y* y, Part part,
                                        Finish finish) {
  using Word = QuadOf<(L::a_unsigned != 0)>;
  const QuadProduct<L> quads(l);
  conv2d_rows(MatmulRows<QuadProduct<L>>(quads), reinterpret_cast<const Word*>(a), reinterpret_cast<const Int8Quad*>(w),
              y, nullptr, part,
              [=](Vec<std::int32_t> sum, auto lanes, int image, int, int row, int column)
                  AOTC_INLINE_LAMBDA { return finish(sum, lanes, image, row, column); });
}

}  // namespace detail

template <class L>
constexpr int integer_matmul_packed_scratch_bytes(const L&) {
  return detail::widens_product<L>() ? 2 * L::widened_rows * L::k : 0;
}

template <class L>
constexpr int integer_matmul_packed_units(const L& l) {
  if constexpr (detail::widens_product<L>()) {
    const detail::WidenedBlocks<L> cut(l);
    return cut.images * cut.blocks * cut.slices;
  } else {
    return conv2d_units(detail::MatmulRows<detail::QuadProduct<L>>(detail::QuadProduct<L>(l)));
  }
}

template <class L, class Y, class Epilogue = Identity>
[[gnu::flatten]] void integer_matmul_packed(const L& l, const std::int8_t* a, const std::int8_t* w,
                                            const std::int32_t* w_sums, const std::int8_t* a_zero, Y* y,
                                            [[maybe_unused]] void* scratch, Part part, const Epilogue& epilogue = {}) {
  constexpr bool widens = detail::widens_product<L>(), is_unsigned = L::a_unsigned != 0;
  // As the words are read: bytes of the other kind differ by 128.
  const int shift = widens || is_unsigned == reads_unsigned ? 0 : reads_unsigned ? 128 : -128;
  const Vec<std::int32_t> read_zero((is_unsigned ? static_cast<std::uint8_t>(*a_zero) : *a_zero) + shift);
  const bool dense = detail::has_dense_batches(detail::QuadProduct<L>(l));
  const auto finish = [=](Vec<std::int32_t> sum, auto lanes, int image, int row, int column) AOTC_INLINE_LAMBDA {
    const auto exact = to_float(less_product(sum, read_zero, load(w_sums + column, lanes)));
    return dense ? epilogue(exact, lanes, row / l.m, row % l.m, column) : epilogue(exact, lanes, image, row, column);
  };
  if constexpr (widens)
    detail::multiply_widened_blocks(l, a, w, y, scratch, part, finish);
  else
    detail::multiply_rows_in_place(l, a, w, y, part, finish);
}

// Where no scratch memory is needed.
template <class L, class Y, class Epilogue = Identity>
AOTC_INLINE void integer_matmul_packed(const L& l, const std::int8_t* a, const std::int8_t* w,
                                       const std::int32_t* w_sums, const std::int8_t* a_zero, Y* y, Part part,
                                       const Epilogue& epilogue = {}) {
  static_assert(!detail::widens_product<L>());
  integer_matmul_packed(l, a, w, w_sums, a_zero, y, nullptr, part, epilogue);
}

AOTC_KERNELS_END
