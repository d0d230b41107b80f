// Element-wise steps: y[i0, i1, ...] = f(i0, i1, ...), where f loads what it needs, broadcasts included.
//
//   map         whole vectors along the last dimension and a padded tail; y is contiguous there (last y_stride 1), of
//               floats, or of bytes made of vectors of floats
//   map_scalar  one element at a time: any element types, any strides
//
// Layout: rank, and where rank > 0 extent[rank] and y_stride[rank], strides in elements. Prefer few, long dimensions:
// the last one is the vector loop. f(lanes, i0, ..., i{rank-1}) returns the value to store; lanes is Full, Tail or
// Scalar (vec.hpp). y may be the memory of an operand that f reads at the very place it is about to write. No other
// state.
#pragma once
#include "split.hpp"
#include "vec.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

// Elements to a vector: bytes are computed on as floats (bytes.hpp).
template <class T>
constexpr int map_lanes = vec_lanes<std::conditional_t<sizeof(T) == 1, float, T>>;

// Rows of the last dimension; a layout of rank 0 is one row of one element.
template <class L>
constexpr Blocks map_blocks(const L& l) {
  if constexpr (L::rank == 0) {
    return {1, 1, 1, 1};
  } else {
    int rows = 1;
    for (int d = 0; d + 1 < L::rank; ++d) rows *= l.extent[d];
    return blocks_of(rows, l.extent[L::rank - 1]);
  }
}

// sum of index[d] * stride[d] over the dimensions given.
template <class... Index>
AOTC_INLINE std::ptrdiff_t offset_of(const int* stride, Index... index) {
  std::ptrdiff_t sum = 0;
  int d = 0;
  ((sum += static_cast<std::ptrdiff_t>(index) * stride[d++]), ...);
  return sum;
}

// Calls row(y_row, column_begin, column_end, i0, ..., i{rank-2}) for every piece of a row in `part`.
template <class L, class T, class Row>
AOTC_INLINE void map_rows(const L& l, T* y, Part part, const Row& row) {
  for_each_block(map_blocks(l), part, [&](int row_begin, int row_end, int begin, int end) AOTC_INLINE_LAMBDA {
    for_each_index<L::rank - 1>(l.extent, row_begin, row_end, [&](auto... index) AOTC_INLINE_LAMBDA {
      row(y + offset_of(l.y_stride, index...), begin, end, index...);
    });
  });
}

}  // namespace detail

template <class L>
constexpr int map_units(const L& l) {
  return detail::map_blocks(l).count();
}

template <class L>
constexpr int map_scalar_units(const L& l) {
  return map_units(l);
}

template <class L, class T, class F>
void map(const L& l, T* y, Part part, const F& f) {
  if constexpr (L::rank == 0) {
    if (part.begin < part.end) *y = f(Scalar{});
  } else {
    detail::map_rows(l, y, part, [&](T* out, int begin, int end, auto... index) AOTC_INLINE_LAMBDA {
      int i = begin;
      for (; i + detail::map_lanes<T> <= end; i += detail::map_lanes<T>) store(out + i, f(Full{}, index..., i), Full{});
      if (i < end) store(out + i, f(Tail{end - i}, index..., i), Tail{end - i});
    });
  }
}

template <class L, class T, class F>
void map_scalar(const L& l, T* y, Part part, const F& f) {
  if constexpr (L::rank == 0) {
    if (part.begin < part.end) *y = f(Scalar{});
  } else {
    detail::map_rows(l, y, part, [&](T* out, int begin, int end, auto... index) AOTC_INLINE_LAMBDA {
      const std::ptrdiff_t stride = l.y_stride[L::rank - 1];
      for (int i = begin; i < end; ++i) out[i * stride] = f(Scalar{}, index..., i);
    });
  }
}

AOTC_KERNELS_END
