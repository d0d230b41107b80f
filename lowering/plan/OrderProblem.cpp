// Builds and evaluates ordering problems. Decides nothing.
#include "lowering/plan/OrderProblem.h"
#include <algorithm>
#include <cassert>
#include <map>
#include <numeric>

namespace aotc::plan {
namespace {

void sortOnce(std::vector<int> &list) {
  std::sort(list.begin(), list.end());
  list.erase(std::unique(list.begin(), list.end()), list.end());
}

bool contains(const std::vector<int> &list, int value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

// The accesses to one value since the last node that both read and wrote it; that node counts as both.
struct Accesses {
  std::vector<int> readers, writers;
};

// A node's predecessors: the writers of what it reads, and the readers of what it writes.
std::vector<int> predecessorsOf(const StepNode &node, std::vector<Accesses> &accesses) {
  std::vector<int> result = node.after;
  for (int value : node.reads)
    result.insert(result.end(), accesses[value].writers.begin(), accesses[value].writers.end());
  for (int value : node.writes)
    result.insert(result.end(), accesses[value].readers.begin(), accesses[value].readers.end());
  sortOnce(result);
  return result;
}

void noteAccesses(const StepNode &node, int index, std::vector<Accesses> &accesses) {
  for (int value : node.writes) {
    if (contains(node.reads, value)) // all earlier accesses are before it, so that it stands for them
      accesses[value] = {};
    accesses[value].writers.push_back(index);
  }
  for (int value : node.reads)
    accesses[value].readers.push_back(index);
}

void fillUsersAndAfter(OrderProblem &problem) {
  problem.users.assign(problem.sizeBytes.size(), {});
  problem.after.assign(problem.nodeCount(), {});
  for (int node = 0; node < problem.nodeCount(); ++node) {
    for (int value : problem.touches[node])
      problem.users[value].push_back(node);
    for (int earlier : problem.before[node])
      problem.after[earlier].push_back(node);
  }
}

} // namespace

OrderProblem makeProblem(const StepGraph &graph) {
  OrderProblem problem;
  for (const StepValue &value : graph.values) {
    problem.sizeBytes.push_back(value.sizeBytes);
    problem.liveAtStart.push_back(value.isInput);
    problem.liveAtEnd.push_back(value.isOutput);
  }
  std::vector<Accesses> accesses(graph.values.size());
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const StepNode &node = graph.nodes[i];
    problem.before.push_back(predecessorsOf(node, accesses));
    assert((problem.before.back().empty() || problem.before.back().back() < static_cast<int>(i)) &&
           "the graph's own order must be valid");
    noteAccesses(node, static_cast<int>(i), accesses);
    std::vector<int> touches = node.reads;
    touches.insert(touches.end(), node.writes.begin(), node.writes.end());
    sortOnce(touches);
    problem.touches.push_back(std::move(touches));
    problem.scratchBytes.push_back(node.scratchBytes);
    bool inPlace = node.inPlaceOf >= 0 && !node.writes.empty() && node.inPlaceOf != node.writes.front();
    problem.inPlaceFrom.push_back(inPlace ? node.inPlaceOf : -1);
    problem.inPlaceTo.push_back(inPlace ? node.writes.front() : -1);
  }
  fillUsersAndAfter(problem);
  for (std::size_t value = 0; value < problem.users.size(); ++value)
    if (problem.users[value].empty()) // an input that nobody reads holds no memory while the steps run
      problem.liveAtStart[value] = false;
  return problem;
}

OrderProblem segmentOf(const OrderProblem &problem, const std::vector<int> &nodes, std::int64_t liveBytes) {
  int first = nodes.front(), last = nodes.back();
  assert(last - first + 1 == static_cast<int>(nodes.size()) && "a segment is a run of indices");
  std::map<int, int> valueIndex;
  OrderProblem segment;
  segment.baseBytes = liveBytes;
  auto localValue = [&](int value) {
    auto [entry, isNew] = valueIndex.emplace(value, static_cast<int>(segment.sizeBytes.size()));
    if (isNew) {
      bool liveAtStart = problem.liveAtStart[value] || problem.users[value].front() < first;
      segment.sizeBytes.push_back(problem.sizeBytes[value]);
      segment.liveAtStart.push_back(liveAtStart);
      segment.liveAtEnd.push_back(problem.liveAtEnd[value] || problem.users[value].back() > last);
      segment.baseBytes -= liveAtStart ? problem.sizeBytes[value] : 0;
    }
    return entry->second;
  };
  for (int node : nodes) {
    std::vector<int> touches, before;
    for (int value : problem.touches[node])
      touches.push_back(localValue(value));
    for (int earlier : problem.before[node])
      if (earlier >= first) // the others are done
        before.push_back(earlier - first);
    int from = problem.inPlaceFrom[node], to = problem.inPlaceTo[node];
    segment.inPlaceFrom.push_back(from < 0 ? -1 : localValue(from));
    segment.inPlaceTo.push_back(to < 0 ? -1 : localValue(to));
    segment.touches.push_back(std::move(touches));
    segment.before.push_back(std::move(before));
    segment.scratchBytes.push_back(problem.scratchBytes[node]);
  }
  fillUsersAndAfter(segment);
  return segment;
}

OrderProblem reversed(const OrderProblem &problem) {
  OrderProblem result = problem;
  std::swap(result.before, result.after);
  std::swap(result.liveAtStart, result.liveAtEnd);
  std::fill(result.inPlaceFrom.begin(), result.inPlaceFrom.end(), -1);
  std::fill(result.inPlaceTo.begin(), result.inPlaceTo.end(), -1);
  return result;
}

namespace {

// By node: how many nodes must follow it, if it ever is the only one that can be done next; else -1.
std::vector<int> followersOfBottlenecks(const std::vector<std::vector<int>> &before,
                                        const std::vector<std::vector<int>> &after) {
  std::vector<int> waiting, ready, followers(before.size(), -1);
  for (std::size_t node = 0; node < before.size(); ++node) {
    waiting.push_back(static_cast<int>(before[node].size()));
    if (waiting.back() == 0)
      ready.push_back(static_cast<int>(node));
  }
  for (int done = 1; !ready.empty(); ++done) {
    int node = ready.back();
    if (ready.size() == 1)
      followers[node] = static_cast<int>(before.size()) - done;
    ready.pop_back();
    for (int next : after[node])
      if (--waiting[next] == 0)
        ready.push_back(next);
  }
  return followers;
}

} // namespace

std::vector<std::vector<int>> splitAtCuts(const OrderProblem &problem) {
  std::vector<int> following = followersOfBottlenecks(problem.before, problem.after);
  std::vector<int> preceding = followersOfBottlenecks(problem.after, problem.before);
  std::vector<std::vector<int>> runs(1);
  for (int node = 0; node < problem.nodeCount(); ++node) {
    bool isCut =
        following[node] >= 0 && preceding[node] >= 0 && following[node] + preceding[node] == problem.nodeCount() - 1;
    if (isCut && !runs.back().empty())
      runs.emplace_back();
    runs.back().push_back(node);
    if (isCut)
      runs.emplace_back();
  }
  if (runs.back().empty())
    runs.pop_back();
  return runs;
}

// -------------------------------------------------------------------------------------------------------------- memory

OrderMemory::OrderMemory(const OrderProblem &problem)
    : problem(problem), alive(problem.liveAtStart), liveBytes(problem.baseBytes) {
  for (std::size_t value = 0; value < problem.sizeBytes.size(); ++value) {
    left.push_back(static_cast<int>(problem.users[value].size()));
    liveBytes += alive[value] ? problem.sizeBytes[value] : 0;
  }
}

std::int64_t OrderMemory::change(int node) const {
  std::int64_t bytes = 0;
  for (int value : problem.touches[node]) {
    bytes += alive[value] ? 0 : problem.sizeBytes[value];
    bytes -= dies(value) ? problem.sizeBytes[value] : 0;
  }
  return bytes;
}

std::int64_t OrderMemory::during(int node) const {
  std::int64_t bytes = liveBytes + problem.scratchBytes[node];
  for (int value : problem.touches[node])
    bytes += alive[value] ? 0 : problem.sizeBytes[value];
  int from = problem.inPlaceFrom[node], to = problem.inPlaceTo[node];
  if (from >= 0 && dies(from) && !alive[to])
    bytes -= std::min(problem.sizeBytes[from], problem.sizeBytes[to]);
  return bytes;
}

void OrderMemory::finish(int node) {
  liveBytes += change(node);
  for (int value : problem.touches[node]) {
    alive[value] = !dies(value);
    --left[value];
  }
}

std::int64_t peakOf(const OrderProblem &problem, const std::vector<int> &order) {
  OrderMemory memory(problem);
  std::int64_t peak = 0;
  for (int node : order) {
    peak = std::max(peak, memory.during(node));
    memory.finish(node);
  }
  return peak;
}

std::int64_t lowerBoundOf(const OrderProblem &problem) {
  std::int64_t largest = 0, throughout = problem.baseBytes;
  std::vector<char> isThroughout(problem.sizeBytes.size());
  for (std::size_t value = 0; value < problem.sizeBytes.size(); ++value)
    if (problem.liveAtStart[value] && problem.liveAtEnd[value])
      isThroughout[value] = true, throughout += problem.sizeBytes[value];
  for (int node = 0; node < problem.nodeCount(); ++node) {
    std::int64_t own = problem.scratchBytes[node];
    for (int value : problem.touches[node])
      own += isThroughout[value] ? 0 : problem.sizeBytes[value];
    if (int from = problem.inPlaceFrom[node], to = problem.inPlaceTo[node];
        from >= 0 && !problem.liveAtEnd[from] && !problem.liveAtStart[to])
      own -= std::min(problem.sizeBytes[from], problem.sizeBytes[to]);
    largest = std::max(largest, throughout + own);
  }
  return largest;
}

std::int64_t peakBytes(const StepGraph &graph, const std::vector<int> &order) {
  return peakOf(makeProblem(graph), order);
}

} // namespace aotc::plan
