// Normalisation by a run's own mean and variance: y = (x - mean) / sqrt(variance + epsilon), float or double.
//
//   normalize_rows     x, y [outer][length]          mean and variance of each row; vectors run along it
//   normalize_columns  x, y [outer][length][inner]   of each of the inner columns, over length; vectors run along inner
//
// Layout: outer, length, inner (columns only); all contiguous. moments is Deviation, or RootMeanSquare, for which the
// mean counts as 0. The variance is that of the differences from the mean, so that large means cost no digits; each row
// or column is read three times, the last two from cache where it fits. epilogue(value, lanes, o, l[, i]) returns what
// is stored, as y's type: scales and offsets. y may be x. x may be bytes that are read as floats (dequantized.hpp).
#pragma once
#include "dequantized.hpp"
#include "fold.hpp"
#include "split.hpp"

AOTC_KERNELS_BEGIN

struct Deviation {
  static constexpr bool is_centered = true;
};
struct RootMeanSquare {
  static constexpr bool is_centered = false;
};

namespace detail {

// The work of one element, in additions.
constexpr int normalize_cost = 4;

// Rows are never split: their sums would depend on where.
template <class L>
constexpr Blocks normalize_row_blocks(const L& l) {
  return {l.outer, 1, max_of(1, unit_elements / normalize_cost / max_of(1, l.length)), 1};
}

// A cache line of columns at least: few columns are split finely enough for several threads.
template <class L>
constexpr Blocks normalize_column_blocks(const L& l) {
  return {l.outer, l.inner, 1, l.inner >= 256 ? 64 : 16};
}

template <class Moments, class L, class X, class Y, class T, class Epilogue>
AOTC_INLINE void normalize_row(const L& l, X x, Y* y, int o, T epsilon, const Epilogue& epilogue) {
  using V = FoldVec<T>;
  const T share = T(1) / static_cast<T>(l.length);
  V mean = splat<V>(T(0));
  if constexpr (Moments::is_centered)
    mean = splat<V>(
        share * fold_row<T>(l.length, Sum{}, [&](int i, auto lanes) AOTC_INLINE_LAMBDA { return load(x + i, lanes); }));
  const T variance = share * fold_row<T>(l.length, Sum{}, [&](int i, auto lanes) AOTC_INLINE_LAMBDA {
                       const V distance = load(x + i, lanes) - mean;
                       return distance * distance;
                     });
  const V scale = splat<V>(rsqrt(variance + epsilon));
  for_each_vector<T>(l.length, [&](int i, auto lanes) AOTC_INLINE_LAMBDA {
    store(y + i, epilogue((load(x + i, lanes) - mean) * scale, lanes, o, i), lanes);
  });
}

// `Columns` vectors of columns side by side; x and y are at the first of them.
template <class Moments, int Columns, class L, class X, class Y, class T, class Lanes, class Epilogue>
AOTC_INLINE void normalize_vectors(const L& l, X x, Y* y, int o, int i, T epsilon, Lanes lanes,
                                   const Epilogue& epilogue) {
  using V = FoldVec<T>;
  const V share = splat<V>(T(1) / static_cast<T>(l.length));
  const auto element = [&](int row, int u) AOTC_INLINE_LAMBDA {
    return load(x + (static_cast<std::ptrdiff_t>(row) * l.inner + u * fold_lanes_of<T>), lanes);
  };
  V mean[Columns], scale[Columns];
  AOTC_UNROLL(4)
  for (V& m : mean) m = splat<V>(T(0));
  if constexpr (Moments::is_centered) {
    fold_columns(l.length, Sum{}, mean, element);
    AOTC_UNROLL(4)
    for (V& m : mean) m = m * share;
  }
  fold_columns(l.length, Sum{}, scale, [&](int row, int u) AOTC_INLINE_LAMBDA {
    const V distance = element(row, u) - mean[u];
    return distance * distance;
  });
  AOTC_UNROLL(4)
  for (V& s : scale) s = rsqrt(s * share + splat<V>(epsilon));
  for (int row = 0; row < l.length; ++row) {
    AOTC_UNROLL(4)
    for (int u = 0; u < Columns; ++u) {
      const int column = u * fold_lanes_of<T>;
      store(y + static_cast<std::ptrdiff_t>(row) * l.inner + column,
            epilogue((element(row, u) - mean[u]) * scale[u], lanes, o, row, i + column), lanes);
    }
  }
}

}  // namespace detail

template <class L>
constexpr int normalize_rows_units(const L& l) {
  return detail::normalize_row_blocks(l).count();
}

template <class L>
constexpr int normalize_columns_units(const L& l) {
  return detail::normalize_column_blocks(l).count();
}

template <class L, class X, class Y, class Moments, class Epilogue = Identity>
void normalize_rows(const L& l, X x, Y* y, Part part, Moments, float epsilon, const Epilogue& epilogue = {}) {
  using T = value_of<X>;
  for_each_block(detail::normalize_row_blocks(l), part, [&](int begin, int end, int, int) AOTC_INLINE_LAMBDA {
    for (int o = begin; o < end; ++o) {
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(o) * l.length;
      detail::normalize_row<Moments>(l, x + at, y + at, o, static_cast<T>(epsilon), epilogue);
    }
  });
}

template <class L, class X, class Y, class Moments, class Epilogue = Identity>
void normalize_columns(const L& l, X x, Y* y, Part part, Moments, float epsilon, const Epilogue& epilogue = {}) {
  using T = value_of<X>;
  for_each_block(detail::normalize_column_blocks(l), part,
                 [&](int row_begin, int row_end, int begin, int end) AOTC_INLINE_LAMBDA {
                   for (int o = row_begin; o < row_end; ++o) {
                     const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(o) * l.length * l.inner;
                     for_each_columns<T>(begin, end, [&](int i, auto columns, auto lanes) AOTC_INLINE_LAMBDA {
                       detail::normalize_vectors<Moments, decltype(columns)::value>(
                           l, x + (at + i), y + at + i, o, i, static_cast<T>(epsilon), lanes, epilogue);
                     });
                   }
                 });
}

AOTC_KERNELS_END
