// First-fit and best-fit placement of one part's items in a chosen order, and the search over orders.
#include "lowering/plan/ArenaHeuristics.h"
#include <algorithm>
#include <cassert>
#include <functional>
#include <limits>
#include <numeric>
#include <random>

namespace aotc::plan {

// ------------------------------------------------------------------------------------------------------- one placement

ArenaPlacer::ArenaPlacer(llvm::ArrayRef<ArenaItem> items) : items(items), placed(items.size()) { buildConflicts(); }

void ArenaPlacer::buildConflicts() {
  constexpr std::int64_t conflictLimit = 8'000'000; // 32 MB of indices
  int count = static_cast<int>(items.size());
  std::vector<int> byBirth(count);
  std::iota(byBirth.begin(), byBirth.end(), 0);
  std::stable_sort(byBirth.begin(), byBirth.end(),
                   [&](int a, int b) { return items[a].firstSection < items[b].firstSection; });
  std::vector<std::pair<int, int>> pairs;
  std::vector<int> alive;
  for (int item : byBirth) {
    alive.erase(std::remove_if(alive.begin(), alive.end(),
                               [&](int other) { return items[other].lastSection < items[item].firstSection; }),
                alive.end());
    if (static_cast<std::int64_t>(2 * (pairs.size() + alive.size())) > conflictLimit) {
      dense = true;
      return;
    }
    for (int other : alive)
      pairs.push_back({item, other});
    alive.push_back(item);
  }
  conflictBegin.assign(count + 1, 0);
  for (auto [a, b] : pairs)
    ++conflictBegin[a + 1], ++conflictBegin[b + 1];
  std::partial_sum(conflictBegin.begin(), conflictBegin.end(), conflictBegin.begin());
  conflicts.resize(2 * pairs.size());
  std::vector<int> next(conflictBegin.begin(), conflictBegin.end() - 1);
  for (auto [a, b] : pairs)
    conflicts[next[a]++] = b, conflicts[next[b]++] = a;
}

// Leaves in `spans` the placed items that are alive with `item`, in the order of their offsets.
void ArenaPlacer::collectSpans(int item, const ArenaPlacement &placement) {
  spans.clear();
  if (dense) {
    visited += static_cast<std::int64_t>(placedSpans.size());
    for (const Span &span : placedSpans)
      if (items[span.item].meets(items[item]))
        spans.push_back(span);
    return;
  }
  visited += conflictBegin[item + 1] - conflictBegin[item] + 1;
  for (int k = conflictBegin[item]; k < conflictBegin[item + 1]; ++k)
    if (int other = conflicts[k]; placed[other])
      spans.push_back({placement.offsets[other], placement.offsets[other] + items[other].sizeBytes, other});
  std::sort(spans.begin(), spans.end());
}

void ArenaPlacer::markPlaced(int item, const ArenaPlacement &placement) {
  placed[item] = true;
  if (!dense)
    return;
  Span span{placement.offsets[item], placement.offsets[item] + items[item].sizeBytes, item};
  placedSpans.insert(std::upper_bound(placedSpans.begin(), placedSpans.end(), span), span);
}

// The offset for `item` among `spans`. The open end above the topmost span counts as the loosest gap.
std::int64_t ArenaPlacer::findGap(const ArenaItem &item, FitRule rule) const {
  std::int64_t top = 0, chosen = -1, chosenGap = std::numeric_limits<std::int64_t>::max();
  for (const Span &span : spans) {
    std::int64_t offset = alignUp(top, item.alignmentBytes), gap = span.begin - offset;
    if (gap >= item.sizeBytes && gap < chosenGap) {
      chosen = offset, chosenGap = gap;
      if (rule == FitRule::first)
        return chosen;
    }
    top = std::max(top, span.end);
  }
  return chosen >= 0 ? chosen : alignUp(top, item.alignmentBytes);
}

bool ArenaPlacer::place(llvm::ArrayRef<int> order, FitRule rule, std::int64_t limitBytes, ArenaPlacement &placement) {
  assert(order.size() == items.size() && "an order holds every item once");
  placement.offsets.assign(items.size(), 0);
  placement.totalBytes = 0;
  std::fill(placed.begin(), placed.end(), 0);
  placedSpans.clear();
  for (int i : order) {
    collectSpans(i, placement);
    placement.offsets[i] = findGap(items[i], rule);
    markPlaced(i, placement);
    placement.totalBytes = std::max(placement.totalBytes, placement.offsets[i] + items[i].sizeBytes);
    if (placement.totalBytes > limitBytes)
      return false;
  }
  return true;
}

// ------------------------------------------------------------------------------------------------------ several orders

namespace {

using Key = std::int64_t;

// Largest first key first; equal ones by the second key, then in the caller's order.
std::vector<int> orderBy(const ArenaPart &part, const std::function<std::pair<Key, Key>(const ArenaItem &)> &keys) {
  std::vector<std::pair<Key, Key>> values;
  for (const ArenaItem &item : part.items)
    values.push_back(keys(item));
  std::vector<int> order(part.items.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return values[a] > values[b]; });
  return order;
}

// For each item the load of the fullest section it lives in, by a table of maxima over ranges of 2^k sections.
std::vector<Key> fullestSections(const ArenaPart &part) {
  std::vector<std::vector<Key>> table{sectionLoads(part)};
  for (std::size_t width = 1; 2 * width <= table[0].size(); width *= 2) {
    const std::vector<Key> &half = table.back();
    std::vector<Key> whole;
    for (std::size_t s = 0; s + width < half.size(); ++s)
      whole.push_back(std::max(half[s], half[s + width]));
    table.push_back(std::move(whole));
  }
  std::vector<Key> fullest;
  for (const ArenaItem &item : part.items) {
    std::size_t level = 0;
    while (2 << level <= item.lastSection - item.firstSection + 1)
      ++level;
    fullest.push_back(std::max(table[level][item.firstSection], table[level][item.lastSection + 1 - (1 << level)]));
  }
  return fullest;
}

// The orders worth trying, the ones that most often reach the bound first.
std::vector<std::vector<int>> usualOrders(const ArenaPart &part) {
  std::vector<Key> fullest = fullestSections(part);
  auto index = [&](const ArenaItem &item) { return &item - part.items.data(); };
  auto lifetime = [](const ArenaItem &item) { return Key{item.lastSection} - item.firstSection + 1; };
  auto orderOf = [&](auto keys) { return orderBy(part, keys); };
  using Pair = std::pair<Key, Key>;
  return {
      orderOf([&](const ArenaItem &i) {
        return Pair{i.sizeBytes, lifetime(i)};
      }),
      orderOf([&](const ArenaItem &i) {
        return Pair{fullest[index(i)], i.sizeBytes};
      }), // the widest moment first
      orderOf([&](const ArenaItem &i) {
        return Pair{i.sizeBytes * lifetime(i), i.sizeBytes};
      }),
      orderOf([&](const ArenaItem &i) {
        return Pair{fullest[index(i)], i.sizeBytes * lifetime(i)};
      }),
      orderOf([&](const ArenaItem &i) {
        return Pair{lifetime(i), i.sizeBytes};
      }),
      orderOf([&](const ArenaItem &i) {
        return Pair{-i.firstSection, i.sizeBytes};
      }),
      orderOf([&](const ArenaItem &i) {
        return Pair{i.lastSection, i.sizeBytes};
      }),
      orderOf([&](const ArenaItem &i) {
        return Pair{-i.firstSection, lifetime(i)};
      }),
  };
}

} // namespace

ArenaPlacement placeByHeuristics(const ArenaPart &part, ArenaPlacer &placer, std::int64_t targetBytes,
                                 std::int64_t visitBudget, std::vector<int> &bestOrder) {
  ArenaPlacement best, trial;
  best.totalBytes = std::numeric_limits<std::int64_t>::max();
  std::int64_t visitLimit = placer.visitedItems() + visitBudget;
  for (const std::vector<int> &order : usualOrders(part)) {
    for (FitRule rule : {FitRule::first, FitRule::best}) {
      if (!best.offsets.empty() && (best.totalBytes <= targetBytes || placer.visitedItems() > visitLimit))
        return best;
      if (!placer.place(order, rule, best.totalBytes - 1, trial))
        continue;
      std::swap(best, trial);
      bestOrder = order;
    }
  }
  return best;
}

void climbOverOrders(const ArenaPart &part, ArenaPlacer &placer, std::int64_t targetBytes, std::int64_t visitBudget,
                     std::vector<int> &order, ArenaPlacement &best) {
  std::mt19937 random(
      1); // its sequence is fixed by the C++ standard, the distributions' are not: plain remainders below
  std::int64_t visitLimit = placer.visitedItems() + visitBudget;
  ArenaPlacement current, trial;
  if (!placer.place(order, FitRule::first, std::numeric_limits<std::int64_t>::max(), current))
    return;
  std::vector<int> candidate;
  while (best.totalBytes > targetBytes && placer.visitedItems() < visitLimit) {
    // An item that touches the top must move down, so it is placed earlier; any other one may help by moving either
    // way.
    std::vector<std::size_t> topmost;
    for (std::size_t k = 0; k < order.size(); ++k)
      if (current.offsets[order[k]] + part.items[order[k]].sizeBytes == current.totalBytes)
        topmost.push_back(k);
    bool fromTop = random() % 4 != 0;
    std::size_t from = fromTop ? topmost[random() % topmost.size()] : random() % order.size();
    std::size_t to = fromTop ? random() % (from + 1) : random() % order.size();
    candidate = order;
    candidate.erase(candidate.begin() + from);
    candidate.insert(candidate.begin() + to, order[from]);
    if (!placer.place(candidate, FitRule::first, current.totalBytes, trial))
      continue;
    std::swap(order, candidate);
    std::swap(current, trial);
    if (current.totalBytes < best.totalBytes)
      best = current;
  }
}

} // namespace aotc::plan
