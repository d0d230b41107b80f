// Transposed copy of one matrix, in registers: y[p][q] = x[q][p], p contiguous in x and q in y. Square tiles of one
// 128-bit register each way are turned by rounds of interleaving; what is left at the edges goes one element at a time.
// Knows nothing of layouts or units: that is copy.hpp.
#pragma once
#include <cstring>
#include <utility>

#include "vec.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

// One element of `Bytes` bytes, whatever type it stands for.
template <int Bytes>
struct RawElement {
  static constexpr bool known = false;
};
template <>
struct RawElement<1> {
  static constexpr bool known = true;
  using type = std::uint8_t;
};
template <>
struct RawElement<2> {
  static constexpr bool known = true;
  using type = std::uint16_t;
};
template <>
struct RawElement<4> {
  static constexpr bool known = true;
  using type = std::uint32_t;
};
template <>
struct RawElement<8> {
  static constexpr bool known = true;
  using type = std::uint64_t;
};

#if !defined(AOTC_SCALAR) && AOTC_HAS_SHUFFLES
#define AOTC_TRANSPOSE_TILES 1
#else
#define AOTC_TRANSPOSE_TILES 0
#endif

#if AOTC_TRANSPOSE_TILES
template <class Raw>
struct RawVector {
  static constexpr int lanes = 16 / static_cast<int>(sizeof(Raw));
  typedef Raw type __attribute__((vector_size(16)));
};

// Elements of a and b in turn, from lane `First` on.
template <int First, class V, std::size_t... I>
AOTC_INLINE V interleave(V a, V b, std::index_sequence<I...>) {
  constexpr int lanes = static_cast<int>(sizeof...(I));
  return __builtin_shufflevector(a, b, (First + static_cast<int>(I) / 2 + static_cast<int>(I) % 2 * lanes)...);
}

// One tile of lanes x lanes; the rounds of interleaving halve the distance between neighbours of a column.
template <class T>
AOTC_INLINE void transpose_tile(const T* x, std::ptrdiff_t x_row, T* y, std::ptrdiff_t y_row) {
  using Raw = typename RawElement<sizeof(T)>::type;
  using V = typename RawVector<Raw>::type;
  constexpr int lanes = RawVector<Raw>::lanes;
  using Lanes = std::make_index_sequence<lanes>;
  V rows[lanes];
  AOTC_UNROLL(16)
  for (int i = 0; i < lanes; ++i) std::memcpy(&rows[i], x + i * x_row, sizeof(V));
  AOTC_UNROLL(4)
  for (int round = 1; round < lanes; round *= 2) {
    V turned[lanes];
    AOTC_UNROLL(8)
    for (int i = 0; i < lanes / 2; ++i) {
      turned[2 * i] = interleave<0>(rows[i], rows[i + lanes / 2], Lanes());
      turned[2 * i + 1] = interleave<lanes / 2>(rows[i], rows[i + lanes / 2], Lanes());
    }
    AOTC_UNROLL(16)
    for (int i = 0; i < lanes; ++i) rows[i] = turned[i];
  }
  AOTC_UNROLL(16)
  for (int i = 0; i < lanes; ++i) std::memcpy(y + i * y_row, &rows[i], sizeof(V));
}
#endif

template <class T>
AOTC_INLINE void transpose_elements(const T* x, std::ptrdiff_t x_row, T* y, std::ptrdiff_t y_row, int p_count,
                                    int q_count) {
  for (int p = 0; p < p_count; ++p)
    for (int q = 0; q < q_count; ++q) y[p * y_row + q] = x[q * x_row + p];
}

// Elements of y's rows that are written together: at least a cache line.
constexpr int transpose_block = 16;

// y[p * y_row + q] = x[q * x_row + p] for p < p_count, q < q_count. The caller keeps p_count small (transpose_panel),
// so that the lines being written stay in the first cache.
template <class T>
AOTC_INLINE void transpose(const T* x, std::ptrdiff_t x_row, T* y, std::ptrdiff_t y_row, int p_count, int q_count) {
#if AOTC_TRANSPOSE_TILES
  if constexpr (RawElement<sizeof(T)>::known) {
    constexpr int lanes = 16 / static_cast<int>(sizeof(T));
    const int p_tiles = p_count - p_count % lanes, q_tiles = q_count - q_count % lanes;
    for (int block = 0; block < q_tiles; block += transpose_block)  // whole cache lines of y, one after the other
      for (int p = 0; p < p_tiles; p += lanes)
        for (int q = block; q < min_of(block + transpose_block, q_tiles); q += lanes)
          transpose_tile(x + q * x_row + p, x_row, y + p * y_row + q, y_row);
    transpose_elements(x + q_tiles * x_row, x_row, y + q_tiles, y_row, p_tiles, q_count - q_tiles);
    transpose_elements(x + p_tiles, x_row, y + p_tiles * y_row, y_row, p_count - p_tiles, q_count);
    return;
  }
#endif
  transpose_elements(x, x_row, y, y_row, p_count, q_count);
}

}  // namespace detail

AOTC_KERNELS_END
