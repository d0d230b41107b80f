// Softmax and its logarithm along one axis: x, y [outer][length][inner], contiguous, float. y may be x.
//
// Layout: outer, length, inner. The largest value is taken off first, so nothing overflows. A NaN or +inf in a row, or
// -inf throughout, makes the whole row NaN, as the plain formula does; any other -inf gives probability 0 (logarithm
// -inf). Where inner is 1 vectors run along the row, or across rows that are shorter than that; elsewhere they hold
// neighbouring rows and run along inner.
#pragma once
#include "reduce.hpp"

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

// exp(x - most), stored for softmax, which scales it afterwards; log_softmax needs the sum only.
template <bool Log, class V, class Lanes>
AOTC_INLINE V softmax_term(const float* x, float* y, V most, Lanes lanes) {
  const V term = exp_not_positive(load(x, lanes) - most);
  if constexpr (!Log) store(y, term, lanes);
  return term;
}

// `scale` is 1 / sum, or log(sum).
template <bool Log, class V, class Lanes>
AOTC_INLINE void softmax_finish(const float* x, float* y, V most, V scale, Lanes lanes) {
  if constexpr (Log)
    store(y, load(x, lanes) - most - scale, lanes);
  else
    store(y, load(static_cast<const float*>(y), lanes) * scale, lanes);
}

template <bool Log, class V>
AOTC_INLINE V softmax_scale(V sum) {
  if constexpr (Log)
    return aotc::log(sum);  // not detail's, nor xsimd's, which would be found by the argument
  else
    return V(1.0f) / sum;
}

// A row of `Vectors` vectors, the last one maybe a tail, that stays in registers from end to end.
template <bool Log, int Vectors, class Lanes>
AOTC_INLINE void softmax_short_row(const float* x, float* y, Lanes last) {
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
  for (int u = 0; u < Vectors - 1; ++u) store(y + u * step, value[u], Full{});
  store(y + end, value[Vectors - 1], last);
}

// The length of a row where it is a constant of the layout, 0 where it is an ordinary member.
template <class L>
constexpr int constant_length() {
  if constexpr (std::is_member_object_pointer_v<decltype(&L::length)>)
    return 0;
  else
    return L::length;
}

template <bool Log>
AOTC_INLINE void softmax_long_row(const float* x, float* y, int length) {
  const float most =
      fold_row<float>(length, Max{}, [&](int i, auto lanes) AOTC_INLINE_LAMBDA { return load(x + i, lanes); });
  const Vec<float> most_everywhere(most);
  const float sum = fold_row<float>(length, Sum{}, [&](int i, auto lanes) AOTC_INLINE_LAMBDA {
    return softmax_term<Log>(x + i, y + i, most_everywhere, lanes);
  });
  const Vec<float> scale = softmax_scale<Log>(Vec<float>(sum));
  for_each_vector<float>(length, [&](int i, auto lanes) AOTC_INLINE_LAMBDA {
    softmax_finish<Log>(x + i, y + i, most_everywhere, scale, lanes);
  });
}

template <bool Log, class L>
AOTC_INLINE void softmax_row(const L& l, const float* x, float* y) {
  constexpr int step = vec_lanes<float>, length = constant_length<L>(), vectors = ceil_div(length, step);
  if constexpr (length == 0 || vectors > 4)
    softmax_long_row<Log>(x, y, l.length);
  else if constexpr (length % step == 0)
    softmax_short_row<Log, vectors>(x, y, Full{});
  else
    softmax_short_row<Log, vectors>(x, y, Tail{length % step});
}

// The columns [begin, end) of [length][inner].
template <bool Log>
AOTC_INLINE void softmax_columns(const float* x, float* y, int length, int inner, int begin, int end) {
  for_each_columns<float>(begin, end, [&](int i, auto columns, auto lanes) AOTC_INLINE_LAMBDA {
    constexpr int count = decltype(columns)::value;
    const auto at = [&](int row, int u) AOTC_INLINE_LAMBDA {
      return static_cast<std::ptrdiff_t>(row) * inner + i + u * vec_lanes<float>;
    };
    Vec<float> most[count], scale[count];
    fold_columns(length, Max{}, most, [&](int row, int u) AOTC_INLINE_LAMBDA { return load(x + at(row, u), lanes); });
    fold_columns(length, Sum{}, scale, [&](int row, int u) AOTC_INLINE_LAMBDA {
      return softmax_term<Log>(x + at(row, u), y + at(row, u), most[u], lanes);
    });
    AOTC_UNROLL(4)
    for (int u = 0; u < count; ++u) scale[u] = softmax_scale<Log>(scale[u]);
    for (int row = 0; row < length; ++row) {
      AOTC_UNROLL(4)
      for (int u = 0; u < count; ++u) softmax_finish<Log>(x + at(row, u), y + at(row, u), most[u], scale[u], lanes);
    }
  });
}

// Rows that fill less than half of a vector, such as the two classes of a detector: as many of them at once as there
// are lanes, one row to a lane.
template <bool Log, int Length>
AOTC_INLINE void softmax_tiny_rows(const float* x, float* y, int rows) {
  constexpr int lanes = vec_lanes<float>;
  for (int first = 0; first < rows; first += lanes, x += lanes * Length, y += lanes * Length) {
    alignas(64) float columns[Length][lanes] = {};
    const int count = min_of(lanes, rows - first);
    for (int row = 0; row < count; ++row) {
      AOTC_UNROLL(8)
      for (int i = 0; i < Length; ++i) columns[i][row] = x[row * Length + i];
    }
    softmax_columns<Log>(columns[0], columns[0], Length, lanes, 0, lanes);
    for (int row = 0; row < count; ++row) {
      AOTC_UNROLL(8)
      for (int i = 0; i < Length; ++i) y[row * Length + i] = columns[i][row];
    }
  }
}

template <bool Log, class L>
AOTC_INLINE void softmax_rows(const L& l, const float* x, float* y, int rows) {
  constexpr int length = constant_length<L>();
  if constexpr (length > 0 && 2 * length <= vec_lanes<float>)
    softmax_tiny_rows<Log, length>(x, y, rows);
  else
    for (int row = 0; row < rows; ++row) {
      const std::ptrdiff_t first = static_cast<std::ptrdiff_t>(row) * l.length;
      softmax_row<Log>(l, x + first, y + first);
    }
}

template <bool Log, class L>
AOTC_INLINE void softmax_part(const L& l, const float* x, float* y, Part part) {
  const auto block = [&](int row_begin, int row_end, int begin, int end) AOTC_INLINE_LAMBDA {
    const std::ptrdiff_t size = static_cast<std::ptrdiff_t>(l.length) * l.inner;
    if (l.inner == 1) return softmax_rows<Log>(l, x + row_begin * size, y + row_begin * size, row_end - row_begin);
    for (int o = row_begin; o < row_end; ++o)
      softmax_columns<Log>(x + o * size, y + o * size, l.length, l.inner, begin, end);
  };
  for_each_block(reduce_blocks(l, softmax_cost), part, block);
}

}  // namespace detail

template <class L>
constexpr int softmax_units(const L& l) {
  return detail::reduce_blocks(l, detail::softmax_cost).count();
}

template <class L>
constexpr int log_softmax_units(const L& l) {
  return softmax_units(l);
}

template <class L>
void softmax(const L& l, const float* x, float* y, Part part) {
  detail::softmax_part<false>(l, x, y, part);
}

template <class L>
void log_softmax(const L& l, const float* x, float* y, Part part) {
  detail::softmax_part<true>(l, x, y, part);
}

AOTC_KERNELS_END
