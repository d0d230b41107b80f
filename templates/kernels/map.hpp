// Element-wise steps: y[i0, i1, ...] = f(i0, i1, ...), where f loads what it needs, broadcasts included.
//
//   map                 whole vectors along the last dimension and a padded tail; y is contiguous there (last y_stride
//                       1), of floats, or of bytes or halves made of vectors of floats
//   map_scalar          one element at a time: any element types, any strides
//   map_several         several results at once, of one type: whole vectors, any strides
//   map_several_scalar  the same, one element at a time
//
// Layout: rank, and where rank > 0 extent[rank] and y_stride[rank], strides in elements. Prefer few, long dimensions:
// the last one is the vector loop. f(lanes, i0, ..., i{rank-1}) returns the value to store; lanes is Full, Tail or
// Scalar (vec.hpp). y may be the memory of an operand that f reads at the very place it is about to write. No other
// state. Of several results, y_stride has the strides of one after those of the other, y is several(y0, y1, ...), and f
// returns several(value0, value1, ...): it has read all it needs before the first of them is stored.
#pragma once
#include <type_traits>

#include "halves.hpp"
#include "split.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

// Elements to a vector: bytes and halves are computed on as floats (bytes.hpp, halves.hpp).
template <class T>
constexpr int map_lanes = vec_lanes<std::conditional_t<sizeof(T) == 1 || std::is_class_v<T>, float, T>>;

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

// Calls row(column_begin, column_end, i0, ..., i{rank-2}) for every piece of a row in `part`.
template <class L, class Row>
AOTC_INLINE void map_rows(const L& l, Part part, const Row& row) {
  for_each_block(map_blocks(l), part, [&](int row_begin, int row_end, int begin, int end) AOTC_INLINE_LAMBDA {
    for_each_index<L::rank - 1>(l.extent, row_begin, row_end,
                                [&](auto... index) AOTC_INLINE_LAMBDA { row(begin, end, index...); });
  });
}

}  // namespace detail

// Several results of one call of f, or where they go.
template <int Count, class T>
struct Several {
  T values[Count];
};

template <class T, class... More>
AOTC_INLINE constexpr Several<1 + static_cast<int>(sizeof...(More)), T> several(T first, More... more) {
  return {{first, more...}};
}

namespace detail {

// Two results of which one fills the gaps of the other.
template <int Count, class T>
AOTC_INLINE bool are_interleaved(const Several<Count, T*>& y, const int* stride) {
  return Count == 2 && stride[0] == 2 && stride[Count - 1] == 2 && y.values[Count - 1] == y.values[0] + 1;
}

template <int Count, class T, class V, class Lanes>
AOTC_INLINE void store_several(const Several<Count, T*>& y, const int* stride, const Several<Count, V>& values,
                               Lanes lanes) {
#ifndef AOTC_SCALAR
  if constexpr (std::is_same_v<Lanes, Full>)
    if (are_interleaved(y, stride))
      return store_interleaved(y.values[0], values.values[0], values.values[Count - 1], lanes);
#endif
  AOTC_UNROLL(8)
  for (int k = 0; k < Count; ++k)
    if (stride[k] == 1)
      store(y.values[k], values.values[k], lanes);
    else
      store_strided(y.values[k], stride[k], values.values[k], lanes);
}

// Calls piece(y_row, strides, begin, end, i0, ..., i{rank-2}) for every piece of a row in `part`: where the results'
// rows begin, and how far apart the elements of each lie.
template <class L, int Count, class T, class Piece>
AOTC_INLINE void map_several_rows(const L& l, const Several<Count, T*>& y, Part part, const Piece& piece) {
  map_rows(l, part, [&](int begin, int end, auto... index) AOTC_INLINE_LAMBDA {
    Several<Count, T*> rows = y;
    int strides[Count];
    AOTC_UNROLL(8)
    for (int k = 0; k < Count; ++k) {
      rows.values[k] += offset_of(l.y_stride + k * L::rank, index...);
      strides[k] = l.y_stride[(k + 1) * L::rank - 1];
    }
    piece(rows, strides, begin, end, index...);
  });
}

template <int Count, class T>
AOTC_INLINE Several<Count, T*> advanced(Several<Count, T*> y, const int* stride, int i) {
  AOTC_UNROLL(8)
  for (int k = 0; k < Count; ++k) y.values[k] += static_cast<std::ptrdiff_t>(i) * stride[k];
  return y;
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

template <class L>
constexpr int map_several_units(const L& l) {
  return map_units(l);
}

template <class L>
constexpr int map_several_scalar_units(const L& l) {
  return map_units(l);
}

template <class L, class T, class F>
void map(const L& l, T* y, Part part, const F& f) {
  if constexpr (L::rank == 0) {
    if (part.begin < part.end) *y = f(Scalar{});
  } else {
    detail::map_rows(l, part, [&](int begin, int end, auto... index) AOTC_INLINE_LAMBDA {
      T* const out = y + detail::offset_of(l.y_stride, index...);
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
    detail::map_rows(l, part, [&](int begin, int end, auto... index) AOTC_INLINE_LAMBDA {
      T* const out = y + detail::offset_of(l.y_stride, index...);
      const std::ptrdiff_t stride = l.y_stride[L::rank - 1];
      for (int i = begin; i < end; ++i) out[i * stride] = f(Scalar{}, index..., i);
    });
  }
}

template <class L, int Count, class T, class F>
void map_several_scalar(const L& l, Several<Count, T*> y, Part part, const F& f) {
  if constexpr (L::rank == 0) {
    constexpr int none[Count] = {};
    if (part.begin < part.end) detail::store_several(y, none, f(Scalar{}), Scalar{});
  } else {
    detail::map_several_rows(
        l, y, part,
        [&](const Several<Count, T*>& out, const int* stride, int begin, int end, auto... index) AOTC_INLINE_LAMBDA {
          for (int i = begin; i < end; ++i)
            detail::store_several(detail::advanced(out, stride, i), stride, f(Scalar{}, index..., i), Scalar{});
        });
  }
}

template <class L, int Count, class T, class F>
void map_several(const L& l, Several<Count, T*> y, Part part, const F& f) {
  if constexpr (L::rank == 0) {
    map_several_scalar(l, y, part, f);
  } else {
    detail::map_several_rows(
        l, y, part,
        [&](const Several<Count, T*>& out, const int* stride, int begin, int end, auto... index) AOTC_INLINE_LAMBDA {
          int i = begin;
          for (; i + vec_lanes<T> <= end; i += vec_lanes<T>)
            detail::store_several(detail::advanced(out, stride, i), stride, f(Full{}, index..., i), Full{});
          if (i < end)
            detail::store_several(detail::advanced(out, stride, i), stride, f(Tail{end - i}, index..., i),
                                  Tail{end - i});
        });
  }
}

AOTC_KERNELS_END
