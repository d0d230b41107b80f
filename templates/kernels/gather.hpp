// Slices picked by index: y [outer][count][inner] = x [outer][axis_length][inner] at indices [count], all contiguous.
//
// Layout: outer, axis_length, inner, count. Indices are int32 or int64; negative ones count from the end. An index
// outside [-axis_length, axis_length) reads the nearest slice there is, or zeros where there is none, never other
// memory, and the call returns false, for the caller to report. T is any trivially copyable type; x and y do not
// overlap. Halves may be gathered as floats.
#pragma once
#include <cstring>

#include "halves.hpp"
#include "split.hpp"

AOTC_KERNELS_BEGIN

namespace detail {
template <class L>
constexpr Blocks gather_blocks(const L& l) {
  return blocks_of(l.outer * l.count, l.inner);
}

template <class T>
AOTC_INLINE void gather_run(const T* x, T* y, int count) {
  std::memcpy(y, x, static_cast<std::size_t>(count) * sizeof(T));
}
template <Element Type>
AOTC_INLINE void gather_run(const Half<Type>* x, float* y, int count) {
  for_each_vector<float>(count, [&](int i, auto lanes) AOTC_INLINE_LAMBDA { store(y + i, load(x + i, lanes), lanes); });
}

template <class Y>
AOTC_INLINE void gather_nothing(Y* y, int count) {
  for (int i = 0; i < count; ++i) y[i] = Y{};
}

// The slice that `index` names; axis_length > 0.
template <class Index>
AOTC_INLINE std::ptrdiff_t gather_slice(Index index, int axis_length) {
  const Index length = static_cast<Index>(axis_length);
  const Index slice = index < 0 ? static_cast<Index>(index + length) : index;
  return static_cast<std::ptrdiff_t>(slice < 0 ? 0 : slice < length ? slice : length - 1);
}
}  // namespace detail

template <class L>
constexpr int gather_units(const L& l) {
  return detail::gather_blocks(l).count();
}

// Whether all indices of the part are in range.
template <class L, class X, class Index, class Y>
bool gather(const L& l, const X* x, const Index* indices, Y* y, Part part) {
  bool in_range = true;
  for_each_block(
      detail::gather_blocks(l), part, [&](int row_begin, int row_end, int begin, int end) AOTC_INLINE_LAMBDA {
        int outer = row_begin / l.count;
        int i = row_begin % l.count;
        for (int row = row_begin; row < row_end; ++row) {
          in_range &= indices[i] >= -l.axis_length && indices[i] < l.axis_length;
          Y* const to = y + static_cast<std::ptrdiff_t>(row) * l.inner + begin;
          if (l.axis_length > 0) {
            const std::ptrdiff_t from =
                static_cast<std::ptrdiff_t>(outer) * l.axis_length + detail::gather_slice(indices[i], l.axis_length);
            detail::gather_run(x + from * l.inner + begin, to, end - begin);
          } else {
            detail::gather_nothing(to, end - begin);
          }
          if (++i == l.count) i = 0, ++outer;
        }
      });
  return in_range;
}

AOTC_KERNELS_END
