// Dynamic programming over the sets of nodes already done: two orders that have done the same set have the same live
// values, so only the one with the smaller peak is worth keeping. Level k holds the sets of k nodes; the number of sets
// kept per level is bounded, and as long as none had to be dropped the result is optimal.
//
//   {} -> {a} -> {a,b1} -> {a,b1,b2} ...   A node that frees at least what it allocates, without passing the peak so
//            \-> {a,b2} -/                   far, can always be done at once: such a set has one successor.
#pragma once
#include "lowering/plan/OrderProblem.h"

namespace aotc::plan {

struct SearchedOrder {
  std::vector<int> nodes; // empty: nothing below the limit was found
  bool complete = false;  // no set was dropped: no order has a peak below the limit and below that of `nodes`
};

// Looks for the order with the smallest peak below `limitBytes`. Looks at no more than `stateBudget` sets and takes
// from it what it used.
SearchedOrder searchOrder(const OrderProblem &problem, std::int64_t limitBytes, std::int64_t &stateBudget);

} // namespace aotc::plan
