// The dynamic programming described in OrderSearch.h.
#include "lowering/plan/OrderSearch.h"
#include <algorithm>
#include <iterator>
#include <random>
#include <unordered_map>

namespace aotc::plan {
namespace {

// A set of done nodes with the best way found to it.
struct State {
  std::vector<std::uint64_t> done; // one bit per node
  std::vector<int> ready;          // nodes that can be done next, ascending
  std::uint64_t hash = 0;
  std::int64_t liveBytes = 0, peakBytes = 0;
  int record = -1; // how it was reached
};

// One step of the way to a state: kept for all levels, while the states of one level replace those before.
struct Record {
  int node, previous;
};

class Search {
public:
  Search(const OrderProblem &problem, std::int64_t limitBytes, std::int64_t stateBudget);
  SearchedOrder run();
  std::int64_t budgetLeft() const { return budget; }

private:
  struct Move {
    std::int64_t during, after; // live bytes
  };
  State start() const;
  Move move(const State &state, int node);
  void expand(const State &state);
  void reach(const State &from, int node, const Move &move);
  void keepBest();
  void spend(std::size_t items);
  bool isDone(const State &state, int node) const { return state.done[node / 64] >> (node % 64) & 1; }

  const OrderProblem &problem;
  const std::int64_t limit;
  std::int64_t budget;
  std::size_t itemsSpent = 0; // of one set
  std::size_t width;
  std::vector<std::uint64_t> nodeHash;
  std::vector<State> level, next;
  std::unordered_multimap<std::uint64_t, std::size_t> nextByHash;
  std::vector<Record> records;
  bool complete = true;
};

Search::Search(const OrderProblem &problem, std::int64_t limitBytes, std::int64_t stateBudget)
    : problem(problem), limit(limitBytes), budget(stateBudget),
      width(std::clamp<std::int64_t>(stateBudget / (2 * problem.nodeCount()), 8, 20'000)) {
  std::mt19937_64 random(1);
  for (int node = 0; node < problem.nodeCount(); ++node)
    nodeHash.push_back(random());
}

State Search::start() const {
  State state;
  state.done.assign((problem.nodeCount() + 63) / 64, 0);
  state.liveBytes = OrderMemory(problem).live();
  for (int node = 0; node < problem.nodeCount(); ++node)
    if (problem.before[node].empty())
      state.ready.push_back(node);
  return state;
}

// A set with many ready nodes, or whose values have many users, costs as much as several small ones.
void Search::spend(std::size_t items) {
  constexpr std::size_t itemsPerSet = 256;
  itemsSpent += items;
  budget -= static_cast<std::int64_t>(itemsSpent / itemsPerSet);
  itemsSpent %= itemsPerSet;
}

Search::Move Search::move(const State &state, int node) {
  Move result{state.liveBytes + problem.scratchBytes[node], state.liveBytes};
  int from = problem.inPlaceFrom[node], to = problem.inPlaceTo[node];
  bool fromDies = false, toIsBorn = false;
  for (int value : problem.touches[node]) {
    bool isAlive = problem.liveAtStart[value], isLast = !problem.liveAtEnd[value];
    spend(problem.users[value].size());
    for (int user : problem.users[value])
      if (user != node)
        (isDone(state, user) ? isAlive = true : isLast = false);
    result.during += isAlive ? 0 : problem.sizeBytes[value];
    result.after += (isAlive ? 0 : problem.sizeBytes[value]) - (isLast ? problem.sizeBytes[value] : 0);
    fromDies |= value == from && isLast;
    toIsBorn |= value == to && !isAlive;
  }
  if (fromDies && toIsBorn)
    result.during -= std::min(problem.sizeBytes[from], problem.sizeBytes[to]);
  return result;
}

void Search::expand(const State &state) {
  std::vector<Move> moves;
  for (int node : state.ready) {
    moves.push_back(move(state, node));
    if (moves.back().during <= state.peakBytes && moves.back().after <= state.liveBytes)
      return reach(state, node, moves.back()); // cannot be wrong, so nothing else needs to be tried
  }
  for (std::size_t k = 0; k < moves.size(); ++k)
    if (moves[k].during < limit)
      reach(state, state.ready[k], moves[k]);
}

void Search::reach(const State &from, int node, const Move &move) {
  --budget;
  spend(from.ready.size());
  std::int64_t peak = std::max(from.peakBytes, move.during);
  std::uint64_t hash = from.hash ^ nodeHash[node];
  std::vector<std::uint64_t> done = from.done;
  done[node / 64] |= std::uint64_t{1} << (node % 64);
  auto [same, end] = nextByHash.equal_range(hash);
  for (; same != end; ++same) {
    State &known = next[same->second];
    if (known.done != done)
      continue;
    if (peak < known.peakBytes) {
      known.peakBytes = peak;
      records[known.record] = {node, from.record};
    }
    return;
  }
  State state;
  state.done = std::move(done);
  state.hash = hash;
  state.liveBytes = move.after;
  state.peakBytes = peak;
  state.record = static_cast<int>(records.size());
  records.push_back({node, from.record});
  std::copy_if(from.ready.begin(), from.ready.end(), std::back_inserter(state.ready),
               [&](int other) { return other != node; });
  auto followers = static_cast<std::ptrdiff_t>(state.ready.size());
  for (int follower : problem.after[node])
    if (std::all_of(problem.before[follower].begin(), problem.before[follower].end(),
                    [&](int earlier) { return isDone(state, earlier); }))
      state.ready.push_back(follower);
  std::sort(state.ready.begin() + followers, state.ready.end());
  std::inplace_merge(state.ready.begin(), state.ready.begin() + followers, state.ready.end());
  nextByHash.emplace(hash, next.size());
  next.push_back(std::move(state));
}

// Too many sets: those with the smallest peak, and among equal ones with the least alive, go on.
void Search::keepBest() {
  if (next.size() <= width)
    return;
  complete = false;
  std::stable_sort(next.begin(), next.end(), [](const State &a, const State &b) {
    return a.peakBytes != b.peakBytes ? a.peakBytes < b.peakBytes : a.liveBytes < b.liveBytes;
  });
  next.resize(width);
}

SearchedOrder Search::run() {
  level.push_back(start());
  for (int done = 0; done < problem.nodeCount(); ++done) {
    next.clear();
    nextByHash.clear();
    for (const State &state : level) {
      expand(state);
      if (budget <= 0)
        return {};
    }
    keepBest();
    std::swap(level, next);
  }
  SearchedOrder result;
  result.complete = complete;
  if (level.empty())
    return result;
  for (int record = level.front().record; record >= 0; record = records[record].previous)
    result.nodes.push_back(records[record].node);
  std::reverse(result.nodes.begin(), result.nodes.end());
  return result;
}

} // namespace

SearchedOrder searchOrder(const OrderProblem &problem, std::int64_t limitBytes, std::int64_t &stateBudget) {
  Search search(problem, limitBytes, stateBudget);
  SearchedOrder result = search.run();
  stateBudget = search.budgetLeft();
  return result;
}

} // namespace aotc::plan
