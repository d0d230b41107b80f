// The order of steps on graphs with known answers, against a brute force on small random graphs, and on large ones.
#include "lowering/plan/OrderSteps.h"
#include <algorithm>
#include <ctime>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <random>

using namespace aotc::plan;

namespace {

// One value per node, written by that node.
struct Builder {
  StepGraph graph;

  int input(std::int64_t bytes) {
    graph.values.push_back({bytes, true, false});
    return static_cast<int>(graph.values.size()) - 1;
  }
  // Returns the value that the new node writes.
  int node(std::int64_t bytes, std::vector<int> reads, bool isOutput = false) {
    graph.values.push_back({bytes, false, isOutput});
    graph.nodes.push_back({std::move(reads), {static_cast<int>(graph.values.size()) - 1}, {}, 0, -1});
    return graph.nodes.back().writes.front();
  }
};

std::vector<int> sameOrder(const StepGraph &graph) {
  std::vector<int> order(graph.nodes.size());
  std::iota(order.begin(), order.end(), 0);
  return order;
}

// For graphs whose nodes each write one value of their own.
bool isValid(const StepGraph &graph, const std::vector<int> &order) {
  std::vector<int> position(graph.nodes.size(), -1), writer(graph.values.size(), -1);
  for (std::size_t k = 0; k < order.size(); ++k)
    position[order[k]] = static_cast<int>(k);
  for (std::size_t node = 0; node < graph.nodes.size(); ++node)
    for (int value : graph.nodes[node].writes)
      writer[value] = static_cast<int>(node);
  bool valid = order.size() == graph.nodes.size() && std::count(position.begin(), position.end(), -1) == 0;
  for (std::size_t node = 0; node < graph.nodes.size() && valid; ++node) {
    for (int value : graph.nodes[node].reads)
      valid &= writer[value] < 0 || position[writer[value]] < position[node];
    for (int earlier : graph.nodes[node].after)
      valid &= position[earlier] < position[node];
  }
  return valid;
}

StepOrder orderAndCheck(const StepGraph &graph) {
  StepOrder order = orderSteps(graph);
  EXPECT_TRUE(isValid(graph, order.nodes));
  EXPECT_EQ(order.peakBytes, peakBytes(graph, order.nodes));
  EXPECT_LE(order.peakBytes, peakBytes(graph, sameOrder(graph)));
  return order;
}

TEST(OrderSteps, NothingAndOneNode) {
  EXPECT_TRUE(orderSteps({}).nodes.empty());
  Builder one;
  one.node(8, {one.input(4)}, true);
  EXPECT_EQ(orderAndCheck(one.graph).peakBytes, 12);
}

TEST(OrderSteps, KeepsTheGivenOrderWhenNothingIsGained) {
  Builder chain;
  int value = chain.input(10);
  for (int i = 0; i < 20; ++i)
    value = chain.node(10, {value});
  StepOrder order = orderAndCheck(chain.graph);
  EXPECT_EQ(order.nodes, sameOrder(chain.graph));
  EXPECT_EQ(order.peakBytes, 20);
  EXPECT_TRUE(order.provenOptimal);
}

// The picture in OrderSteps.h.
TEST(OrderSteps, FinishesOneBranchBeforeItOpensTheNext) {
  Builder graph;
  int a = graph.node(10, {graph.input(1)});
  int b1 = graph.node(100, {a}), b2 = graph.node(100, {a});
  int c1 = graph.node(5, {b1}), c2 = graph.node(5, {b2});
  graph.node(1, {c1, c2}, true);
  EXPECT_EQ(peakBytes(graph.graph, sameOrder(graph.graph)), 10 + 100 + 100);
  StepOrder order = orderAndCheck(graph.graph);
  EXPECT_EQ(order.peakBytes, 10 + 100 + 5);
  EXPECT_TRUE(order.provenOptimal);
}

TEST(OrderSteps, KeepsEdgesThatAreNotValues) {
  Builder graph;
  int a = graph.node(10, {graph.input(1)});
  int b1 = graph.node(100, {a}), b2 = graph.node(100, {a});
  int c1 = graph.node(5, {b1}), c2 = graph.node(5, {b2});
  graph.node(1, {c1, c2}, true);
  graph.graph.nodes[3].after = {2}; // c1 only after b2
  graph.graph.nodes[4].after = {1}; // c2 only after b1
  EXPECT_EQ(orderAndCheck(graph.graph).peakBytes, 10 + 100 + 100);
}

TEST(OrderSteps, CountsScratchAndInPlaceResults) {
  Builder graph;
  int a = graph.node(50, {graph.input(50)});
  graph.node(50, {a}, true);
  EXPECT_EQ(orderAndCheck(graph.graph).peakBytes, 100);
  graph.graph.nodes[0].inPlaceOf = 0;
  graph.graph.nodes[1].inPlaceOf = a;
  EXPECT_EQ(orderAndCheck(graph.graph).peakBytes, 50);
  graph.graph.nodes[1].scratchBytes = 7;
  EXPECT_EQ(orderAndCheck(graph.graph).peakBytes, 57);
}

// Two writers of slices may change places, a reader of the whole comes after both, and a node that updates the value in
// place stays between what came before and after it.
TEST(OrderSteps, OrdersAccessesToSharedValues) {
  StepGraph graph;
  graph.values = {{8, true, false}, {64, false, false}, {8, false, true}, {8, false, true}};
  graph.nodes = {{{0}, {1}, {}, 0, -1},
                 {{0}, {1}, {}, 0, -1},
                 {{1}, {2}, {}, 0, -1},
                 {{1}, {1}, {}, 0, -1},
                 {{1}, {3}, {}, 0, -1}};
  std::vector<int> order = orderSteps(graph).nodes;
  std::vector<int> position(order.size());
  for (std::size_t k = 0; k < order.size(); ++k)
    position[order[k]] = static_cast<int>(k);
  EXPECT_LT(std::max(position[0], position[1]), position[2]);
  EXPECT_LT(position[2], position[3]);
  EXPECT_LT(position[3], position[4]);
}

StepGraph randomGraph(unsigned seed, int nodes, int reach) {
  std::mt19937 random(seed);
  Builder builder;
  builder.input(1 + random() % 100);
  for (int i = 0; i < nodes; ++i) {
    std::vector<int> reads;
    int count = 1 + static_cast<int>(random() % 3), known = static_cast<int>(builder.graph.values.size());
    for (int k = 0; k < count; ++k)
      if (int value = known - 1 - static_cast<int>(random() % std::min(reach, known));
          std::find(reads.begin(), reads.end(), value) == reads.end())
        reads.push_back(value);
    builder.node(1 + random() % 100, std::move(reads), random() % 8 == 0);
    StepNode &node = builder.graph.nodes.back();
    node.scratchBytes = random() % 4 == 0 ? random() % 50 : 0;
    node.inPlaceOf = random() % 2 == 0 ? node.reads.front() : -1;
  }
  return builder.graph;
}

std::int64_t bruteForce(const StepGraph &graph) {
  std::vector<int> order = sameOrder(graph);
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  do {
    if (isValid(graph, order))
      best = std::min(best, peakBytes(graph, order));
  } while (std::next_permutation(order.begin(), order.end()));
  return best;
}

TEST(OrderSteps, AgreesWithBruteForce) {
  int better = 0;
  for (unsigned seed = 0; seed < 120; ++seed) {
    StepGraph graph = randomGraph(seed, 7, 1 + seed % 7);
    StepOrder order = orderAndCheck(graph);
    ASSERT_EQ(order.peakBytes, bruteForce(graph)) << "seed " << seed;
    EXPECT_TRUE(order.provenOptimal) << "seed " << seed;
    better += order.peakBytes < peakBytes(graph, sameOrder(graph));
  }
  EXPECT_GT(better, 0);
}

TEST(OrderSteps, RandomGraphsStayValid) {
  for (unsigned seed = 0; seed < 40; ++seed)
    orderAndCheck(randomGraph(seed, 20 + 5 * static_cast<int>(seed), 2 + seed % 30));
}

TEST(OrderSteps, SameGraphSameOrder) {
  StepGraph graph = randomGraph(3, 200, 25);
  EXPECT_EQ(orderSteps(graph).nodes, orderSteps(graph).nodes);
}

// A few tenths of a second of processor time each; the limit leaves room for sanitizers.
TEST(OrderSteps, TenThousandNodesAreOrderedQuickly) {
  for (int reach : {1, 3, 30, 10'000}) { // from a chain to a graph without any structure
    StepGraph graph = randomGraph(5, 10'000, reach);
    std::clock_t start = std::clock();
    StepOrder order = orderAndCheck(graph);
    double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
    EXPECT_LT(seconds, 20) << "reach " << reach;
    std::printf("  reach %d: %.2f s, peak %.3f of the given order's\n", reach, seconds,
                static_cast<double>(order.peakBytes) / static_cast<double>(peakBytes(graph, sameOrder(graph))));
  }
}

// A value that ten thousand nodes read, and one that each of them updates in place.
TEST(OrderSteps, SharedValuesStayNearLinear) {
  StepGraph graph;
  graph.values = {{64, true, false}, {64, true, true}};
  for (int i = 0; i < 10'000; ++i)
    graph.nodes.push_back({{0, 1}, {1}, {}, 0, -1});
  std::clock_t start = std::clock();
  EXPECT_EQ(orderSteps(graph).nodes, sameOrder(graph));
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 10);
}

} // namespace
