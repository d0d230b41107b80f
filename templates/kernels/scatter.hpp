// Elements and slices written to places that indices name, over a copy of x:
//
//   scatter_elements  y[o][indices[o][j][i]][i] <- updates[o][j][i]: x and y [outer][length][inner],
//                     updates and indices [outer][count][inner]
//   scatter_nd        y[indices[n][0]][indices[n][1]]... <- updates[n]: x and y [dims...][inner],
//                     indices [count][depth], updates [count][inner]
//   tensor_scatter    y[b][o][begins[b] + j] <- updates[b][o][j]: x and y [batch][outer][length][inner], updates
//                     [batch][outer][count][inner], begins [batch]
//
// Layouts: outer, length, inner, count; count, depth, dims[depth], inner; and batch, outer, length, count, inner,
// circular. All buffers are contiguous; y may be x, and does not overlap the others. Indices are int32 or int64;
// negative ones count from the end. What an index out of its range names is not written, and the call returns false,
// for the caller to report. Updates of one element are applied in the order of j or n. T is any trivially copyable
// type where `reduce` is Overwrite, one of numbers elsewhere.
#pragma once
#include "gather_nd.hpp"
#include "scalar.hpp"

AOTC_KERNELS_BEGIN

// What an element becomes. Comparisons with NaN are false, so that the update counts, as in ONNX Runtime.
struct Overwrite {
  template <class T>
  AOTC_INLINE T operator()(T, T update) const {
    return update;
  }
};
struct AddTo {
  template <class T>
  AOTC_INLINE T operator()(T current, T update) const {
    if constexpr (std::is_same_v<T, bool>)
      return current || update;
    else if constexpr (std::is_integral_v<T>)
      return wrapping_add(current, update);
    else
      return current + update;
  }
};
struct MultiplyBy {
  template <class T>
  AOTC_INLINE T operator()(T current, T update) const {
    if constexpr (std::is_same_v<T, bool>)
      return current && update;
    else if constexpr (std::is_integral_v<T>)
      return wrapping_multiply(current, update);
    else
      return current * update;
  }
};
struct RaiseTo {
  template <class T>
  AOTC_INLINE T operator()(T current, T update) const {
    return current > update ? current : update;
  }
};
struct LowerTo {
  template <class T>
  AOTC_INLINE T operator()(T current, T update) const {
    return current < update ? current : update;
  }
};

namespace detail {

template <class T>
AOTC_INLINE void copy_row(const T* x, T* y, std::ptrdiff_t at, int count) {
  if (x != y) std::memcpy(y + at, x + at, static_cast<std::size_t>(count) * sizeof(T));
}

// A unit owns the whole axis at some places [outer][inner], so that only it writes there.
template <class L>
constexpr Blocks scatter_elements_blocks(const L& l) {
  const std::int64_t cost = static_cast<std::int64_t>(l.length) + 2 * static_cast<std::int64_t>(l.count);
  return blocks_of(l.outer, l.inner, static_cast<int>(cost < unit_elements ? cost < 1 ? 1 : cost : unit_elements));
}

template <class L>
constexpr int scatter_slices(const L& l) {
  int slices = 1;
  for (int d = 0; d < l.depth; ++d) slices *= l.dims[d];
  return slices;
}

// A unit owns some slices of y, or a part of one, and reads all indices: it is large enough for that not to count.
template <class L>
constexpr Blocks scatter_nd_blocks(const L& l) {
  const int slices = scatter_slices(l);
  const int least = max_of(unit_elements, 4 * min_of(l.count, 1 << 22) * l.depth);
  if (l.inner >= 2 * round_up(least, unit_alignment)) return {slices, l.inner, 1, round_up(least, unit_alignment)};
  return {slices, l.inner, max_of(1, least / max_of(1, l.inner)), max_of(1, l.inner)};
}

template <class L>
constexpr Blocks tensor_scatter_blocks(const L& l) {
  return blocks_of(l.batch * l.outer * l.length, l.inner);
}

}  // namespace detail

template <class L>
constexpr int scatter_elements_units(const L& l) {
  return detail::scatter_elements_blocks(l).count();
}

// Whether all indices of the part are in range.
template <class L, class T, class Index, class Reduce>
bool scatter_elements(const L& l, const T* x, const Index* indices, const T* updates, T* y, Part part, Reduce reduce) {
  bool in_range = true;
  for_each_block(detail::scatter_elements_blocks(l), part, [&](int outer_begin, int outer_end, int begin, int end) {
    for (int o = outer_begin; o < outer_end; ++o) {
      const std::ptrdiff_t block = static_cast<std::ptrdiff_t>(o) * l.length * l.inner;
      for (int j = 0; j < l.length; ++j)
        detail::copy_row(x, y, block + static_cast<std::ptrdiff_t>(j) * l.inner + begin, end - begin);
      for (int j = 0; j < l.count; ++j) {
        const std::ptrdiff_t row = (static_cast<std::ptrdiff_t>(o) * l.count + j) * l.inner;
        for (int i = begin; i < end; ++i) {
          const Index index = indices[row + i];
          const bool is_good = detail::is_in_range(index, l.length);
          in_range &= is_good;
          if (!is_good) continue;
          T& element = y[block + detail::gather_slice(index, l.length) * l.inner + i];
          element = reduce(element, updates[row + i]);
        }
      }
    }
  });
  return in_range;
}

template <class L>
constexpr int scatter_nd_units(const L& l) {
  return detail::scatter_nd_blocks(l).count();
}

// Whether all indices are in range.
template <class L, class T, class Index, class Reduce>
bool scatter_nd(const L& l, const T* x, const Index* indices, const T* updates, T* y, Part part, Reduce reduce) {
  bool in_range = true;
  for_each_block(detail::scatter_nd_blocks(l), part, [&](int slice_begin, int slice_end, int begin, int end) {
    for (int slice = slice_begin; slice < slice_end; ++slice)
      detail::copy_row(x, y, static_cast<std::ptrdiff_t>(slice) * l.inner + begin, end - begin);
    for (int n = 0; n < l.count; ++n) {
      const Index* const index = indices + static_cast<std::ptrdiff_t>(n) * l.depth;
      bool is_good = true;
      std::ptrdiff_t slice = 0;
      for (int d = 0; d < l.depth; ++d) {
        is_good &= detail::is_in_range(index[d], l.dims[d]);
        slice = slice * l.dims[d] + detail::gather_slice(index[d], l.dims[d]);
      }
      in_range &= is_good;
      if (!is_good || slice < slice_begin || slice >= slice_end) continue;
      T* const to = y + slice * l.inner;
      const T* const from = updates + static_cast<std::ptrdiff_t>(n) * l.inner;
      for (int i = begin; i < end; ++i) to[i] = reduce(to[i], from[i]);
    }
  });
  return in_range;
}

template <class L>
constexpr int tensor_scatter_units(const L& l) {
  return detail::tensor_scatter_blocks(l).count();
}

// Whether all begins of the part are in range: not negative, and within the dimension, which circular takes as a ring.
// 0 <= count <= length.
template <class L, class T, class Index>
bool tensor_scatter(const L& l, const T* x, const T* updates, const Index* begins, T* y, Part part) {
  bool in_range = true;
  for_each_block(
      detail::tensor_scatter_blocks(l), part, [&](int row_begin, int row_end, int column_begin, int column_end) {
        const int columns = column_end - column_begin;
        for (int row = row_begin; row < row_end; ++row) {
          const int line = row / l.length;  // of batch and outer
          const Index begin = begins[line / l.outer];
          const bool is_good = begin >= 0 && (l.circular || begin <= l.length - l.count);
          in_range &= is_good;
          int j = row % l.length - (is_good ? static_cast<int>(begin % l.length) : 0);
          if (l.circular && j < 0) j += l.length;
          const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(row) * l.inner + column_begin;
          if (!is_good || j < 0 || j >= l.count) {
            detail::copy_row(x, y, at, columns);
            continue;
          }
          const std::ptrdiff_t from = (static_cast<std::ptrdiff_t>(line) * l.count + j) * l.inner + column_begin;
          std::memcpy(y + at, updates + from, static_cast<std::size_t>(columns) * sizeof(T));
        }
      });
  return in_range;
}

AOTC_KERNELS_END
