// What a loop of the run does besides the steps of its body: counts iterations, carries values from one to the next,
// and collects what each gives. Arrays are dense at their actual extents, so that a copy is one of elements in a row.
#pragma once
#include <cstring>

#include "split.hpp"

AOTC_KERNELS_BEGIN

// Before the first iteration. number: that of the iteration, goes_on: whether there is one.
template <class L>
constexpr int start_loop_units(const L&) {
  return 1;
}

template <class L>
void start_loop(const L&, const std::int64_t* trip_count, const bool* condition, std::int64_t* number, bool* goes_on,
                Part) {
  *number = 0;
  *goes_on = *condition && *trip_count > 0;
}

// Behind an iteration.
template <class L>
constexpr int next_iteration_units(const L&) {
  return 1;
}

template <class L>
void next_iteration(const L&, const std::int64_t* trip_count, const bool* condition, std::int64_t* number,
                    bool* goes_on, Part) {
  ++*number;
  *goes_on = *condition && *number < *trip_count;
}

namespace detail {

template <class T>
AOTC_INLINE void copy_elements(const T* from, T* to, int begin, int end) {
  if (begin < end) std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin) * sizeof(T));
}

}  // namespace detail

// Layout: length, room. to [room] = from [length]. False where there is no room for all: the rest is left out.
template <class L>
constexpr int carry_units(const L& l) {
  return blocks_of(1, l.length).count();
}

template <class L, class T>
bool carry(const L& l, const T* from, T* to, Part part) {
  for_each_block(blocks_of(1, l.length), part,
                 [&](int, int, int begin, int end) { detail::copy_elements(from, to, begin, min_of(end, l.room)); });
  return l.length <= l.room;
}

// Layout: length, room. to [room][length], its row `number` = from [length]. False where there is no such row.
template <class L>
constexpr int collect_units(const L& l) {
  return blocks_of(1, l.length).count();
}

template <class L, class T>
bool collect(const L& l, const T* from, const std::int64_t* number, T* to, Part part) {
  if (*number >= l.room) return false;
  T* const row = to + *number * l.length;
  for_each_block(blocks_of(1, l.length), part,
                 [&](int, int, int begin, int end) { detail::copy_elements(from, row, begin, end); });
  return true;
}

AOTC_KERNELS_END
