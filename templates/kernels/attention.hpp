// Scaled dot-product attention, f32: y = softmax(scores(q k)) v for each batch, one block of scores at a time, so that
// no more of them than a block is ever in memory (the softmax of FlashAttention, Dao et al. 2022: a running maximum and
// sum for each row, by which earlier blocks are scaled as they grow).
//
//   q        [batch][m][depth] at q_batch, q_row, q_col
//   k        [batch][depth][n] at k_batch, k_row, k_col (a batch stride of 0 shares it)
//   v        [batch][n][width] at v_batch, v_row, v_col (likewise)
//   y        [batch][m][width] at y_batch, y_row; adjacent columns. Overlaps nothing else
//   scratch  of the calling thread's own, aligned to 64 bytes: as many floats as attention_scratch_floats(l), which is
//            the same on every instruction set
//
// scores(sum, lanes, batch, row, key) is the epilogue of the product q k: scaling, masks. Rows that hold a NaN or +inf
// or nothing but -inf become NaN, as in softmax.hpp. Where n is 0, y is. block_rows and block_keys are constants, a
// block's most rows and keys: a multiple of 14 rows, or m; everything else may be a run-time member. A unit is some
// rows of one batch.
#pragma once
#include "matmul_activations.hpp"
#include "softmax.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

template <class L>
struct AttentionPlan {
  // Floats from one row of scores to the next; the addend keeps rows out of the same sets of the cache.
  static constexpr int step = round_up(L::block_keys, panel_channels) + panel_channels;
  static constexpr int result_step(const L& l) { return round_up(l.width, panel_channels); }
};

// The product q k of one block as a layout of matmul.
template <class L>
constexpr bool has_constant_scores = AOTC_IS_CONSTANT(L, depth) && AOTC_IS_CONSTANT(L, q_row) &&
                                     AOTC_IS_CONSTANT(L, q_col) && AOTC_IS_CONSTANT(L, k_row) &&
                                     AOTC_IS_CONSTANT(L, k_col);
template <class L, bool Constant = has_constant_scores<L>>
struct AttentionScores {
  static constexpr int k = L::depth, a_row = L::q_row, a_col = L::q_col, b_row = L::k_row, b_col = L::k_col;
  static constexpr int a_batch = 0, b_batch = 0, y_batch = 0, y_row = AttentionPlan<L>::step;
  int m, n;
  constexpr AttentionScores(const L&, int rows, int keys) : m(rows), n(keys) {}
};
template <class L>
struct AttentionScores<L, false> {
  static constexpr int a_batch = 0, b_batch = 0, y_batch = 0, y_row = AttentionPlan<L>::step;
  int m, n, k, a_row, a_col, b_row, b_col;
  constexpr AttentionScores(const L& l, int rows, int keys)
      : m(rows), n(keys), k(l.depth), a_row(l.q_row), a_col(l.q_col), b_row(l.k_row), b_col(l.k_col) {}
};

// The product of a block of weights and v.
template <class L,
          bool Constant = AOTC_IS_CONSTANT(L, width) && AOTC_IS_CONSTANT(L, v_row) && AOTC_IS_CONSTANT(L, v_col)>
struct AttentionValues {
  static constexpr int n = L::width, b_row = L::v_row, b_col = L::v_col;
  static constexpr int a_batch = 0, b_batch = 0, y_batch = 0, a_row = AttentionPlan<L>::step, a_col = 1;
  int m, k, y_row;
  constexpr AttentionValues(const L&, int rows, int keys, int to) : m(rows), k(keys), y_row(to) {}
};
template <class L>
struct AttentionValues<L, false> {
  static constexpr int a_batch = 0, b_batch = 0, y_batch = 0, a_row = AttentionPlan<L>::step, a_col = 1;
  int m, k, n, b_row, b_col, y_row;
  constexpr AttentionValues(const L& l, int rows, int keys, int to)
      : m(rows), k(keys), n(l.width), b_row(l.v_row), b_col(l.v_col), y_row(to) {}
};

// A thread's scratch memory: a block of scores, the unfinished results, and what is known of each row.
template <class L>
struct AttentionScratch {
  float *scores, *results;  // [rows][step], [rows][result_step]
  float *most, *total;      // of the blocks so far
  float* growth;            // what the results of earlier blocks are multiplied by
  AttentionScratch(const L& l, void* memory) {
    using Plan = AttentionPlan<L>;
    constexpr int rows = L::block_rows;
    scores = static_cast<float*>(memory);
    results = scores + std::ptrdiff_t{rows} * Plan::step;
    most = results + std::ptrdiff_t{rows} * Plan::result_step(l);
    total = most + rows, growth = total + rows;
  }
};

// Rows of a unit: as many for each unit, in whole tiles, as the product of q and k takes at once.
template <class L>
constexpr int attention_unit_rows(const L& l) {
  using Plan = MatmulPlan<AttentionScores<L>>;
  constexpr int most = min_of(Plan::unit_rows, L::block_rows);
  const int units = max_of(1, ceil_div(l.m, most));
  return max_of(1, min_of(round_up(ceil_div(l.m, units), Plan::shape.pixels), most));
}

// The rows of a unit are those that the product of q and k takes at once; that with v may take fewer.
template <class Layout, class Epilogue>
AOTC_INLINE void attention_product(const Layout& l, const float* a, const float* b, float* y,
                                   const Epilogue& epilogue) {
  using Plan = MatmulPlan<Layout>;
  const MatmulStep<Layout, float, Epilogue> step{l, a, b, y, epilogue, 0};
  AOTC_UNROLL(1)
  for (int row = 0; row < l.m; row += Plan::unit_rows) {
    const int end = min_of(row + Plan::unit_rows, l.m);
    AOTC_UNROLL(1)
    for (int column = 0; column < l.n; column += Plan::block_columns) matmul_columns(step, row, end, column);
  }
}

// The softmax of row `i` of the scores, in place, as if the keys behind the block did not exist.
template <class L>
AOTC_INLINE void attention_weights(const AttentionScratch<L>& scratch, int i, int keys, bool last) {
  float* const row = scratch.scores + i * AttentionPlan<L>::step;
  const float here =
      fold_row<float>(keys, Max{}, [&](int j, auto lanes) AOTC_INLINE_LAMBDA { return load(row + j, lanes); });
  const float before = scratch.most[i], most = Max{}(before, here);
  // A row that is masked so far has weights of 0, not of -inf - -inf; to the end, it is NaN.
  const Vec<float> base(most == Max::identity<float>() ? 0.0f : most);
  const float sum = fold_row<float>(keys, Sum{}, [&](int j, auto lanes) AOTC_INLINE_LAMBDA {
    const Vec<float> term = exp_not_positive(load(row + j, lanes) - base);
    store(row + j, term, lanes);
    return term;
  });
  const float earlier = scratch.total[i] * lane(exp_not_positive(Vec<float>(before) - base), 0);
  const float total = earlier + sum, scale = total == 0.0f && !last ? 0.0f : 1.0f / total;
  for_each_vector<float>(keys, [&](int j, auto lanes) AOTC_INLINE_LAMBDA {
    store(row + j, load(row + j, lanes) * Vec<float>(scale), lanes);
  });
  scratch.most[i] = most;
  scratch.total[i] = total;
  scratch.growth[i] = earlier * scale;
}

// What one unit reads and writes, from its first row on.
struct AttentionPlace {
  const float *q, *k, *v;
  float* y;
  int batch, row, rows;
};

template <class L, class Scores>
AOTC_INLINE void attention_block(const L& l, const AttentionPlace& at, const AttentionScratch<L>& scratch, int key,
                                 int keys, const Scores& scores) {
  using Plan = AttentionPlan<L>;
  const bool last = key + keys == l.n;
  attention_product(AttentionScores<L>(l, at.rows, keys), at.q, at.k + std::ptrdiff_t{key} * l.k_col, scratch.scores,
                    [=](auto sum, auto lanes, int, int row, int column)
                        AOTC_INLINE_LAMBDA { return scores(sum, lanes, at.batch, at.row + row, key + column); });
  AOTC_UNROLL(1)
  for (int i = 0; i < at.rows; ++i) attention_weights(scratch, i, keys, last);
  const int result_step = Plan::result_step(l);
  attention_product(AttentionValues<L>(l, at.rows, keys, last ? l.y_row : result_step), scratch.scores,
                    at.v + std::ptrdiff_t{key} * l.v_row, last ? at.y : scratch.results,
                    [=](auto sum, auto lanes, int, int row, int column) AOTC_INLINE_LAMBDA {
                      using V = decltype(sum);
                      const V earlier = load(scratch.results + row * result_step + column, lanes);
                      return fma(earlier, V(scratch.growth[row]), sum);
                    });
}

template <class L, class Scores>
AOTC_INLINE void attention_unit(const L& l, const AttentionPlace& at, const AttentionScratch<L>& scratch,
                                const Scores& scores) {
  for (int i = 0; i < at.rows; ++i) scratch.most[i] = Max::identity<float>(), scratch.total[i] = 0.0f;
  for (int i = 0; i < at.rows * AttentionPlan<L>::result_step(l); ++i) scratch.results[i] = 0.0f;
  AOTC_UNROLL(1)
  for (int key = 0; key < l.n; key += L::block_keys)
    attention_block(l, at, scratch, key, min_of(L::block_keys, l.n - key), scores);
  if (l.n > 0) return;
  for (int i = 0; i < at.rows; ++i)
    for (int j = 0; j < l.width; ++j) at.y[std::ptrdiff_t{i} * l.y_row + j] = 0.0f;
}

}  // namespace detail

template <class L>
constexpr int attention_units(const L& l) {
  return l.batch * ceil_div(l.m, detail::attention_unit_rows(l));
}

// Floats of scratch for one thread.
template <class L>
constexpr int attention_scratch_floats(const L& l) {
  using Plan = detail::AttentionPlan<L>;
  return L::block_rows * (Plan::step + Plan::result_step(l) + 3);
}

template <class L, class Scores = Identity>
[[gnu::flatten]] void attention(const L& l, const float* q, const float* k, const float* v, float* y, void* scratch,
                                Part part, const Scores& scores = {}) {
  const detail::AttentionScratch<L> memory(l, scratch);
  const int most = detail::attention_unit_rows(l), units = ceil_div(l.m, most);
  AOTC_UNROLL(1)
  for (int unit = part.begin; unit < part.end; ++unit) {
    const int batch = unit / units, row = unit % units * most;
    const detail::AttentionPlace at{q + std::ptrdiff_t{batch} * l.q_batch + std::ptrdiff_t{row} * l.q_row,
                                    k + std::ptrdiff_t{batch} * l.k_batch,
                                    v + std::ptrdiff_t{batch} * l.v_batch,
                                    y + std::ptrdiff_t{batch} * l.y_batch + std::ptrdiff_t{row} * l.y_row,
                                    batch,
                                    row,
                                    min_of(most, l.m - row)};
    detail::attention_unit(l, at, memory, scores);
  }
}

AOTC_KERNELS_END
