// The branch and bound described in ArenaExactSearch.h.
#include "lowering/plan/ArenaExactSearch.h"
#include <algorithm>
#include <numeric>

namespace aotc::plan {
namespace {

class Search {
public:
  Search(const ArenaPart &part, std::int64_t capacityBytes, std::int64_t visitBudget)
      : part(part), capacity(capacityBytes), budget(visitBudget) {}

  SearchAnswer run();
  std::int64_t budgetLeft() const { return budget; }
  // By index into part.items.
  std::vector<std::int64_t> offsetsOfItems() const;

private:
  // What is placed next must come after what was placed last, by offset and then by rank.
  struct Position {
    std::int64_t offset = 0;
    int rank = -1;
  };
  struct RaisedFloor {
    int rank;
    std::int64_t before;
  };

  void prepare();
  bool solve(std::vector<int> ranks, Position last);
  std::vector<int> candidates(const std::vector<int> &ranks, Position last);
  bool placeAndSolve(const std::vector<int> &ranks, int rank);
  void raiseFloors(const std::vector<int> &ranks, int rank, std::vector<RaisedFloor> &raised);
  bool sectionsHaveRoom(const std::vector<int> &ranks, int rank);
  bool solvePieces(const std::vector<int> &ranks, int rank);
  std::int64_t offsetOf(int rank) const { return alignUp(floors[rank], items[rank].alignmentBytes); }
  std::int64_t endOf(int rank) const { return offsetOf(rank) + items[rank].sizeBytes; }

  const ArenaPart &part;
  const std::int64_t capacity;
  std::int64_t budget;
  std::vector<int> itemOfRank;
  std::vector<ArenaItem> items; // by rank
  std::vector<std::int64_t> floors, offsets;
  std::vector<char> isPlaced;
  std::vector<int> twin; // the previous item of the same shape and lifetime: it goes first
  // By section: the end of what is placed, and the sum of what is not (sizes rounded up to the smallest alignment).
  std::vector<std::int64_t> sectionFloor, sectionRest;
  std::int64_t unit = 1; // the smallest alignment
};

void Search::prepare() {
  std::vector<std::int64_t> loads = sectionLoads(part), fullest;
  for (const ArenaItem &item : part.items)
    fullest.push_back(*std::max_element(loads.begin() + item.firstSection, loads.begin() + item.lastSection + 1));
  itemOfRank.resize(part.items.size());
  std::iota(itemOfRank.begin(), itemOfRank.end(), 0);
  auto area = [&](int i) {
    return part.items[i].sizeBytes * (part.items[i].lastSection - part.items[i].firstSection + 1);
  };
  std::stable_sort(itemOfRank.begin(), itemOfRank.end(),
                   [&](int a, int b) { return std::pair(fullest[a], area(a)) > std::pair(fullest[b], area(b)); });
  unit = part.items.front().alignmentBytes;
  for (int i : itemOfRank) {
    items.push_back(part.items[i]);
    unit = std::min(unit, part.items[i].alignmentBytes);
  }
  floors.assign(items.size(), 0);
  offsets.assign(items.size(), 0);
  isPlaced.assign(items.size(), 0);
  twin.assign(items.size(), -1);
  sectionFloor.assign(part.sectionCount, 0);
  sectionRest.assign(part.sectionCount, 0);
  for (std::size_t r = 0; r < items.size(); ++r) {
    for (int s = items[r].firstSection; s <= items[r].lastSection; ++s)
      sectionRest[s] += alignUp(items[r].sizeBytes, unit);
    for (std::size_t before = r; before-- > 0 && twin[r] < 0;) // equal items have neighbouring ranks
      if (fullest[itemOfRank[before]] != fullest[itemOfRank[r]] || area(itemOfRank[before]) != area(itemOfRank[r]))
        break;
      else if (items[r].sizeBytes == items[before].sizeBytes &&
               items[r].alignmentBytes == items[before].alignmentBytes &&
               items[r].firstSection == items[before].firstSection && items[r].lastSection == items[before].lastSection)
        twin[r] = static_cast<int>(before);
  }
}

// The items that may be placed next, lowest offset first. Empty also when some item can no longer fit at all.
std::vector<int> Search::candidates(const std::vector<int> &ranks, Position last) {
  budget -= 16 + 4 * static_cast<std::int64_t>(ranks.size()); // an item here costs about four visits of a heuristic
  std::int64_t lowestEnd = capacity;
  for (int rank : ranks) {
    std::int64_t end = endOf(rank);
    if (end > capacity)
      return {};
    lowestEnd = std::min(lowestEnd, end);
  }
  std::vector<int> result;
  for (int rank : ranks) {
    std::int64_t offset = offsetOf(rank);
    bool afterLast = offset > last.offset || (offset == last.offset && rank > last.rank);
    if (offset < lowestEnd && afterLast && (twin[rank] < 0 || isPlaced[twin[rank]]))
      result.push_back(rank);
  }
  std::stable_sort(result.begin(), result.end(), [&](int a, int b) { return offsetOf(a) < offsetOf(b); });
  return result;
}

bool Search::solve(std::vector<int> ranks, Position last) {
  if (ranks.empty())
    return true;
  for (int rank : candidates(ranks, last)) {
    if (budget <= 0)
      return false;
    if (placeAndSolve(ranks, rank))
      return true;
  }
  return false;
}

bool Search::placeAndSolve(const std::vector<int> &ranks, int rank) {
  const ArenaItem &item = items[rank];
  std::int64_t rounded = alignUp(item.sizeBytes, unit);
  std::vector<RaisedFloor> raised;
  std::vector<std::int64_t> floorsBefore(sectionFloor.begin() + item.firstSection,
                                         sectionFloor.begin() + item.lastSection + 1);
  offsets[rank] = offsetOf(rank);
  isPlaced[rank] = true;
  for (int s = item.firstSection; s <= item.lastSection; ++s) {
    sectionFloor[s] = std::max(sectionFloor[s], offsets[rank] + item.sizeBytes);
    sectionRest[s] -= rounded;
  }
  raiseFloors(ranks, rank, raised);
  if (sectionsHaveRoom(ranks, rank) && solvePieces(ranks, rank))
    return true; // the offsets stay; floors and sums of solved pieces matter to no other piece
  for (const RaisedFloor &floor : raised)
    floors[floor.rank] = floor.before;
  std::copy(floorsBefore.begin(), floorsBefore.end(), sectionFloor.begin() + item.firstSection);
  for (int s = item.firstSection; s <= item.lastSection; ++s)
    sectionRest[s] += rounded;
  isPlaced[rank] = false;
  return false;
}

void Search::raiseFloors(const std::vector<int> &ranks, int rank, std::vector<RaisedFloor> &raised) {
  std::int64_t end = offsets[rank] + items[rank].sizeBytes;
  for (int other : ranks) {
    if (other == rank || floors[other] >= end || !items[other].meets(items[rank]))
      continue;
    raised.push_back({other, floors[other]});
    floors[other] = end;
  }
}

// All that is left lies at or above the item just placed.
bool Search::sectionsHaveRoom(const std::vector<int> &ranks, int rank) {
  int first = part.sectionCount, last = -1;
  for (int other : ranks) {
    first = std::min(first, items[other].firstSection);
    last = std::max(last, items[other].lastSection);
  }
  budget -= last - first + 1;
  std::int64_t limit = alignUp(capacity, unit);
  for (int s = first; s <= last; ++s)
    if (sectionRest[s] > 0 && alignUp(std::max(sectionFloor[s], offsets[rank]), unit) + sectionRest[s] > limit)
      return false;
  return true;
}

// Splits what is left where no item crosses from one section to the next.
bool Search::solvePieces(const std::vector<int> &ranks, int rank) {
  std::vector<int> rest;
  for (int other : ranks)
    if (other != rank)
      rest.push_back(other);
  std::vector<int> byBirth = rest;
  std::sort(byBirth.begin(), byBirth.end(),
            [&](int a, int b) { return items[a].firstSection < items[b].firstSection; });
  Position position{offsets[rank], rank};
  std::vector<std::pair<int, std::vector<int>>> pieces; // last section, ranks
  for (int other : byBirth) {
    if (pieces.empty() || items[other].firstSection > pieces.back().first)
      pieces.push_back({-1, {}});
    pieces.back().first = std::max(pieces.back().first, items[other].lastSection);
    pieces.back().second.push_back(other);
  }
  // A piece that fails undoes its own changes, but not those of the pieces solved before it.
  std::vector<std::int64_t> floorsBefore, restBefore, itemFloorsBefore;
  if (pieces.size() > 1)
    floorsBefore = sectionFloor, restBefore = sectionRest, itemFloorsBefore = floors;
  std::sort(pieces.begin(), pieces.end(),
            [](const auto &a, const auto &b) { return a.second.size() < b.second.size(); }); // the quickest "no" first
  for (auto &piece : pieces) {
    std::sort(piece.second.begin(), piece.second.end());
    if (solve(piece.second, position))
      continue;
    if (pieces.size() > 1) {
      sectionFloor = floorsBefore, sectionRest = restBefore, floors = itemFloorsBefore;
      for (int other : rest)
        isPlaced[other] = false;
    }
    return false;
  }
  return true;
}

SearchAnswer Search::run() {
  prepare();
  std::vector<int> ranks(items.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  if (solve(ranks, {}))
    return SearchAnswer::yes;
  return budget > 0 ? SearchAnswer::no : SearchAnswer::unknown;
}

std::vector<std::int64_t> Search::offsetsOfItems() const {
  std::vector<std::int64_t> result(items.size());
  for (std::size_t r = 0; r < items.size(); ++r)
    result[itemOfRank[r]] = offsets[r];
  return result;
}

} // namespace

SearchAnswer searchPlacement(const ArenaPart &part, std::int64_t capacityBytes, std::int64_t &visitBudget,
                             std::vector<std::int64_t> &offsets) {
  Search search(part, capacityBytes, visitBudget);
  SearchAnswer answer = search.run();
  visitBudget = search.budgetLeft();
  if (answer == SearchAnswer::yes)
    offsets = search.offsetsOfItems();
  return answer;
}

} // namespace aotc::plan
