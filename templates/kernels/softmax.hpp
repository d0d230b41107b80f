// Softmax and its logarithm, float:
//
//   softmax_rows, log_softmax_rows         x, y [outer][length]          of each row; vectors run along it
//   softmax_columns, log_softmax_columns   x, y [outer][length][inner]   along length; vectors run along inner
//
// Layout: outer, length, inner (columns only); all contiguous. y may be x. x may be bytes that are read as floats
// (dequantized.hpp); epilogue(value, lanes, o, l[, i]) returns what is stored, as y's type. y may be memory that the
// epilogue reads. The largest value is taken off first, so nothing overflows. A NaN or +inf in a row or column, or -inf
// throughout, makes all of it NaN, as the plain formula does; any other -inf gives probability 0 (logarithm -inf). An
// inner that is 1 in some run makes columns of one element: vectors run along the last index whatever the extents are.
#pragma once
#include "dequantized.hpp"
#include "fold.hpp"
#include "split.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

// The work of one element, in additions.
constexpr int softmax_cost = 8;

// e^x for x <= 0 or NaN, as exp() but for two things: results below 2^-126 are 0, and no infinity has to be made.
// Nothing a sum with a 1 in it could tell, and a third fewer instructions.
template <class V>
AOTC_INLINE V exp_not_positive(V x) {
  const V magic(12582912.0f);  // 1.5 * 2^23: adding it rounds to an integer and leaves that integer in the low bits
  const auto vanishes = lt(x, V(-87.3365f));
  const V clamped = select(vanishes, V(-87.3365f), x);
  const V shifted = fma(clamped, V(1.44269504088896341f), magic);
  const V n = shifted - magic;
  const V r = fma(n, V(2.12194440e-4f), fma(n, V(-0.693359375f), clamped));
  const V q = horner(r, 5.0000001201e-1f, 1.6666665459e-1f, 4.1665795894e-2f, 8.3334519073e-3f, 1.3981999507e-3f,
                     1.9875691500e-4f);
  const V e = fma(q, r * r, r) + V(1.0f);
  return select(vanishes, V(0.0f), e * power_of_two(bits_of(shifted) - bits_of(magic)));
}

// Whole rows: their sums would depend on where they are split.
template <class L>
constexpr Blocks softmax_row_blocks(const L& l) {
  return {l.outer, 1, max_of(1, unit_elements / softmax_cost / max_of(1, l.length)), 1};
}

template <class L>
constexpr Blocks softmax_column_blocks(const L& l) {
  return blocks_of(l.outer, l.inner, max_of(1, l.length) * softmax_cost);
}

// Whether y holds the terms exp(x - most) until their sum is known. Where it cannot, or where the epilogue might want
// to read what it holds, they are computed once more.
template <bool Log, class Y, class Epilogue>
constexpr bool keeps_terms = !Log && std::is_same_v<Y, float> && std::is_same_v<Epilogue, Identity>;

template <bool Keeps, class X, class Y, class V, class Lanes>
AOTC_INLINE V softmax_term(X x, Y* y, V most, Lanes lanes) {
  const V term = exp_not_positive(load(x, lanes) - most);
  if constexpr (Keeps) store(y, term, lanes);
  return term;
}

// `scale` is 1 / sum, or log(sum).
template <bool Log, bool Keeps, class X, class Y, class V, class Lanes>
AOTC_INLINE V softmax_value(X x, const Y* y, V most, V scale, Lanes lanes) {
  if constexpr (Log)
    return load(x, lanes) - most - scale;
  else if constexpr (Keeps)
    return load(y, lanes) * scale;
  else
    return exp_not_positive(load(x, lanes) - most) * scale;
}

template <bool Log, class V>
AOTC_INLINE V softmax_scale(V sum) {
  if constexpr (Log)
    return aotc::log(sum);  // not detail's, nor xsimd's, which would be found by the argument
  else
    return V(1.0f) / sum;
}

// A row of `Vectors` vectors, the last one maybe a tail, that stays in registers from end to end: finish(value, lanes,
// i) is what is stored of element i.
template <bool Log, int Vectors, class X, class Y, class Lanes, class Finish>
AOTC_INLINE void softmax_short_row(X x, Y* y, Lanes last, const Finish& finish) {
  using V = Vec<float>;
  constexpr int step = vec_lanes<float>, end = (Vectors - 1) * step;
  V value[Vectors];
  V most = keep_first(value[Vectors - 1] = load(x + end, last), last, V(Max::identity<float>()));
  AOTC_UNROLL(4)
  for (int u = 0; u < Vectors - 1; ++u) most = Max{}(most, value[u] = load(x + u * step, Full{}));
  most = V(fold_vector(most, Max{}));
  V sum(0.0f);
  AOTC_UNROLL(4)
  for (int u = 0; u < Vectors; ++u) {
    value[u] = value[u] - most;
    const V term = exp_not_positive(value[u]);
    sum = sum + (u == Vectors - 1 ? keep_first(term, last, V(0.0f)) : term);
    if constexpr (!Log) value[u] = term;
  }
  const V scale = softmax_scale<Log>(V(fold_vector(sum, Sum{})));
  AOTC_UNROLL(4)
  for (int u = 0; u < Vectors; ++u) value[u] = Log ? value[u] - scale : value[u] * scale;
  AOTC_UNROLL(4)
  for (int u = 0; u < Vectors - 1; ++u) store(y + u * step, finish(value[u], Full{}, u * step), Full{});
  store(y + end, finish(value[Vectors - 1], last, end), last);
}

// The length of a row where it is a constant of the layout, 0 where it is an ordinary member.
template <class L>
constexpr int constant_length() {
  if constexpr (std::is_member_object_pointer_v<decltype(&L::length)>)
    return 0;
  else
    return L::length;
}

// One row: finish(value, lanes, i) is what is stored of element i.
template <bool Log, bool Keeps, class X, class Y, class Finish>
AOTC_INLINE void softmax_long_row(X x, Y* y, int length, const Finish& finish) {
  const float most =
      fold_row<float>(length, Max{}, [&](int i, auto lanes) AOTC_INLINE_LAMBDA { return load(x + i, lanes); });
  const Vec<float> most_everywhere(most);
  const float sum = fold_row<float>(length, Sum{}, [&](int i, auto lanes) AOTC_INLINE_LAMBDA {
    return softmax_term<Keeps>(x + i, y + i, most_everywhere, lanes);
  });
  const Vec<float> scale = softmax_scale<Log>(Vec<float>(sum));
  for_each_vector<float>(length, [&](int i, auto lanes) AOTC_INLINE_LAMBDA {
    store(y + i, finish(softmax_value<Log, Keeps>(x + i, y + i, most_everywhere, scale, lanes), lanes, i), lanes);
  });
}

template <bool Log, bool Keeps, class L, class X, class Y, class Finish>
AOTC_INLINE void softmax_row(const L& l, X x, Y* y, const Finish& finish) {
  constexpr int step = vec_lanes<float>, length = constant_length<L>(), vectors = ceil_div(length, step);
  if constexpr (length == 0 || vectors > 4)
    softmax_long_row<Log, Keeps>(x, y, l.length, finish);
  else if constexpr (length % step == 0)
    softmax_short_row<Log, vectors>(x, y, Full{}, finish);
  else
    softmax_short_row<Log, vectors>(x, y, Tail{length % step}, finish);
}

// The columns [begin, end) of [length][inner]: finish(value, lanes, row, column) is what is stored.
template <bool Log, bool Keeps, class X, class Y, class Finish>
AOTC_INLINE void softmax_block(X x, Y* y, int length, int inner, int begin, int end, const Finish& finish) {
  for_each_columns<float>(begin, end, [&](int i, auto columns, auto lanes) AOTC_INLINE_LAMBDA {
    constexpr int count = decltype(columns)::value;
    const auto at = [&](int row, int u) AOTC_INLINE_LAMBDA {
      return static_cast<std::ptrdiff_t>(row) * inner + i + u * vec_lanes<float>;
    };
    Vec<float> most[count], scale[count];
    fold_columns(length, Max{}, most, [&](int row, int u) AOTC_INLINE_LAMBDA { return load(x + at(row, u), lanes); });
    fold_columns(length, Sum{}, scale, [&](int row, int u) AOTC_INLINE_LAMBDA {
      return softmax_term<Keeps>(x + at(row, u), y + at(row, u), most[u], lanes);
    });
    AOTC_UNROLL(4)
    for (int u = 0; u < count; ++u) scale[u] = softmax_scale<Log>(scale[u]);
    for (int row = 0; row < length; ++row) {
      AOTC_UNROLL(4)
      for (int u = 0; u < count; ++u) {
        const Vec<float> value = softmax_value<Log, Keeps>(x + at(row, u), y + at(row, u), most[u], scale[u], lanes);
        store(y + at(row, u), finish(value, lanes, row, i + u * vec_lanes<float>), lanes);
      }
    }
  });
}

// Rows that fill less than half of a vector, such as the two classes of a detector: as many of them at once as there
// are lanes, one row to a lane. finish(value, lanes, row, i) is what is stored.
template <bool Log, int Length, class X, class Y, class Finish>
AOTC_INLINE void softmax_tiny_rows(X x, Y* y, int rows, const Finish& finish) {
  constexpr int lanes = vec_lanes<float>;
  for (int first = 0; first < rows; first += lanes) {
    alignas(64) float columns[Length][lanes] = {};
    const int count = min_of(lanes, rows - first);
    const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(first) * Length;
    for (int row = 0; row < count; ++row) {
      AOTC_UNROLL(8)
      for (int i = 0; i < Length; ++i) columns[i][row] = x[at + row * Length + i];
    }
    softmax_block<Log, !Log>(static_cast<const float*>(columns[0]), columns[0], Length, lanes, 0, lanes, Identity{});
    for (int row = 0; row < count; ++row) {
      AOTC_UNROLL(8)
      for (int i = 0; i < Length; ++i)
        store(y + at + row * Length + i, finish(columns[i][row], Scalar{}, first + row, i), Scalar{});
    }
  }
}

template <bool Log, bool Keeps, class L, class X, class Y, class Epilogue>
AOTC_INLINE void softmax_range(const L& l, X x, Y* y, int begin, int end, const Epilogue& epilogue) {
  constexpr int length = constant_length<L>();
  if constexpr (length > 0 && 2 * length <= vec_lanes<float>) {
    const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(begin) * length;
    softmax_tiny_rows<Log, length>(x + first, y + first, end - begin,
                                   [&](float value, Scalar lanes, int row, int i)
                                       AOTC_INLINE_LAMBDA { return epilogue(value, lanes, begin + row, i); });
  } else {
    for (int row = begin; row < end; ++row) {
      const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(row) * l.length;
      softmax_row<Log, Keeps>(l, x + first, y + first, [&](auto value, auto lanes, int i) AOTC_INLINE_LAMBDA {
        return epilogue(value, lanes, row, i);
      });
    }
  }
}

template <bool Log, class L, class X, class Y, class Epilogue>
AOTC_INLINE void softmax_row_part(const L& l, X x, Y* y, Part part, const Epilogue& epilogue) {
  for_each_block(softmax_row_blocks(l), part, [&](int begin, int end, int, int) AOTC_INLINE_LAMBDA {
    softmax_range<Log, keeps_terms<Log, Y, Epilogue>>(l, x, y, begin, end, epilogue);
  });
}

template <bool Log, class L, class X, class Y, class Epilogue>
AOTC_INLINE void softmax_column_part(const L& l, X x, Y* y, Part part, const Epilogue& epilogue) {
  const auto block = [&](int row_begin, int row_end, int begin, int end) AOTC_INLINE_LAMBDA {
    for (int o = row_begin; o < row_end; ++o) {
      const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(o) * l.length * l.inner;
      softmax_block<Log, keeps_terms<Log, Y, Epilogue>>(
          x + first, y + first, l.length, l.inner, begin, end,
          [&](auto value, auto lanes, int row, int i) AOTC_INLINE_LAMBDA { return epilogue(value, lanes, o, row, i); });
    }
  };
  for_each_block(softmax_column_blocks(l), part, block);
}

}  // namespace detail

template <class L>
constexpr int softmax_rows_units(const L& l) {
  return detail::softmax_row_blocks(l).count();
}

template <class L>
constexpr int log_softmax_rows_units(const L& l) {
  return softmax_rows_units(l);
}

template <class L>
constexpr int softmax_columns_units(const L& l) {
  return detail::softmax_column_blocks(l).count();
}

template <class L>
constexpr int log_softmax_columns_units(const L& l) {
  return softmax_columns_units(l);
}

template <class L, class X, class Y, class Epilogue = Identity>
void softmax_rows(const L& l, X x, Y* y, Part part, const Epilogue& epilogue = {}) {
  detail::softmax_row_part<false>(l, x, y, part, epilogue);
}

template <class L, class X, class Y, class Epilogue = Identity>
void log_softmax_rows(const L& l, X x, Y* y, Part part, const Epilogue& epilogue = {}) {
  detail::softmax_row_part<true>(l, x, y, part, epilogue);
}

template <class L, class X, class Y, class Epilogue = Identity>
void softmax_columns(const L& l, X x, Y* y, Part part, const Epilogue& epilogue = {}) {
  detail::softmax_column_part<false>(l, x, y, part, epilogue);
}

template <class L, class X, class Y, class Epilogue = Identity>
void log_softmax_columns(const L& l, X x, Y* y, Part part, const Epilogue& epilogue = {}) {
  detail::softmax_column_part<true>(l, x, y, part, epilogue);
}

AOTC_KERNELS_END
