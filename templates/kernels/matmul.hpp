// Matrix products, f32. matmul_packed: by a constant matrix packed ahead; matmul: of two activations.
//
//   matmul_packed  a [batch][m][k] at a_batch, a_row; b [ceil(n / 16)][k][16], zero filled, shared by all batches,
//                  floats or halves (halves.hpp), bfloat16 in pairs along k; y [batch][m][n] at y_batch, y_row. k and n
//                  are constants, the rest may be run-time members.
//   matmul         a [batch][m][k] at a_batch, a_row, a_col; b [batch][k][n] at b_batch, b_row, b_col (a batch
//                  stride of 0 shares an operand); y at y_batch, y_row. Everything may be a run-time member.
//
// Columns of y are adjacent. epilogue(sum, lanes, batch, row, column) returns what is stored for the columns from
// `column` on. y must not overlap a or b; it may be memory that the epilogue reads. A unit is some rows by some columns
// of one batch; the order of the sum over k depends on the shape alone, never on how units are split.
#pragma once
#include "conv2d.hpp"
#include "gemv.hpp"
#include "matmul_activations.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

// A product by a packed matrix is a pointwise convolution whose pixels are the rows of `a`; dense batches
// are more rows.
template <class L>
struct MatmulConstants {
  static constexpr int in_h = 1, out_h = 1, in_channels = L::k, out_channels = L::n, groups = 1;
  static constexpr int kernel_h = 1, kernel_w = 1, stride_h = 1, stride_w = 1, dilation_h = 1, dilation_w = 1;
  static constexpr int pad_top = 0, pad_left = 0, in_row = 0, out_row = 0, in_channel = 1;
};
template <class L>
constexpr bool has_constant_rows = AOTC_IS_CONSTANT(L, m) && AOTC_IS_CONSTANT(L, batch) && AOTC_IS_CONSTANT(L, a_row) &&
                                   AOTC_IS_CONSTANT(L, y_row) && AOTC_IS_CONSTANT(L, a_batch) &&
                                   AOTC_IS_CONSTANT(L, y_batch);

template <class L>
constexpr bool has_dense_batches(const L& l) {
  return l.batch == 1 || (l.a_batch == l.m * l.a_row && l.y_batch == l.m * l.y_row);
}
// The distance between rows, as constants where the layout knows it.
template <class L, bool Constant = AOTC_IS_CONSTANT(L, a_row) && AOTC_IS_CONSTANT(L, y_row)>
struct MatmulRowStrides : MatmulConstants<L> {
  static constexpr int in_pixel = L::a_row, out_pixel = L::y_row;
  constexpr MatmulRowStrides() = default;
  constexpr explicit MatmulRowStrides(const L&) {}
};
template <class L>
struct MatmulRowStrides<L, false> : MatmulConstants<L> {
  int in_pixel, out_pixel;
  constexpr explicit MatmulRowStrides(const L& l) : in_pixel(l.a_row), out_pixel(l.y_row) {}
};
template <class L, bool ConstantRows = has_constant_rows<L>>
struct MatmulRows : MatmulRowStrides<L> {
  static constexpr bool dense = has_dense_batches(L{});
  static constexpr int batch = dense ? 1 : L::batch, in_w = dense ? L::batch * L::m : L::m, out_w = in_w;
  static constexpr int in_image = L::a_batch, out_image = L::y_batch;
  constexpr MatmulRows() = default;
  constexpr explicit MatmulRows(const L&) {}
};
template <class L>
struct MatmulRows<L, false> : MatmulRowStrides<L> {
  bool dense;
  int batch, in_w, out_w, in_image, out_image;
  constexpr explicit MatmulRows(const L& l)
      : MatmulRowStrides<L>(l),
        dense(has_dense_batches(l)),
        batch(dense ? 1 : l.batch),
        in_w(dense ? l.batch * l.m : l.m),
        out_w(in_w),
        in_image(l.a_batch),
        out_image(l.y_batch) {}
};

}  // namespace detail

template <class L>
constexpr int matmul_packed_units(const L& l) {
  return l.batch * l.m == 1 ? ceil_div(L::n, panel_channels) : conv2d_units(detail::MatmulRows<L>(l));
}

template <class L, class W, class Y, class Epilogue = Identity>
[[gnu::flatten]] void matmul_packed(const L& l, const float* a, const W* b, Y* y, Part part,
                                    const Epilogue& epilogue = {}) {
  const auto one_row = [&]() AOTC_INLINE_LAMBDA {
    gemv(L::n, L::k, a, b, y, part,
         [=](auto sum, auto lanes, int column) AOTC_INLINE_LAMBDA { return epilogue(sum, lanes, 0, 0, column); });
  };
  const auto many_rows = [&]() AOTC_INLINE_LAMBDA {
    const detail::MatmulRows<L> rows(l);
    detail::conv2d_rows(rows, a, b, y, nullptr, part,
                        [=](auto sum, auto lanes, int image, int, int row, int column) AOTC_INLINE_LAMBDA {
                          return rows.dense ? epilogue(sum, lanes, row / l.m, row % l.m, column)
                                            : epilogue(sum, lanes, image, row, column);
                        });
  };
  if constexpr (detail::has_constant_rows<L>) {
    if constexpr (L::batch * L::m == 1)
      one_row();
    else
      many_rows();
  } else {
    if (l.batch * l.m == 1)
      one_row();
    else
      many_rows();
  }
}

AOTC_KERNELS_END
