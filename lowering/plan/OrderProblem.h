// A graph of steps prepared for ordering: dependences as lists, values with all the steps that touch them. One problem
// stands for the whole graph or for one segment of it. Internal to orderSteps.
#pragma once
#include "lowering/plan/OrderSteps.h"

namespace aotc::plan {

struct OrderProblem {
  std::int64_t baseBytes = 0; // alive throughout
  // By value.
  std::vector<std::int64_t> sizeBytes;
  std::vector<char> liveAtStart, liveAtEnd;
  std::vector<std::vector<int>> users; // nodes, ascending
  // By node.
  std::vector<std::vector<int>> touches; // values read or written, each once
  std::vector<std::vector<int>> before, after;
  std::vector<std::int64_t> scratchBytes;
  std::vector<int> inPlaceFrom, inPlaceTo; // values, -1: none

  int nodeCount() const { return static_cast<int>(touches.size()); }
};

OrderProblem makeProblem(const StepGraph &graph);

// The problem of `nodes`, a run of consecutive indices, when everything before has been done, which leaves `liveBytes`
// alive, and everything after is left. Node k of the result is nodes[k].
OrderProblem segmentOf(const OrderProblem &problem, const std::vector<int> &nodes, std::int64_t liveBytes);

// The same problem with time running backwards; in-place results are forgotten.
OrderProblem reversed(const OrderProblem &problem);

// Runs of the given order, each ended or formed by a step that all other steps precede or follow. Every valid order has
// the same runs, as sets.
std::vector<std::vector<int>> splitAtCuts(const OrderProblem &problem);

// What is alive while the nodes of an order are done one by one.
class OrderMemory {
public:
  explicit OrderMemory(const OrderProblem &problem);

  // Bytes by which the sum of live values would change from before to after the node.
  std::int64_t change(int node) const;
  // Bytes in use while the node runs.
  std::int64_t during(int node) const;
  void finish(int node);

  std::int64_t live() const { return liveBytes; }
  bool isAlive(int value) const { return alive[value]; }
  int usesLeft(int value) const { return left[value]; }

private:
  bool dies(int value) const { return left[value] == 1 && !problem.liveAtEnd[value]; }
  const OrderProblem &problem;
  std::vector<char> alive;
  std::vector<int> left;
  std::int64_t liveBytes;
};

std::int64_t peakOf(const OrderProblem &problem, const std::vector<int> &order);

// No order has a smaller peak: the most that one node needs by itself.
std::int64_t lowerBoundOf(const OrderProblem &problem);

} // namespace aotc::plan
