// Extents that only the run knows, as data: y [count] = values.
//
// Layout: count, values [count].
#pragma once
#include "split.hpp"

AOTC_KERNELS_BEGIN

template <class L>
constexpr int write_extents_units(const L&) {
  return 1;
}

template <class L>
void write_extents(const L& l, std::int64_t* y, Part part) {
  for (int unit = part.begin; unit < part.end; ++unit)
    for (int i = 0; i < l.count; ++i) y[i] = l.values[i];
}

AOTC_KERNELS_END
