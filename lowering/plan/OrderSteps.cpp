// The course of ordering: segments, greedy orders, then the search for the segments that decide the peak.
#include "lowering/plan/OrderSteps.h"
#include "lowering/plan/OrderProblem.h"
#include "lowering/plan/OrderSearch.h"
#include <algorithm>
#include <numeric>
#include <queue>

namespace aotc::plan {
namespace {

// Always the ready node that leaves the least alive; the earlier one on a tie. Near linear: a node's change of the live
// bytes is computed again only when one of its values is born or waits for its last use.
class GreedyOrder {
public:
  explicit GreedyOrder(const OrderProblem &problem) : problem(problem), memory(problem) {}

  std::vector<int> run() {
    for (int node = 0; node < problem.nodeCount(); ++node) {
      waiting.push_back(static_cast<int>(problem.before[node].size()));
      change.push_back(memory.change(node));
      if (waiting.back() == 0)
        ready.push({change[node], node});
    }
    done.assign(problem.nodeCount(), 0);
    while (!ready.empty()) {
      auto [bytes, node] = ready.top();
      ready.pop();
      if (!done[node] && bytes == change[node]) // else an outdated entry
        finish(node);
    }
    return order;
  }

private:
  using Entry = std::pair<std::int64_t, int>;

  void finish(int node) {
    std::vector<int> born;
    for (int value : problem.touches[node])
      if (!memory.isAlive(value))
        born.push_back(value);
    memory.finish(node);
    done[node] = true;
    order.push_back(node);
    for (int value : born)
      updateUsers(value);
    for (int value : problem.touches[node])
      if (memory.usesLeft(value) == 1)
        updateUsers(value);
    for (int next : problem.after[node])
      if (--waiting[next] == 0)
        ready.push({change[next], next});
  }

  void updateUsers(int value) {
    for (int user : problem.users[value]) {
      if (done[user])
        continue;
      std::int64_t bytes = memory.change(user);
      if (bytes != change[user] && waiting[user] == 0)
        ready.push({bytes, user});
      change[user] = bytes;
    }
  }

  const OrderProblem &problem;
  OrderMemory memory;
  std::vector<int> waiting, order;
  std::vector<std::int64_t> change;
  std::vector<char> done;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> ready;
};

// A segment of the graph and the best order known for it, in the segment's own node numbers.
struct Segment {
  OrderProblem problem;
  std::vector<int> nodes; // of the graph
  std::vector<int> order;
  std::int64_t peakBytes;
  bool optimal = false;
};

std::vector<Segment> makeSegments(const OrderProblem &problem) {
  std::vector<Segment> segments;
  OrderMemory memory(problem);
  for (std::vector<int> &run : splitAtCuts(problem)) {
    Segment segment{segmentOf(problem, run, memory.live()), run, {}, 0};
    segment.order.resize(run.size());
    std::iota(segment.order.begin(), segment.order.end(), 0);
    segment.peakBytes = peakOf(segment.problem, segment.order);
    segment.optimal = run.size() == 1;
    segments.push_back(std::move(segment));
    for (int node : run)
      memory.finish(node);
  }
  return segments;
}

void offer(Segment &segment, std::vector<int> order) {
  if (std::int64_t peak = peakOf(segment.problem, order); peak < segment.peakBytes) {
    segment.peakBytes = peak;
    segment.order = std::move(order);
  }
}

void improve(Segment &segment, const OrderStepsOptions &options, std::int64_t &budget) {
  std::int64_t bound = lowerBoundOf(segment.problem);
  offer(segment, GreedyOrder(segment.problem).run());
  OrderProblem backwards = reversed(segment.problem);
  std::vector<int> order = GreedyOrder(backwards).run();
  std::reverse(order.begin(), order.end());
  offer(segment, std::move(order));
  if (segment.peakBytes > bound && segment.problem.nodeCount() <= options.beamLimit && budget > 0) {
    std::int64_t left = budget;
    SearchedOrder searched = searchOrder(segment.problem, segment.peakBytes, left);
    budget = left;
    if (!searched.nodes.empty())
      offer(segment, std::move(searched.nodes));
    segment.optimal = searched.complete;
  }
  segment.optimal |= segment.peakBytes <= bound;
}

} // namespace

StepOrder orderSteps(const StepGraph &graph, const OrderStepsOptions &options) {
  OrderProblem problem = makeProblem(graph);
  std::vector<Segment> segments = makeSegments(problem);
  std::int64_t enough = lowerBoundOf(problem); // a segment below it decides nothing and keeps its order
  for (const Segment &segment : segments)
    enough = std::max(enough, lowerBoundOf(segment.problem));
  std::vector<Segment *> worstFirst;
  for (Segment &segment : segments)
    worstFirst.push_back(&segment);
  std::stable_sort(worstFirst.begin(), worstFirst.end(),
                   [](const Segment *a, const Segment *b) { return a->peakBytes > b->peakBytes; });
  StepOrder result;
  result.provenOptimal = true;
  std::int64_t budget = options.stateBudget, proven = enough;
  for (Segment *segment : worstFirst) {
    if (segment->peakBytes > enough && !segment->optimal)
      improve(*segment, options, budget);
    enough = std::max(enough, segment->peakBytes);
    if (segment->optimal)
      proven = std::max(proven, segment->peakBytes);
  }
  for (const Segment &segment : segments) {
    result.peakBytes = std::max(result.peakBytes, segment.peakBytes);
    for (int node : segment.order)
      result.nodes.push_back(segment.nodes[node]);
  }
  result.provenOptimal = result.peakBytes <= proven;
  return result;
}

} // namespace aotc::plan
