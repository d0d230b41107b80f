// Elements and slices picked by indices of their own:
//
//   gather_elements  y[o][j][i] = x[o][indices[o][j][i]][i]: x [outer][axis_length][inner], y and indices
//                    [outer][count][inner]
//   gather_nd        y[b][n] = x[b][indices[b][n][0]][indices[b][n][1]]...: x [batch][dims...][inner], indices
//                    [batch][count][depth], y [batch][count][inner]
//
// Layouts: outer, axis_length, inner, count; and batch, count, depth, dims[depth], inner. All buffers are contiguous
// and do not overlap. Indices are int32 or int64; negative ones count from the end. One out of its range reads the
// nearest place there is, or zero where there is none, never other memory, and the call returns false, for the caller
// to report. T is any trivially copyable type.
#pragma once
#include "gather.hpp"

AOTC_KERNELS_BEGIN

namespace detail {
template <class Index>
AOTC_INLINE bool is_in_range(Index index, int length) {
  return index >= -length && index < length;
}

template <class L>
constexpr Blocks gather_nd_blocks(const L& l) {
  return blocks_of(l.batch * l.count, l.inner);
}
}  // namespace detail

template <class L>
constexpr int gather_elements_units(const L& l) {
  return detail::gather_blocks(l).count();
}

// Whether all indices of the part are in range.
template <class L, class T, class Index>
bool gather_elements(const L& l, const T* x, const Index* indices, T* y, Part part) {
  bool in_range = true;
  for_each_block(detail::gather_blocks(l), part, [&](int row_begin, int row_end, int begin, int end) {
    for (int row = row_begin; row < row_end; ++row) {
      const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(row) * l.inner;
      if (l.axis_length == 0) {
        in_range = false;
        detail::gather_nothing(y + at + begin, end - begin);
        continue;
      }
      const T* const from = x + static_cast<std::ptrdiff_t>(row / l.count) * l.axis_length * l.inner;
      for (int i = begin; i < end; ++i) {
        const Index index = indices[at + i];
        in_range &= detail::is_in_range(index, l.axis_length);
        y[at + i] = from[detail::gather_slice(index, l.axis_length) * l.inner + i];
      }
    }
  });
  return in_range;
}

template <class L>
constexpr int gather_nd_units(const L& l) {
  return detail::gather_nd_blocks(l).count();
}

// Whether all indices of the part are in range.
template <class L, class T, class Index>
bool gather_nd(const L& l, const T* x, const Index* indices, T* y, Part part) {
  bool in_range = true;
  for_each_block(detail::gather_nd_blocks(l), part, [&](int row_begin, int row_end, int begin, int end) {
    for (int row = row_begin; row < row_end; ++row) {
      const Index* const index = indices + static_cast<std::ptrdiff_t>(row) * l.depth;
      T* const to = y + static_cast<std::ptrdiff_t>(row) * l.inner + begin;
      std::ptrdiff_t slice = row / l.count;
      bool is_empty = false;
      for (int d = 0; d < l.depth; ++d) {
        in_range &= detail::is_in_range(index[d], l.dims[d]);
        is_empty |= l.dims[d] == 0;
        slice = slice * l.dims[d] + detail::gather_slice(index[d], l.dims[d]);
      }
      if (is_empty)
        detail::gather_nothing(to, end - begin);
      else
        detail::gather_run(x + slice * l.inner + begin, to, end - begin);
    }
  });
  return in_range;
}

AOTC_KERNELS_END
