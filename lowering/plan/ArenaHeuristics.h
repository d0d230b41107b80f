// Fast placements of the items of one part: items are taken in some order and each goes into the lowest (first fit) or
// the tightest (best fit) gap that the items alive with it leave open.
//
//   offset
//     ^   +---------+
//     |   | c       |       order by size: a, b, c, d. d fits below c, beside a: first fit finds the gap.
//     |   +----+----+---+
//     |   | a  | d  |
//     |   |    +----+---+
//     |   |    | b      |
//     +---+----+--------+--> steps
//
// Best of several orders, then a hill climb over orders. Every limit is a count of visited items, never time, so that a
// plan does not depend on the machine.
#pragma once
#include "lowering/plan/ArenaSections.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace aotc::plan {

// Offsets in bytes, one per item, and the end of the topmost item.
struct ArenaPlacement {
  std::vector<std::int64_t> offsets;
  std::int64_t totalBytes = 0;
};

enum class FitRule { first, best };

// Places items in a given order. Holds the conflicts of the part, so that one object serves many orders.
class ArenaPlacer {
public:
  explicit ArenaPlacer(llvm::ArrayRef<ArenaItem> items);

  // Places the items in `order`, a permutation of them. Gives up and returns false as soon as one ends above
  // `limitBytes`.
  bool place(llvm::ArrayRef<int> order, FitRule rule, std::int64_t limitBytes, ArenaPlacement &placement);

  std::int64_t visitedItems() const { return visited; }

private:
  struct Span {
    std::int64_t begin, end;
    int item;
    bool operator<(const Span &other) const { return begin != other.begin ? begin < other.begin : item < other.item; }
  };
  void buildConflicts();
  void collectSpans(int item, const ArenaPlacement &placement);
  void markPlaced(int item, const ArenaPlacement &placement);
  std::int64_t findGap(const ArenaItem &item, FitRule rule) const;

  llvm::ArrayRef<ArenaItem> items;
  // Sparse parts: the items alive with item i are conflicts[conflictBegin[i] .. conflictBegin[i+1]). Dense parts keep
  // no such list (it would be quadratic) and walk over placedSpans, which is sorted by offset.
  bool dense = false;
  std::vector<int> conflictBegin, conflicts;
  std::vector<char> placed;
  std::vector<Span> placedSpans, spans;
  std::int64_t visited = 0;
};

// The best placement over the fixed set of orders; stops when it ends at or below `targetBytes`. `bestOrder` becomes
// the order that gave it.
ArenaPlacement placeByHeuristics(const ArenaPart &part, ArenaPlacer &placer, std::int64_t targetBytes,
                                 std::int64_t visitBudget, std::vector<int> &bestOrder);

// Improves `best` by moving one item at a time within `order`, always in the same pseudo-random sequence.
void climbOverOrders(const ArenaPart &part, ArenaPlacer &placer, std::int64_t targetBytes, std::int64_t visitBudget,
                     std::vector<int> &order, ArenaPlacement &best);

} // namespace aotc::plan
