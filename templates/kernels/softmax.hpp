// Softmax and its logarithm along one axis: x, y [outer][length][inner], contiguous, float. y may be x.
//
// Layout: outer, length, inner. The largest value is taken off first, so nothing overflows. A NaN or +inf in a row, or
// -inf throughout, makes the whole row NaN, as the plain formula does; any other -inf gives probability 0 (logarithm
// -inf). Where inner is 1 vectors run along the row; elsewhere they hold neighbouring rows and run along inner.
#pragma once
#include "reduce.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

// The work of one element, in additions.
constexpr int softmax_cost = 8;

// exp(x - most), stored for softmax, which scales it afterwards; log_softmax needs the sum only.
template <bool Log, class V, class Lanes>
AOTC_INLINE V softmax_term(const float* x, float* y, V most, Lanes lanes) {
  const V term = exp(load(x, lanes) - most);
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
    return log(sum);
  else
    return V(1.0f) / sum;
}

template <bool Log>
AOTC_INLINE void softmax_row(const float* x, float* y, int length) {
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
    for (int row = 0; row < length; ++row) AOTC_UNROLL(4)
    for (int u = 0; u < count; ++u) softmax_finish<Log>(x + at(row, u), y + at(row, u), most[u], scale[u], lanes);
  });
}

template <bool Log, class L>
AOTC_INLINE void softmax_part(const L& l, const float* x, float* y, Part part) {
  for_each_block(reduce_blocks(l, softmax_cost), part,
                 [&](int row_begin, int row_end, int begin, int end) AOTC_INLINE_LAMBDA {
                   for (int o = row_begin; o < row_end; ++o) {
                     const std::ptrdiff_t row = static_cast<std::ptrdiff_t>(o) * l.length * l.inner;
                     if (l.inner == 1)
                       softmax_row<Log>(x + row, y + row, l.length);
                     else
                       softmax_columns<Log>(x + row, y + row, l.length, l.inner, begin, end);
                   }
                 });
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
