// How the work of a step is cut into units for threads to take, and the loops over index spaces that kernels share. The
// cut follows from the extents alone, never from the number of threads, so that results cannot depend on it. Must not
// touch data.
#pragma once
#include <utility>

#include "config.hpp"

AOTC_KERNELS_BEGIN

// A unit holds about this many elements of cheap work: less is not worth waking a thread for.
constexpr int unit_elements = 4096;
// A step with enough work is cut into this many units at least: enough for all threads.
constexpr int least_units = 16;
// Rows are cut at multiples of this many elements, so that only the last piece of a row has a tail, whatever the type.
constexpr int unit_alignment = 64;

// A space of rows x columns and the size of the blocks it is cut into; one block is one unit.
struct Blocks {
  int rows, columns;
  int block_rows, block_columns;

  constexpr int across() const { return ceil_div(columns, block_columns); }
  constexpr int count() const { return ceil_div(rows, block_rows) * across(); }
};

// Blocks of whole rows where rows are short, of parts of one row where they are long. cost: the work of an element, 1
// for something like an addition.
constexpr Blocks blocks_of(int rows, int columns, int cost = 1) {
  const int elements = max_of(1, unit_elements / cost);
  if (columns >= 2 * round_up(elements, unit_alignment)) return {rows, columns, 1, round_up(elements, unit_alignment)};
  return {rows, columns, max_of(1, elements / max_of(1, columns)), max_of(1, columns)};
}

// Calls body(row_begin, row_end, column_begin, column_end) for the units of `part`, in order.
template <class Body>
AOTC_INLINE void for_each_block(const Blocks& blocks, Part part, const Body& body) {
  const int across = blocks.across();
  if (across == 1) {  // whole rows: neighbouring units become one call
    const int end = min_of(part.end * blocks.block_rows, blocks.rows);
    if (part.begin < part.end) body(part.begin * blocks.block_rows, end, 0, blocks.columns);
    return;
  }
  for (int unit = part.begin; unit < part.end; ++unit) {
    const int row = unit / across * blocks.block_rows;
    const int column = unit % across * blocks.block_columns;
    body(row, min_of(row + blocks.block_rows, blocks.rows), column,
         min_of(column + blocks.block_columns, blocks.columns));
  }
}

namespace detail {
template <int Count, class Body, std::size_t... D>
AOTC_INLINE void index_runs(const int* extent, int begin, int end, const Body& body, std::index_sequence<D...>) {
  if (begin >= end) return;  // an extent may be 0 then
  int index[Count];
  int rest = begin;
  AOTC_UNROLL(8)
  for (int d = Count - 1; d > 0; --d) {
    index[d] = rest % extent[d];
    rest /= extent[d];
  }
  index[0] = rest;
  while (begin < end) {
    const int first = index[Count - 1];
    const int length = min_of(extent[Count - 1] - first, end - begin);
    for (int i = first; i < first + length; ++i) body(index[D]..., i);
    begin += length;
    index[Count - 1] = 0;
    bool carry = true;
    AOTC_UNROLL(8)
    for (int d = Count - 2; d >= 0; --d) {
      if (carry) ++index[d];
      carry = carry && d > 0 && index[d] == extent[d];
      if (carry) index[d] = 0;
    }
  }
}
}  // namespace detail

// Calls body(i0, ..., i{Count-1}) for the positions [begin, end) of a space of Count dimensions, the last one fastest.
template <int Count, class Body>
AOTC_INLINE void for_each_index(const int* extent, int begin, int end, const Body& body) {
  if constexpr (Count == 0) {
    for (int i = begin; i < end; ++i) body();
  } else if constexpr (Count == 1) {
    for (int i = begin; i < end; ++i) body(i);
  } else {
    detail::index_runs<Count>(extent, begin, end, body, std::make_index_sequence<Count - 1>());
  }
}

AOTC_KERNELS_END
