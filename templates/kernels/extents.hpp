// Extents that only the run knows: as data, and found out from data.
#pragma once
#include <cmath>
#include <type_traits>

#include "split.hpp"

AOTC_KERNELS_BEGIN

// As data: y [count] = values. Layout: count, values [count].
template <class L>
constexpr int write_extents_units(const L&) {
  return 1;
}

template <class L>
void write_extents(const L& l, std::int64_t* y, Part part) {
  for (int unit = part.begin; unit < part.end; ++unit)
    for (int i = 0; i < l.count; ++i) y[i] = l.values[i];
}

// Extents that a step finds out return as they are, negative or large; what becomes of those outside their bounds is
// the caller's business. Each is one unit of work.

// Layout: limit. One more than any bound where the value is beyond the limit.
template <class L>
constexpr int read_extent_units(const L&) {
  return 1;
}

template <class L>
std::int64_t read_extent(const L& l, const std::int64_t* value, Part) {
  return *value <= l.limit ? *value : INT64_MAX;
}

// Layout: value.
template <class L>
constexpr int set_extent_units(const L&) {
  return 1;
}

template <class L>
std::int64_t set_extent(const L& l, Part) {
  return l.value;
}

// How many of start, start + delta, ... come before the limit. Steps of 0 never come to an end.
template <class L>
constexpr int count_steps_units(const L&) {
  return 1;
}

template <class L, class T>
std::int64_t count_steps(const L&, const T* start, const T* limit, const T* delta, Part) {
  if (*delta == T(0)) return INT64_MAX;
  if constexpr (std::is_floating_point_v<T>) {
    const double count = std::ceil((double(*limit) - double(*start)) / double(*delta));
    return count <= 0 ? 0 : count < 0x1p62 ? static_cast<std::int64_t>(count) : INT64_MAX;
  } else {
    const bool is_up = *delta > T(0);
    if (is_up ? *limit <= *start : *limit >= *start) return 0;
    // Distances between any two numbers fit without a sign.
    const auto distance =
        is_up ? std::uint64_t(*limit) - std::uint64_t(*start) : std::uint64_t(*start) - std::uint64_t(*limit);
    const auto step = is_up ? std::uint64_t(*delta) : 0 - std::uint64_t(*delta);
    const std::uint64_t count = (distance - 1) / step + 1;
    return count < std::uint64_t(INT64_MAX) ? static_cast<std::int64_t>(count) : INT64_MAX;
  }
}

AOTC_KERNELS_END
