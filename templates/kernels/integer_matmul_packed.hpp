// Product of 8-bit integers by a constant matrix packed ahead, exact: sums of (a - zero point) * w in 32 bits, which
// wrap around.
//
//   a        [batch][m][k] at a_batch, a_row; unsigned where a_unsigned is 1; k is a multiple of 4
//   w        less its own zero points: [ceil(n / 16)][k / 4][16][4], zero filled, shared by all batches
//   w_sums   [n], the sum of each column of w
//   a_zero   the zero point of a, of a's type
//   y        [batch][m][n] at y_batch, y_row, f32 or 8 bits; must not overlap a
//
// k, n and a_unsigned are constants, the rest may be run-time members. epilogue(sum, lanes, batch, row,
// column) gets the sums as floats and returns what is stored: floats, or integers for 8 bits. Units and tiles
// are those of matmul_packed.
#pragma once
#include "bytes.hpp"
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

}  // namespace detail

template <class L>
constexpr int integer_matmul_packed_units(const L& l) {
  return conv2d_units(detail::MatmulRows<detail::QuadProduct<L>>(detail::QuadProduct<L>(l)));
}

template <class L, class Y, class Epilogue>
[[gnu::flatten]] void integer_matmul_packed(const L& l, const std::int8_t* a, const std::int8_t* w,
                                            const std::int32_t* w_sums, const std::int8_t* a_zero, Y* y, Part part,
                                            const Epilogue& epilogue) {
  using Word = QuadOf<(L::a_unsigned != 0)>;
  // As the words are read: bytes of the other kind differ by 128.
  const int zero = L::a_unsigned != 0 ? static_cast<std::uint8_t>(*a_zero) : *a_zero;
  const Vec<std::int32_t> read_zero(zero + (reads_unsigned ? 128 : -128) * ((L::a_unsigned != 0) != reads_unsigned));
  const detail::QuadProduct<L> quads(l);
  const detail::MatmulRows<detail::QuadProduct<L>> rows(quads);
  detail::conv2d_rows(rows, reinterpret_cast<const Word*>(a), reinterpret_cast<const Word*>(w), y, nullptr, part,
                      [=](Vec<std::int32_t> sum, auto lanes, int image, int, int row, int column) AOTC_INLINE_LAMBDA {
                        const auto exact = to_float(less_product(sum, read_zero, load(w_sums + column, lanes)));
                        return rows.dense ? epilogue(exact, lanes, row / l.m, row % l.m, column)
                                          : epilogue(exact, lanes, image, row, column);
                      });
}

template <class L, class Y>
void integer_matmul_packed(const L& l, const std::int8_t* a, const std::int8_t* w, const std::int32_t* w_sums,
                           const std::int8_t* a_zero, Y* y, Part part) {
  integer_matmul_packed(l, a, w, w_sums, a_zero, y, part, [](auto sum, auto, int, int, int) { return sum; });
}

AOTC_KERNELS_END
