// Reductions along one axis: y [outer][inner] = epilogue(fold of x [outer][length][inner] along
// length), all contiguous.
//
// Layout: outer, length, inner. op is one of Sum, SumOfSquares, SumOfMagnitudes, Product, Max, Min (fold.hpp); a
// mean is a Sum whose epilogue divides. epilogue(acc, lanes, o, i) returns what is stored: vectors over inner, or
// one element (lanes is Scalar) where inner is 1. Integers wrap around; a NaN goes through Max and Min; a length of
// 0 gives the identity of op. x: float, double and integers, or bytes that are read as floats (dequantized.hpp); y's
// type is what the epilogue's results are stored as. x and y do not overlap.
#pragma once
#include "dequantized.hpp"
#include "fold.hpp"
#include "split.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

// Whole rows where inner is 1 (one row is never split: its sum would depend on where); columns otherwise.
template <class L>
constexpr Blocks reduce_blocks(const L& l) {
  if (l.inner == 1) return {l.outer, 1, max_of(1, unit_elements / max_of(1, l.length)), 1};
  return blocks_of(l.outer, l.inner, max_of(1, l.length));
}

template <class L, class X, class Y, class Op, class Epilogue>
AOTC_INLINE void reduce_columns(const L& l, X x, Y* y, int o, int begin, int end, const Op& op,
                                const Epilogue& epilogue) {
  using T = value_of<X>;
  for_each_columns<T>(begin, end, [&](int i, auto columns, auto lanes) AOTC_INLINE_LAMBDA {
    constexpr int count = decltype(columns)::value;
    FoldVec<T> total[count];
    fold_columns(l.length, op, total, [&](int row, int u) AOTC_INLINE_LAMBDA {
      return op.prepare(load(x + static_cast<std::ptrdiff_t>(row) * l.inner + i + u * fold_lanes_of<T>, lanes));
    });
    AOTC_UNROLL(4)
    for (int u = 0; u < count; ++u) {
      const int at = i + u * fold_lanes_of<T>;
      store(y + at, epilogue(total[u], lanes, o, at), lanes);
    }
  });
}

}  // namespace detail

template <class L>
constexpr int reduce_units(const L& l) {
  return detail::reduce_blocks(l).count();
}

template <class L, class X, class Y, class Op, class Epilogue = Identity>
void reduce(const L& l, X x, Y* y, Part part, const Op& op, const Epilogue& epilogue = {}) {
  using T = value_of<X>;
  for_each_block(
      detail::reduce_blocks(l), part, [&](int row_begin, int row_end, int begin, int end) AOTC_INLINE_LAMBDA {
        for (int o = row_begin; o < row_end; ++o) {
          const auto from = x + static_cast<std::ptrdiff_t>(o) * l.length * l.inner;
          if (l.inner == 1) {
            const T total = fold_row<T>(
                l.length, op, [&](int i, auto lanes) AOTC_INLINE_LAMBDA { return op.prepare(load(from + i, lanes)); });
            y[o] = static_cast<Y>(epilogue(total, Scalar{}, o, 0));
          } else {
            detail::reduce_columns(l, from, y + static_cast<std::ptrdiff_t>(o) * l.inner, o, begin, end, op, epilogue);
          }
        }
      });
}

AOTC_KERNELS_END
