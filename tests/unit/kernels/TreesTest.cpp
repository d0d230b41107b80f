// Tree ensembles against a walk node by node: all forms of records, ways of NaN and aggregates; and a tree so deep that
// the walk takes several looks.
#include "aotc/kernels/trees.hpp"

#include "StepRunner.h"

#include <algorithm>

using namespace aotc;
using namespace aotc::test;

namespace {

struct Ensemble {
  int rows, features, targets, trees, groups, feature_bits, missing, single_weight;
};

// A node of a complete binary tree: children of node i are 2 i + 1 and 2 i + 2.
struct Tree {
  int depth;
  std::vector<int> feature;
  std::vector<float> threshold;
  std::vector<bool> missingPasses;
  int leaves() const { return 1 << depth; }
};

Tree makeTree(int depth, const Ensemble &l, std::mt19937 &engine) {
  Tree tree{depth, {}, {}, {}};
  for (int i = 0; i < (1 << depth) - 1; ++i) {
    tree.feature.push_back(static_cast<int>(engine() % static_cast<unsigned>(l.features)));
    tree.threshold.push_back(static_cast<float>(engine() % 7) / 2 - 1.5f);
    tree.missingPasses.push_back(l.missing == missing_passes || (l.missing == missing_by_node && engine() % 2));
  }
  return tree;
}

// The leaf of a row, counted from the left.
int walk(const Tree &tree, const float *row) {
  int node = 0;
  for (int level = 0; level < tree.depth; ++level) {
    const std::size_t i = static_cast<std::size_t>(node);
    const float x = row[tree.feature[i]];
    const bool passes = x != x ? tree.missingPasses[i] : x <= tree.threshold[i];
    node = 2 * node + (passes ? 1 : 2);
  }
  return node - (tree.leaves() - 1);
}

// Records for the kernel, as lowering/convert/TreePacking lays them out.
struct Records {
  bool wide;
  Ensemble l;
  std::vector<std::int32_t> words;

  void put(int at, double threshold, int feature, bool passes, int child) {
    const std::size_t width = wide ? 4 : 2, place = static_cast<std::size_t>(at) * width;
    if (words.size() < place + width)
      words.resize(place + width);
    if (wide) {
      std::memcpy(&words[place], &threshold, sizeof threshold);
      words[place + 2] = 2 * feature + passes;
      words[place + 3] = child;
      return;
    }
    const float narrow = static_cast<float>(threshold);
    std::memcpy(&words[place], &narrow, sizeof narrow);
    const int packed = l.missing == missing_by_node ? 2 * child + passes : child;
    words[place + 1] = (packed << l.feature_bits) | feature;
  }
  void putLeaf(int at, int leaf) {
    put(at, 0, 0, true, at);
    const std::size_t place = static_cast<std::size_t>(at) * (wide ? 4 : 2);
    words[place] = wide ? leaf : 0x7fc00000 | leaf;
    if (wide)
      words[place + 1] = 0x7ff80000;
  }
};

struct Packed {
  Records records;
  std::vector<std::int32_t> depths;
};

Packed pack(const Ensemble &l, const std::vector<Tree> &trees, bool wide) {
  Packed packed{{wide, l, {}}, std::vector<std::int32_t>(static_cast<std::size_t>(l.groups))};
  int next = l.groups * tree_lanes, leaves = 0;
  for (int at = 0; at < next; ++at)
    packed.records.putLeaf(at, 0);
  for (std::size_t t = 0; t < trees.size(); ++t) {
    const Tree &tree = trees[t];
    std::int32_t &depth = packed.depths[t / tree_lanes];
    depth = std::max(depth, tree.depth);
    std::vector<int> places = {static_cast<int>(t)};
    for (int node = 0; node < 2 * tree.leaves() - 1; ++node) {
      const int at = places[static_cast<std::size_t>(node)];
      const int inner = tree.leaves() - 1;
      if (node >= inner) {
        packed.records.putLeaf(at, leaves + node - inner);
        continue;
      }
      const std::size_t i = static_cast<std::size_t>(node);
      packed.records.put(at, static_cast<double>(tree.threshold[i]), tree.feature[i], tree.missingPasses[i], next);
      const bool passedFirst = l.missing != missing_fails;
      places.push_back(passedFirst ? next : next + 1);
      places.push_back(passedFirst ? next + 1 : next);
      next += 2;
    }
    leaves += tree.leaves();
  }
  return packed;
}

template <class Aggregate> double combine(double a, double b) {
  if (std::is_same_v<Aggregate, LeastLeaf>)
    return std::isnan(a) ? b : std::min(a, b);
  if (std::is_same_v<Aggregate, GreatestLeaf>)
    return std::isnan(a) ? b : std::max(a, b);
  return a + b;
}

std::vector<float> someRows(const Ensemble &l) {
  auto x = randomValues<float>(static_cast<std::size_t>(l.rows * l.features));
  for (std::size_t i = 0; i < x.size(); i += 5)
    x[i] = i % 3 ? quietNaN : i % 2 ? infinity : -infinity;
  return x;
}

template <class Nodes, class X, class Aggregate>
void check(Ensemble l, const std::vector<int> &depths, Aggregate aggregate) {
  std::mt19937 engine(7);
  l.trees = static_cast<int>(depths.size());
  l.groups = ceil_div(l.trees, tree_lanes);
  std::vector<Tree> trees;
  std::vector<std::int32_t> begins = {0}, targets;
  for (int depth : depths) {
    trees.push_back(makeTree(depth, l, engine));
    for (int leaf = 0; leaf < trees.back().leaves(); ++leaf) {
      const int count = l.single_weight ? 1 : static_cast<int>(engine() % 3);
      for (int i = 0; i < count; ++i)
        targets.push_back(l.single_weight ? 0 : static_cast<int>(engine() % 3));
      begins.push_back(static_cast<std::int32_t>(targets.size()));
    }
  }
  const auto weights = randomValues<X>(targets.size()), base = randomValues<X>(static_cast<std::size_t>(l.targets), 2);
  const Packed packed = pack(l, trees, std::is_same_v<Nodes, WideNodes>);
  const auto rows = someRows(l);
  const std::vector<X> x(rows.begin(), rows.end());
  const auto y =
      runStep(std::vector<X>(static_cast<std::size_t>(l.rows * l.targets)), trees_units(l), [&](X *to, Part part) {
        aotc::trees(l, x.data(), packed.records.words.data(), packed.depths.data(), begins.data(), targets.data(),
                    weights.data(), base.data(), to, part, Nodes{}, aggregate);
      });
  for (int r = 0; r < l.rows; ++r) {
    const bool isSum = std::is_base_of_v<SumOfLeaves, Aggregate>;
    std::vector<double> want(static_cast<std::size_t>(l.targets), isSum ? 0 : std::nan(""));
    int first = 0;
    for (const Tree &tree : trees) {
      const std::size_t leaf =
          static_cast<std::size_t>(first + walk(tree, &rows[static_cast<std::size_t>(r * l.features)]));
      for (int j = begins[leaf]; j < begins[leaf + 1]; ++j) {
        double &value = want[static_cast<std::size_t>(targets[static_cast<std::size_t>(j)])];
        value = combine<Aggregate>(value, static_cast<double>(weights[static_cast<std::size_t>(j)]));
      }
      first += tree.leaves();
    }
    for (std::size_t t = 0; t < want.size(); ++t) {
      const std::size_t place = static_cast<std::size_t>(r * l.targets) + t;
      if (std::is_same_v<Aggregate, MeanOfLeaves>)
        want[t] /= l.trees;
      if (std::isnan(want[t]))
        want[t] = 0;
      expectNear(static_cast<double>(y[place]), want[t] + static_cast<double>(base[t]), 1e-5, "score", place);
    }
  }
}

TEST(TreesTest, SingleWeights) {
  for (int missing : {missing_fails, missing_passes, missing_by_node}) {
    const Ensemble l{7, 5, 1, 0, 0, 3, missing, 1};
    check<NarrowNodes, float>(l, {3, 0, 1, 5}, SumOfLeaves{});
    check<NarrowNodes, float>(l, {0}, MeanOfLeaves{});
    check<WideNodes, double>(l, {2, 2, 2, 2, 2, 2, 2, 2, 6}, SumOfLeaves{});
    check<WideNodes, float>(l, {4, 9}, LeastLeaf{});
  }
}

TEST(TreesTest, ManyTargets) {
  for (int missing : {missing_fails, missing_passes, missing_by_node}) {
    const Ensemble l{33, 6, 3, 0, 0, 3, missing, 0};
    const std::vector<int> depths = {3, 2, 0, 1, 4, 4, 1, 5, 2, 3, 3, 3, 0, 0, 2, 1, 7};
    check<NarrowNodes, float>(l, depths, SumOfLeaves{});
    check<NarrowNodes, float>(l, depths, GreatestLeaf{});
    check<WideNodes, double>(l, depths, MeanOfLeaves{});
    check<WideNodes, double>(l, {1, 1}, LeastLeaf{});
  }
}

TEST(TreesTest, OneFeatureAndNoRows) {
  check<NarrowNodes, float>({3, 1, 1, 0, 0, 0, missing_fails, 1}, {2, 3}, SumOfLeaves{});
  check<NarrowNodes, float>({0, 1, 1, 0, 0, 0, missing_fails, 1}, {2, 3}, SumOfLeaves{});
}

} // namespace
