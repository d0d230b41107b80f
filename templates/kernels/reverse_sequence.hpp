// The first slices of each sequence in reverse order, the others where they are: x and y [time][batch][inner], or
// [batch][time][inner] with batch_first, all contiguous.
//
// Layout: time, batch, inner, batch_first. lengths [batch] lie in 0 ... time; one that does not counts as the
// nearest that does, and the call returns false, for the caller to report. T is any trivially copyable type; x and y
// do not overlap.
#pragma once
#include <cstring>

#include "split.hpp"

AOTC_KERNELS_BEGIN

template <class L>
constexpr int reverse_sequence_units(const L& l) {
  return blocks_of(l.time * l.batch, l.inner).count();
}

// Whether all lengths of the part are in range.
template <class L, class T, class Length>
bool reverse_sequence(const L& l, const T* x, const Length* lengths, T* y, Part part) {
  bool in_range = true;
  const Blocks blocks = blocks_of(l.time * l.batch, l.inner);
  for_each_block(blocks, part, [&](int row_begin, int row_end, int begin, int end) {
    for (int row = row_begin; row < row_end; ++row) {
      const int t = l.batch_first ? row % l.time : row / l.batch;
      const int b = l.batch_first ? row / l.time : row % l.batch;
      const Length given = lengths[b];
      in_range &= given >= 0 && given <= l.time;
      const int length = static_cast<int>(given < 0 ? 0 : given < l.time ? given : static_cast<Length>(l.time));
      const int from = t < length ? length - 1 - t : t;
      const std::ptrdiff_t source = l.batch_first ? static_cast<std::ptrdiff_t>(b) * l.time + from
                                                  : static_cast<std::ptrdiff_t>(from) * l.batch + b;
      std::memcpy(y + static_cast<std::ptrdiff_t>(row) * l.inner + begin, x + source * l.inner + begin,
                  static_cast<std::size_t>(end - begin) * sizeof(T));
    }
  });
  return in_range;
}

AOTC_KERNELS_END
