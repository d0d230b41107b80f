// Branch and bound for one part: is there a placement that ends at or below a given capacity? In the manner of
// MiniMalloc (Moffitt, 2023), written anew:
//
//   - Items are placed in rising order of offset, each directly on top of the highest placed item that it meets in
//     time (its floor). Any placement can be pushed down into this form, so nothing is lost.
//   - A section is full when its floor plus the items still to be placed in it pass the capacity: cut.
//   - An item that starts at or above the end another one would have if placed now is not next: the other fits
//     below it.
//   - When the items left fall apart in time, the pieces are solved one by one.
//
//   offset                                    floors rise section by section, from left to right
//     ^          .....free.....               in the order of offsets
//     |  capacity - - - - - - - - - -
//     |   +----+
//     |   | 3  +------+                       next: an item in the sections of the lowest floor
//     |   +----+  2   |______
//     |   |  1 |      |______| 0
//     +---+----+------+------+--> sections
//
// Says "no" only when every possibility is excluded, and "unknown" when its budget of visited items is used up.
#pragma once
#include "lowering/plan/ArenaSections.h"
#include <vector>

namespace aotc::plan {

enum class SearchAnswer { yes, no, unknown };

// Looks for offsets (one per item of `part`) such that every item ends at or below `capacityBytes`. Takes what it
// visits from `visitBudget`. `offsets` is only changed with the answer `yes`.
SearchAnswer searchPlacement(const ArenaPart &part, std::int64_t capacityBytes, std::int64_t &visitBudget,
                             std::vector<std::int64_t> &offsets);

} // namespace aotc::plan
