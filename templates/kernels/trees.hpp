// An ensemble of decision trees: the leaves that each row of x [rows][features] falls into, and what they add up to,
// y [rows][targets].
//
// A node is a record of the test x[feature] <= threshold and of where its two children stand, side by side. A leaf is a
// record that leads to itself, its number being the payload of the NaN that it has for a threshold; so a descent is the
// same few instructions at every step, without a branch. `tree_lanes` trees are walked at a time, which hides that each
// step waits for the one before; a group ends once none of them moves.
//
// Layout: rows, features, targets; trees, and groups = ceil(trees / tree_lanes); feature_bits (NarrowNodes); missing:
// where NaN goes, see below. Record i is the root of tree i; those behind the last tree fill its group. depths
// [groups]: the most tests on any way down. Leaf i stands for (leaf_targets[j], leaf_weights[j]), j from leaf_begins[i]
// to leaf_begins[i + 1]; `single_weight` says that it is (0, leaf_weights[i]), and targets is 1.
#pragma once
#include <cstring>

#include "split.hpp"

AOTC_KERNELS_BEGIN

constexpr int tree_lanes = 8;

// Layout member `missing`. NaN never passes a test, and the child for that comes first; NaN always does, and the child
// for that comes first; or as the node says, and the child for a passed test comes first. So the turn of a leaf, whose
// threshold is NaN, is to the first child at all times.
constexpr int missing_fails = 0, missing_passes = 1, missing_by_node = 2;

namespace detail {

// 1 for the second child.
template <class L, class X, class T>
AOTC_INLINE std::uint32_t second_child(const L& l, X value, T threshold, bool missing_passes_here) {
  const T x = static_cast<T>(value);
  if (l.missing == missing_fails) return x <= threshold;
  if (l.missing == missing_passes) return x > threshold;
  return static_cast<std::uint32_t>(x > threshold) |
         (static_cast<std::uint32_t>(x != x) & static_cast<std::uint32_t>(!missing_passes_here));
}

}  // namespace detail

// Records of two words: a threshold (f32); then, from the lowest bit, the feature, a bit that says whether NaN passes
// (where `missing` is missing_by_node), and the record of the first child. Leaves are at most 2^22.
struct NarrowNodes {
  const std::int32_t* words;

  template <class L, class X>
  AOTC_INLINE std::uint32_t next(const L& l, const X* row, std::uint32_t at) const {
    const std::int32_t* record = words + 2 * static_cast<std::size_t>(at);
    float threshold;
    std::memcpy(&threshold, record, sizeof threshold);
    const std::uint32_t packed = static_cast<std::uint32_t>(record[1]);
    const std::uint32_t feature = packed & ((1u << l.feature_bits) - 1u);
    const int flag_bits = l.missing == missing_by_node ? 1 : 0;
    const bool missing_passes_here = ((packed >> l.feature_bits) & 1u) != 0;
    const std::uint32_t child = packed >> (l.feature_bits + flag_bits);
    return child + detail::second_child(l, row[feature], threshold, missing_passes_here);
  }
  AOTC_INLINE int leaf(std::uint32_t at) const { return words[2 * static_cast<std::size_t>(at)] & 0x3fffff; }
};

// Records of four words: a threshold (f64), the feature times two plus that bit, the record of the first child.
struct WideNodes {
  const std::int32_t* words;

  template <class L, class X>
  AOTC_INLINE std::uint32_t next(const L& l, const X* row, std::uint32_t at) const {
    const std::int32_t* record = words + 4 * static_cast<std::size_t>(at);
    double threshold;
    std::memcpy(&threshold, record, sizeof threshold);
    const std::uint32_t feature = static_cast<std::uint32_t>(record[2]) >> 1;
    const std::uint32_t child = static_cast<std::uint32_t>(record[3]);
    return child + detail::second_child(l, row[feature], threshold, (record[2] & 1) != 0);
  }
  AOTC_INLINE int leaf(std::uint32_t at) const { return words[4 * static_cast<std::size_t>(at)]; }
};

// How the leaves of a target become one value: add(so far, leaf), from start() on; then finish(value, trees).
struct SumOfLeaves {
  template <class T>
  AOTC_INLINE T start() const {
    return T{0};
  }
  template <class T>
  AOTC_INLINE T add(T sum, T leaf) const {
    return sum + leaf;
  }
  template <class T>
  AOTC_INLINE T finish(T sum, int) const {
    return sum;
  }
};
struct MeanOfLeaves : SumOfLeaves {
  template <class T>
  AOTC_INLINE T finish(T sum, int trees) const {
    return sum / static_cast<T>(trees);
  }
};
// A target that no leaf of the row stands for has the value 0; until a leaf comes it holds NaN.
struct LeastLeaf {
  template <class T>
  AOTC_INLINE T start() const {
    return static_cast<T>(__builtin_nanf(""));
  }
  template <class T>
  AOTC_INLINE T add(T least, T leaf) const {
    return least <= leaf ? least : leaf;
  }
  template <class T>
  AOTC_INLINE T finish(T least, int) const {
    return least == least ? least : T{0};
  }
};
struct GreatestLeaf : LeastLeaf {
  template <class T>
  AOTC_INLINE T add(T greatest, T leaf) const {
    return greatest >= leaf ? greatest : leaf;
  }
};

namespace detail {

template <class L>
constexpr Blocks tree_blocks(const L& l) {
  constexpr int usual_depth = 8;
  return blocks_of(l.rows, 1, max_of(1, min_of(unit_elements, l.trees * usual_depth)));
}

// Clang would walk the lanes as one vector, whose gathers take three times as long as the loads of scalars.
AOTC_INLINE std::uint32_t as_scalar(std::uint32_t x) {
#ifdef __clang__
  asm("" : "+r"(x));
#endif
  return x;
}

// The leaves of the trees from `first` on.
template <class L, class X, class Nodes>
AOTC_INLINE void find_leaves(const L& l, const X* row, Nodes nodes, int first, int depth, int* leaf) {
  constexpr int steps = 4;  // between two looks at whether any tree still moves
  std::uint32_t at[tree_lanes];
  AOTC_UNROLL(8)
  for (int i = 0; i < tree_lanes; ++i) at[i] = static_cast<std::uint32_t>(first + i);
  AOTC_UNROLL(1)
  for (int level = 0; level < depth; level += steps) {
    std::uint32_t moved = 0;
    AOTC_UNROLL(4)
    for (int step = 0; step < steps; ++step) {
      AOTC_UNROLL(8)
      for (int i = 0; i < tree_lanes; ++i) {
        const std::uint32_t next = as_scalar(nodes.next(l, row, at[i]));
        if (step == steps - 1) moved |= next ^ at[i];
        at[i] = next;
      }
    }
    if (moved == 0) break;
  }
  AOTC_UNROLL(8)
  for (int i = 0; i < tree_lanes; ++i) leaf[i] = nodes.leaf(at[i]);
}

template <class L, class T, class Aggregate>
AOTC_INLINE void add_leaf(const L& l, int leaf, const std::int32_t* begins, const std::int32_t* targets,
                          const T* weights, T* to, Aggregate aggregate) {
  if (l.single_weight) {
    *to = aggregate.add(*to, weights[leaf]);
    return;
  }
  for (int j = begins[leaf]; j < begins[leaf + 1]; ++j) to[targets[j]] = aggregate.add(to[targets[j]], weights[j]);
}

}  // namespace detail

template <class L>
constexpr int trees_units(const L& l) {
  return detail::tree_blocks(l).count();
}

// Trees are added in their order.
template <class L, class X, class T, class Nodes, class Aggregate>
void trees(const L& l, const X* x, const std::int32_t* nodes, const std::int32_t* depths,
           const std::int32_t* leaf_begins, const std::int32_t* leaf_targets, const T* leaf_weights, const T* base,
           T* y, Part part, Nodes, Aggregate aggregate) {
  for_each_block(detail::tree_blocks(l), part, [&](int row_begin, int row_end, int, int) {
    for (int r = row_begin; r < row_end; ++r) {
      const X* row = x + static_cast<std::ptrdiff_t>(r) * l.features;
      T* to = y + static_cast<std::ptrdiff_t>(r) * l.targets;
      for (int t = 0; t < l.targets; ++t) to[t] = aggregate.template start<T>();
      for (int group = 0; group < l.groups; ++group) {
        int leaf[tree_lanes];
        const int first = group * tree_lanes;
        detail::find_leaves(l, row, Nodes{nodes}, first, depths[group], leaf);
        const int count = min_of(tree_lanes, l.trees - first);
        for (int i = 0; i < count; ++i)
          detail::add_leaf(l, leaf[i], leaf_begins, leaf_targets, leaf_weights, to, aggregate);
      }
      for (int t = 0; t < l.targets; ++t) to[t] = aggregate.finish(to[t], l.trees) + base[t];
    }
  });
}

AOTC_KERNELS_END
