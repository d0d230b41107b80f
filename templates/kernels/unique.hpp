// The different slices of a tensor along one dimension: x [outer][length][inner], a slice being all of one index.
//
// Layout: outer, length, inner, sorted (0 or 1). y [outer][found][inner]: one of each, in their order where `sorted`
// (the elements compared one after the other, NaN behind all numbers and equal to itself), in that of their first
// occurrence elsewhere; indices [found], inverse [length], counts [found]: the first occurrence, the place in y of each
// slice, how often it occurs. scratch: 3 * length ints. One unit of work; returns how many it found.
//
// Heap sort of the indices, by slice and then by index: length * log(length) comparisons, no other memory.
#pragma once
#include "split.hpp"

AOTC_KERNELS_BEGIN

namespace detail {

// Whether slice a comes before slice b; equal ones in the order of their indices.
template <class L, class T>
struct SliceOrder {
  const L& l;
  const T* x;

  const T& element(int o, int slice, int i) const {
    return x[(static_cast<std::ptrdiff_t>(o) * l.length + slice) * l.inner + i];
  }
  // -1, 0 or 1.
  int compare(int a, int b) const {
    for (int o = 0; o < l.outer; ++o)
      for (int i = 0; i < l.inner; ++i) {
        const T p = element(o, a, i), q = element(o, b, i);
        const bool p_is_nan = p != p, q_is_nan = q != q;
        if (p < q || (q_is_nan && !p_is_nan)) return -1;
        if (q < p || (p_is_nan && !q_is_nan)) return 1;
      }
    return 0;
  }
  bool operator()(int a, int b) const {
    const int order = compare(a, b);
    return order < 0 || (order == 0 && a < b);
  }
};

template <class Before>
void sink_index(int* heap, int top, int size, int item, const Before& before) {
  for (int child = 2 * top + 1; child < size; child = 2 * top + 1) {
    if (child + 1 < size && before(heap[child], heap[child + 1])) ++child;
    if (!before(item, heap[child])) break;
    heap[top] = heap[child];
    top = child;
  }
  heap[top] = item;
}

template <class Before>
void sort_indices(int* indices, int size, const Before& before) {
  for (int top = size / 2 - 1; top >= 0; --top) sink_index(indices, top, size, indices[top], before);
  for (int end = size - 1; end > 0; --end) {
    const int last = indices[end];
    indices[end] = indices[0];
    sink_index(indices, 0, end, last, before);
  }
}

}  // namespace detail

template <class L>
constexpr int unique_units(const L&) {
  return 1;
}

template <class L, class T>
int unique(const L& l, const T* x, T* y, std::int64_t* indices, std::int64_t* inverse, std::int64_t* counts,
           void* scratch, Part) {
  int* const order = static_cast<int*>(scratch);  // all slices, sorted
  int* const first = order + l.length;            // of each group: its first slice
  int* const place = first + l.length;            // of each group: where it stands in y
  const detail::SliceOrder<L, T> before{l, x};
  for (int i = 0; i < l.length; ++i) order[i] = i;
  detail::sort_indices(order, l.length, before);
  int found = 0;
  for (int i = 0; i < l.length; ++i)
    if (i == 0 || before.compare(order[i - 1], order[i]) != 0) first[found++] = order[i];
  for (int group = 0; group < found; ++group) place[group] = group;
  if (!l.sorted) {
    // Groups by their first slice; then the place of each group, for which the sorted list is kept in `inverse`.
    detail::sort_indices(place, found, [&](int a, int b) { return first[a] < first[b]; });
    for (int at = 0; at < found; ++at) inverse[at] = place[at];
    for (int at = 0; at < found; ++at) place[static_cast<int>(inverse[at])] = at;
  }
  for (int group = 0; group < found; ++group) {
    indices[place[group]] = first[group];
    counts[place[group]] = 0;
    for (int o = 0; o < l.outer; ++o)
      for (int i = 0; i < l.inner; ++i)
        y[(static_cast<std::ptrdiff_t>(o) * found + place[group]) * l.inner + i] = before.element(o, first[group], i);
  }
  for (int i = 0, group = 0; i < l.length; ++i) {
    if (i > 0 && before.compare(order[i - 1], order[i]) != 0) ++group;
    inverse[order[i]] = place[group];
    ++counts[place[group]];
  }
  return found;
}

AOTC_KERNELS_END
