// Folds of many values to one: the operations, and the loops over a row and over columns that reductions, softmax and
// pooling share. The order of all operations is fixed by the extents: several chains run side by side to hide latency,
// and no chain is longer than fold_run before its sum is set aside, which bounds the rounding error of long sums.
#pragma once
#include <limits>
#include <type_traits>
#include <utility>

#include "math.hpp"

AOTC_KERNELS_BEGIN

// ------------------------------------------------------------------------------------------------- the operations
// identity<T>() leaves a value as it is; prepare() is applied to each element first; op(sum, x) folds in one more.
struct Sum {
  template <class T>
  static constexpr T identity() {
    return T(0);
  }
  template <class V>
  AOTC_INLINE V prepare(V x) const {
    return x;
  }
  template <class V>
  AOTC_INLINE V operator()(V sum, V x) const {
    if constexpr (std::is_integral_v<V>) {  // wraps around, as the vector form does
      using U = std::make_unsigned_t<V>;
      return static_cast<V>(static_cast<U>(static_cast<U>(sum) + static_cast<U>(x)));
    } else {
      return sum + x;
    }
  }
};

struct SumOfSquares : Sum {
  template <class V>
  AOTC_INLINE V prepare(V x) const {
    if constexpr (std::is_integral_v<V>) {
      const auto value = static_cast<std::uint64_t>(x);
      return static_cast<V>(value * value);
    } else {
      return x * x;
    }
  }
};

struct SumOfMagnitudes : Sum {
  template <class V>
  AOTC_INLINE V prepare(V x) const {
    return abs(x);
  }
};

struct Product {
  template <class T>
  static constexpr T identity() {
    return T(1);
  }
  template <class V>
  AOTC_INLINE V prepare(V x) const {
    return x;
  }
  template <class V>
  AOTC_INLINE V operator()(V product, V x) const {
    if constexpr (std::is_integral_v<V>)
      return static_cast<V>(static_cast<std::uint64_t>(product) * static_cast<std::uint64_t>(x));
    else
      return product * x;
  }
};

// A NaN anywhere gives NaN. The new value comes first: its test for NaN is then off the chain of dependent operations.
struct Max {
  template <class T>
  static constexpr T identity() {
    constexpr T value =
        std::numeric_limits<T>::has_infinity ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
    return value;  // computed when compiling: no call of a function without a level in its name
  }
  template <class V>
  AOTC_INLINE V prepare(V x) const {
    return x;
  }
  template <class V>
  AOTC_INLINE V operator()(V most, V x) const {
    return max(x, most);
  }
};

struct Min {
  template <class T>
  static constexpr T identity() {
    constexpr T value =
        std::numeric_limits<T>::has_infinity ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
    return value;  // computed when compiling: no call of a function without a level in its name
  }
  template <class V>
  AOTC_INLINE V prepare(V x) const {
    return x;
  }
  template <class V>
  AOTC_INLINE V operator()(V least, V x) const {
    return min(x, least);
  }
};

// ---------------------------------------------------------------------------------------------------------- lanes
// Element types that folds handle in vectors; loops over others are left to the compiler.
template <class T>
constexpr bool folds_in_vectors =
    std::is_same_v<T, float> || std::is_same_v<T, double> || std::is_same_v<T, std::int32_t> ||
    std::is_same_v<T, std::int8_t> || std::is_same_v<T, std::uint8_t>;

// Full or Scalar, the value that goes with it, and how many elements that is.
template <class T>
using FoldLanes = std::conditional_t<folds_in_vectors<T>, Full, Scalar>;
template <class T>
using FoldVec = std::conditional_t<folds_in_vectors<T>, Vec<T>, T>;
template <class T>
constexpr int fold_lanes_of = folds_in_vectors<T> ? vec_lanes<T> : 1;

namespace detail {
alignas(64) inline constexpr float lane_numbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
}

// `value` in the lanes that count, `other` in those behind them.
template <class V>
AOTC_INLINE V keep_first(V value, Full, V) {
  return value;
}
template <class V>
AOTC_INLINE V keep_first(V value, Tail lanes, V other) {
  using T = element_of<V>;
  if constexpr (std::is_same_v<T, float> && vec_lanes<T> <= 16) {
#if !defined(AOTC_SCALAR) && defined(__AVX512F__)
    return _mm512_mask_blend_ps(detail::first_lanes(lanes.count), other, value);
#else
    return select(lt(load(detail::lane_numbers, Full{}), V(static_cast<float>(lanes.count))), value, other);
#endif
  } else {
    alignas(64) T values[vec_lanes<T>];
    store(values, other, Full{});
    store(values, value, lanes);
    return load(static_cast<const T*>(values), Full{});
  }
}

#if !defined(AOTC_SCALAR) && AOTC_HAS_SHUFFLES && \
    (defined(__SSE2__) || (defined(__ARM_NEON) && !defined(__ARM_FEATURE_SVE)))
#define AOTC_FOLDS_BY_SHUFFLES 1
#else
#define AOTC_FOLDS_BY_SHUFFLES 0
#endif

namespace detail {
#if AOTC_FOLDS_BY_SHUFFLES
template <int Distance, std::size_t... I>
AOTC_INLINE Vec<float> swap_lanes(Vec<float> value, std::index_sequence<I...>) {
  return Vec<float>(__builtin_shufflevector(value.data, value.data, (I ^ Distance)...));
}
template <int Distance, class Op>
AOTC_INLINE Vec<float> fold_halves(Vec<float> value, const Op& op) {
  if constexpr (Distance == 0) {
    return value;
  } else {
    const Vec<float> other = swap_lanes<Distance>(value, std::make_index_sequence<vec_lanes<float>>());
    return fold_halves<Distance / 2>(op(value, other), op);
  }
}
#endif

// The lanes of `value` folded as fold_lanes() does; float stays in registers, since rows may be short and many.
template <class V, class Op>
AOTC_INLINE element_of<V> fold_vector(V value, const Op& op) {
#if AOTC_FOLDS_BY_SHUFFLES
  if constexpr (std::is_same_v<V, Vec<float>>) return fold_halves<vec_lanes<float> / 2>(value, op).get(0);
#endif
  return fold_lanes(value, op);
}
}  // namespace detail

// ------------------------------------------------------------------------------------------------------ the loops
// Integers that are not in vectors (int64, or no vector unit) take one chain and one column at a time: GCC 12.2
// at -O3 computes wrong sums of signed integers where several chains run side by side (as SLP reductions).

// The longest chain of dependent operations.
constexpr int fold_run = 256;

// All of f(i, lanes), for i = 0 ... length - 1 in vectors, folded to one element. f may store what it computes.
template <class T, class Op, class F>
AOTC_INLINE T fold_row(int length, const Op& op, const F& f) {
  using V = FoldVec<T>;
  constexpr FoldLanes<T> full{};
  constexpr int step = fold_lanes_of<T>, chains = 4;
  const V identity = splat<V>(Op::template identity<T>());
  V total = identity;
  if constexpr (std::is_integral_v<V>) {
    for (int i = 0; i < length; ++i) total = op(total, f(i, full));
    return total;
  }
  for (int begin = 0; begin < length; begin += fold_run * chains * step) {
    const int end = min_of(length, begin + fold_run * chains * step);
    V sum[chains] = {identity, identity, identity, identity};
    int i = begin;
    for (; i + chains * step <= end; i += chains * step) {
      AOTC_UNROLL(4)
      for (int j = 0; j < chains; ++j) sum[j] = op(sum[j], f(i + j * step, full));
    }
    for (; i + step <= end; i += step) sum[0] = op(sum[0], f(i, full));
    if constexpr (step > 1)
      if (i < end) sum[1] = op(sum[1], keep_first(f(i, Tail{end - i}), Tail{end - i}, identity));
    total = op(total, op(op(sum[0], sum[1]), op(sum[2], sum[3])));
  }
  if constexpr (step > 1)
    return detail::fold_vector(total, op);
  else
    return total;
}

// total[u] = all of f(row, u) for row = 0 ... length - 1: `Columns` vectors side by side, each folded lane by lane.
template <int Columns, class V, class Op, class F>
AOTC_INLINE void fold_columns(int length, const Op& op, V (&total)[Columns], const F& f) {
  constexpr int chains = Columns == 1 && !std::is_integral_v<V> ? 4 : 1;
  const V identity = splat<V>(Op::template identity<element_of<V>>());
  AOTC_UNROLL(4)
  for (int u = 0; u < Columns; ++u) total[u] = identity;
  for (int begin = 0; begin < length; begin += fold_run * chains) {
    const int end = min_of(length, begin + fold_run * chains);
    V sum[chains * Columns];
    AOTC_UNROLL(4)
    for (int i = 0; i < chains * Columns; ++i) sum[i] = identity;
    int row = begin;
    for (; row + chains <= end; row += chains) {
      AOTC_UNROLL(4)
      for (int i = 0; i < chains * Columns; ++i) sum[i] = op(sum[i], f(row + i / Columns, i % Columns));
    }
    if constexpr (chains > 1) {
      for (; row < end; ++row) sum[0] = op(sum[0], f(row, 0));
      total[0] = op(total[0], op(op(sum[0], sum[1]), op(sum[2], sum[3])));
    } else {
      AOTC_UNROLL(4)
      for (int u = 0; u < Columns; ++u) total[u] = op(total[u], sum[u]);
    }
  }
}

// Calls f(column, count, lanes) for the columns [begin, end): count 4 vectors at once (as an integral_constant) while
// there are so many, then 1, the last one a Tail where elements are left.
template <class T, class F>
AOTC_INLINE void for_each_columns(int begin, int end, const F& f) {
  constexpr FoldLanes<T> full{};
  constexpr int step = fold_lanes_of<T>;
  int i = begin;
  if constexpr (!std::is_integral_v<FoldVec<T>>)
    for (; i + 4 * step <= end; i += 4 * step) f(i, std::integral_constant<int, 4>(), full);
  for (; i + step <= end; i += step) f(i, std::integral_constant<int, 1>(), full);
  if constexpr (step > 1)
    if (i < end) f(i, std::integral_constant<int, 1>(), Tail{end - i});
}

AOTC_KERNELS_END
