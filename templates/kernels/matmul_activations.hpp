// Matrix product of two activations, f32: `matmul` of matmul.hpp. A row of b whose columns are adjacent is read in
// place; other layouts (the transposed K of attention), and rows far apart that are used often, are packed a block at a
// time on the stack. With the sums of a unit's rows it takes 47 KiB at most, 5 KiB where there is no vector unit.
// Single rows by transposed matrices are dot products.
#pragma once
#include "conv2d_plan.hpp"
#include "fold.hpp"
#include "transpose.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

template <class L>
struct MatmulPlan {
  static constexpr int lanes = vec_lanes<float>;
  static constexpr bool constant_rows = AOTC_IS_CONSTANT(L, m), constant_columns = AOTC_IS_CONSTANT(L, n);
  static constexpr TileShape choose() {
    int rows = 1 << 12, vectors = 1 << 12;
    if constexpr (constant_rows) rows = L::m;
    if constexpr (constant_columns) vectors = ceil_div(L::n, lanes);
    return choose_tile(1, rows, vectors, 1);
  }
  static constexpr TileShape shape = choose();
  static constexpr int block_columns = shape.vectors * lanes;
  static constexpr int unit_rows = 8 * shape.pixels;  // what one packed block is used for
  static constexpr int pack_floats = vec_lanes<float> == 1 ? 1 << 10 : 1 << 13;
  static constexpr int pack_k = pack_floats / block_columns;

  static constexpr int column_units(const L& l) { return ceil_div(l.n, block_columns); }
  static constexpr int row_units(const L& l) { return ceil_div(l.m, unit_rows); }
};

template <class L, class Y, class Epilogue>
struct MatmulStep {
  const L& l;
  const float* a;
  const float* b;
  Y* y;
  const Epilogue epilogue;  // a copy: stores to y then cannot change what it captured
  int batch;
};

// What a tile multiplies by: rows [k, k + count) of b at w, and the unfinished sums of earlier k, if any.
struct MatmulPanel {
  const float* w;
  std::ptrdiff_t w_step;
  int k, count;
  bool last;
  float* sums;  // [rows][Vectors * lanes], or null where nothing comes before or after
};

// Whether the rows of a tile are a large power of two apart, so that each access would miss the first-level cache.
template <class L, int Rows>
constexpr bool rows_evict_each_other() {
  if constexpr (AOTC_IS_CONSTANT(L, a_row) && AOTC_IS_CONSTANT(L, a_col))
    return L::a_col == 1 && evicts_itself(Rows, L::a_row);
  else
    return false;
}

template <class L>
constexpr bool has_short_sums() {
  if constexpr (AOTC_IS_CONSTANT(L, k))
    return L::k <= short_sum;
  else
    return false;
}

template <int Rows, int Vectors, class Last, class L, class Y, class Epilogue>
AOTC_INLINE void matmul_tile(const MatmulStep<L, Y, Epilogue>& step, const MatmulPanel& panel, int row, int sums_row,
                             int column, Last last) {
  constexpr int lanes = vec_lanes<float>;
  const L& l = step.l;
  float* partial = panel.sums == nullptr ? nullptr : panel.sums + sums_row * Vectors * lanes;
  Sums<Rows, Vectors> sum;
  clear(sum);
  if (partial != nullptr) {
    AOTC_UNROLL(32)
    for (int i = 0; i < Rows; ++i) {
      AOTC_UNROLL(8)
      for (int j = 0; j < Vectors; ++j) sum[i][j] = load(partial + (i * Vectors + j) * lanes, Full{});
    }
  }
  const float* a = step.a + std::ptrdiff_t{step.batch} * l.a_batch + std::ptrdiff_t{row} * l.a_row +
                   std::ptrdiff_t{panel.k} * l.a_col;
  const auto row_offset = [&l](int i) AOTC_INLINE_LAMBDA { return std::ptrdiff_t{i} * l.a_row; };
  const auto vector_offset = [](int j) AOTC_INLINE_LAMBDA { return j * lanes; };
  if constexpr (rows_evict_each_other<L, Rows>())
    multiply_copied<Rows, Vectors>(PixelRange<0, Rows>{}, sum, a, row_offset, panel.w, panel.w_step, vector_offset,
                                   panel.count, last);
  else
    multiply<Rows, Vectors>(PixelRange<0, Rows>{}, sum, a, l.a_col, row_offset, panel.w, panel.w_step, vector_offset,
                            panel.count, last);
  if (!panel.last) {
    AOTC_UNROLL(32)
    for (int i = 0; i < Rows; ++i) {
      AOTC_UNROLL(8)
      for (int j = 0; j < Vectors; ++j) store(partial + (i * Vectors + j) * lanes, sum[i][j], Full{});
    }
    return;
  }
  finish_tile<has_short_sums<L>(), Rows, Vectors>(
      sum, last, [&](Vec<float> value, auto valid, int i, int c) AOTC_INLINE_LAMBDA {
        Y* y = step.y + std::ptrdiff_t{step.batch} * l.y_batch + std::ptrdiff_t{row + i} * l.y_row + column + c;
        store(y, step.epilogue(value, valid, step.batch, row + i, column + c), valid);
      });
}

// Rows of b that are far apart share few sets of the cache and many pages: where they are used often, packing pays.
template <class L>
constexpr bool is_read_in_place(const L& l) {
  return l.b_col == 1 && (l.b_row <= 256 || l.m < 4 * MatmulPlan<L>::shape.pixels);
}

// y[k][columns] = b[k * row + j * column] for j < valid; the rest of y is not read.
AOTC_INLINE void pack(const float* b, std::ptrdiff_t row, std::ptrdiff_t column, float* y, int columns, int count,
                      int valid) {
  if (row == 1) return transpose(b, column, y, columns, count, valid);
  if (column == 1) {
    for (int k = 0; k < count; ++k)
      for_each_vector<float>(valid, [&](int j, auto lanes) AOTC_INLINE_LAMBDA {
        store(y + k * columns + j, load(b + k * row + j, lanes), lanes);
      });
    return;
  }
  for (int k = 0; k < count; ++k)
    for (int j = 0; j < valid; ++j) y[k * columns + j] = b[k * row + j * column];
}

// One block of columns, `Vectors` vectors with the lanes `last` in the last one, for the rows [begin, end), which are
// no more than a unit's: the sums of all of them are on the stack.
template <int Vectors, class Last, class L, class Y, class Epilogue>
AOTC_INLINE void matmul_block(const MatmulStep<L, Y, Epilogue>& step, int begin, int end, int column, Last last) {
  using Plan = MatmulPlan<L>;
  const L& l = step.l;
  const float* b = step.b + std::ptrdiff_t{step.batch} * l.b_batch + std::ptrdiff_t{column} * l.b_col;
  const auto rows = [&](const MatmulPanel& panel, auto valid) AOTC_INLINE_LAMBDA {
    each_piece<Plan::shape.pixels>(begin, end, [&](int row, auto count) AOTC_INLINE_LAMBDA {
      matmul_tile<decltype(count)::value, Vectors>(step, panel, row, row - begin, column, valid);
    });
  };
  if (is_read_in_place(l)) return rows(MatmulPanel{b, l.b_row, 0, l.k, true, nullptr}, last);

  constexpr int columns = Vectors * vec_lanes<float>;
  alignas(64) float packed[Plan::pack_floats], sums[Plan::unit_rows * Plan::block_columns];
  const bool at_once = l.k <= Plan::pack_k;
  if (!at_once)
    for (int i = 0; i < (end - begin) * columns; ++i) sums[i] = 0.0f;
  int k = 0;
  AOTC_UNROLL(1)
  do {  // a sum of nothing is stored too
    const int count = min_of(Plan::pack_k, l.k - k), valid = min_of(columns, l.n - column);
    pack(b + std::ptrdiff_t{k} * l.b_row, l.b_row, l.b_col, packed, columns, count, valid);
    rows(MatmulPanel{packed, columns, k, count, k + count >= l.k, at_once ? nullptr : sums}, last);
    k += Plan::pack_k;
  } while (k < l.k);
}

// All columns of one unit; the last block may be narrower.
template <class L, class Y, class Epilogue>
AOTC_INLINE void matmul_columns(const MatmulStep<L, Y, Epilogue>& step, int begin, int end, int column) {
  using Plan = MatmulPlan<L>;
  constexpr int lanes = vec_lanes<float>;
  const int left = step.l.n - column;
  if (left >= Plan::block_columns) return matmul_block<Plan::shape.vectors>(step, begin, end, column, Full{});
  if constexpr (Plan::constant_columns) {
    constexpr int rest = L::n % Plan::block_columns;
    if constexpr (rest > 0)
      matmul_block<ceil_div(rest, lanes)>(step, begin, end, column, lanes_of<(rest - 1) % lanes + 1>());
  } else {
    for_each_vector<float>(
        left, [&](int c, auto valid) AOTC_INLINE_LAMBDA { matmul_block<1>(step, begin, end, column + c, valid); });
  }
}

// ------------------------------------------------------------------------------------- few rows by a transposed matrix

// y[row][column ...] as dot products along k, for adjacent k in both operands: nothing would be gained by packing.
template <class L, class Y, class Epilogue>
AOTC_INLINE void matmul_dots(const MatmulStep<L, Y, Epilogue>& step, int row, int column, int columns) {
  constexpr int lanes = vec_lanes<float>, group = 4;
  const L& l = step.l;
  const float* a = step.a + std::ptrdiff_t{step.batch} * l.a_batch + std::ptrdiff_t{row} * l.a_row;
  const float* b = step.b + std::ptrdiff_t{step.batch} * l.b_batch;
  for_each_vector<float>(columns, [&](int c, auto valid) AOTC_INLINE_LAMBDA {
    alignas(64) float dots[lanes + group] = {};
    const int count = min_of(lanes, columns - c);
    for (int j = 0; j < count; j += group) {
      Vec<float> sum[group] = {Vec<float>(0.0f), Vec<float>(0.0f), Vec<float>(0.0f), Vec<float>(0.0f)};
      for_each_vector<float>(l.k, [&](int k, auto some) AOTC_INLINE_LAMBDA {
        const Vec<float> value = load(a + k, some);
        for (int g = 0; g < group; ++g) {
          const int source = min_of(column + c + j + g, l.n - 1);
          sum[g] = fma(value, load(b + std::ptrdiff_t{source} * l.b_col + k, some), sum[g]);
        }
      });
      for (int g = 0; g < group; ++g)
        dots[j + g] = fold_vector(sum[g], [](auto p, auto q) AOTC_INLINE_LAMBDA { return p + q; });
    }
    Y* y = step.y + std::ptrdiff_t{step.batch} * l.y_batch + std::ptrdiff_t{row} * l.y_row + column + c;
    store(y, step.epilogue(load(dots, Full{}), valid, step.batch, row, column + c), valid);
  });
}

}  // namespace detail

template <class L>
constexpr int matmul_units(const L& l) {
  using Plan = detail::MatmulPlan<L>;
  return l.batch * Plan::column_units(l) * Plan::row_units(l);
}

template <class L, class Y, class Epilogue = Identity>
[[gnu::flatten]] void matmul(const L& l, const float* a, const float* b, Y* y, Part part,
                             const Epilogue& epilogue = {}) {
  using Plan = detail::MatmulPlan<L>;
  const int row_units = Plan::row_units(l), column_units = Plan::column_units(l);
  for (int unit = part.begin; unit < part.end; ++unit) {
    const int row = unit % row_units * Plan::unit_rows, column = unit / row_units % column_units * Plan::block_columns;
    const int end = min_of(row + Plan::unit_rows, l.m);
    const detail::MatmulStep<L, Y, Epilogue> step{l, a, b, y, epilogue, unit / row_units / column_units};
    if (l.m <= 3 && l.a_col == 1 && l.b_row == 1 && l.b_col != 1) {
      for (int i = row; i < end; ++i) detail::matmul_dots(step, i, column, min_of(Plan::block_columns, l.n - column));
    } else {
      detail::matmul_columns(step, row, end, column);
    }
  }
}

AOTC_KERNELS_END
