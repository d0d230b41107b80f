// The course of planning: parts, heuristics for each, then searches for the parts that decide the arena's size.
#include "lowering/plan/ArenaPlanner.h"
#include "lowering/plan/ArenaExactSearch.h"
#include "lowering/plan/ArenaHeuristics.h"
#include "lowering/plan/ArenaSections.h"
#include <algorithm>
#include <cassert>

namespace aotc::plan {
namespace {

// A part with the best placement known for it, and the size below which none is possible (raised by proofs).
struct PartPlan {
  ArenaPart part;
  ArenaPlacement best;
  std::vector<int> order; // that gave `best`
  std::int64_t bound;
};

// No part needs to be smaller than this.
std::int64_t largestBound(const std::vector<PartPlan> &plans) {
  std::int64_t largest = 0;
  for (const PartPlan &plan : plans)
    largest = std::max(largest, plan.bound);
  return largest;
}

// Asks for ever smaller capacities between the proven bound and the best placement. The bound itself comes first: it is
// what real networks nearly always reach, and where it is not reached the proof is often short.
void searchExactly(PartPlan &plan, std::int64_t targetBytes, std::int64_t &budget) {
  std::int64_t unit = plan.part.items.front().alignmentBytes;
  for (const ArenaItem &item : plan.part.items)
    unit = std::min(unit, item.alignmentBytes);
  std::int64_t goal = std::max(plan.bound, targetBytes);
  std::int64_t low = goal; // capacities below it are impossible, not needed, or were given up
  bool proven = true;
  while (plan.best.totalBytes > low && budget > 0) {
    std::int64_t capacity = low == goal ? goal : low + (plan.best.totalBytes - low) / 2;
    std::int64_t share = budget / 3, left = share;
    std::vector<std::int64_t> offsets;
    SearchAnswer answer = searchPlacement(plan.part, capacity, left, offsets);
    budget -= share - left;
    if (answer == SearchAnswer::yes) {
      plan.best.offsets = offsets;
      plan.best.totalBytes = 0;
      for (std::size_t i = 0; i < offsets.size(); ++i)
        plan.best.totalBytes = std::max(plan.best.totalBytes, offsets[i] + plan.part.items[i].sizeBytes);
      continue;
    }
    proven &= answer == SearchAnswer::no;
    low = capacity + 1;
    if (proven)
      plan.bound = low;
    if (share < 1000)
      break;
  }
}

void improve(PartPlan &plan, std::int64_t targetBytes, const ArenaPlannerOptions &options, std::int64_t &budget) {
  if (plan.best.totalBytes - targetBytes < targetBytes / 1000)
    budget = std::min(budget, options.visitBudget / 20);
  if (static_cast<int>(plan.part.items.size()) <= options.exactLimit) {
    std::int64_t share = budget / 2, left = share;
    searchExactly(plan, targetBytes, left);
    budget -= share - left;
  }
  std::int64_t goal = std::max(plan.bound, targetBytes);
  if (plan.best.totalBytes <= goal || budget <= 0)
    return;
  ArenaPlacer placer(plan.part.items);
  climbOverOrders(plan.part, placer, goal, budget, plan.order, plan.best);
  budget -= placer.visitedItems();
}

std::vector<PartPlan> placeParts(llvm::ArrayRef<ArenaBuffer> buffers, const ArenaPlannerOptions &options) {
  std::vector<PartPlan> plans;
  for (ArenaPart &part : splitIntoParts(buffers)) {
    std::int64_t bound = part.boundBytes;
    plans.push_back({std::move(part), {}, {}, bound});
  }
  std::int64_t target = largestBound(plans);
  for (PartPlan &plan : plans) {
    ArenaPlacer placer(plan.part.items);
    plan.best = placeByHeuristics(plan.part, placer, target, options.visitBudget, plan.order);
  }
  return plans;
}

// The largest parts first; the others then only have to fit under the size that these need.
void improveParts(std::vector<PartPlan> &plans, const ArenaPlannerOptions &options) {
  std::vector<PartPlan *> worstFirst;
  for (PartPlan &plan : plans)
    worstFirst.push_back(&plan);
  std::stable_sort(worstFirst.begin(), worstFirst.end(),
                   [](const PartPlan *a, const PartPlan *b) { return a->best.totalBytes > b->best.totalBytes; });
  std::int64_t target = largestBound(plans), budget = options.visitBudget;
  for (PartPlan *plan : worstFirst) {
    if (plan->best.totalBytes > target && budget > 0)
      improve(*plan, target, options, budget);
    target = std::max(target, plan->best.totalBytes);
  }
}

} // namespace

ArenaPlan planArena(llvm::ArrayRef<ArenaBuffer> buffers, const ArenaPlannerOptions &options) {
  std::vector<PartPlan> plans = placeParts(buffers, options);
  improveParts(plans, options);
  ArenaPlan result;
  result.offsetBytes.assign(buffers.size(), 0); // buffers without bytes are in no part
  for (const PartPlan &plan : plans) {
    for (std::size_t i = 0; i < plan.part.items.size(); ++i)
      result.offsetBytes[plan.part.items[i].buffer] = plan.best.offsets[i];
    result.totalBytes = std::max(result.totalBytes, plan.best.totalBytes);
  }
  result.liveBytes = liveBytes(buffers);
  result.provenOptimal = result.totalBytes <= largestBound(plans);
  return result;
}

std::int64_t liveBytes(llvm::ArrayRef<ArenaBuffer> buffers) {
  std::int64_t largest = 0;
  for (const ArenaPart &part : splitIntoParts(buffers))
    for (std::int64_t load : sectionLoads(part))
      largest = std::max(largest, load);
  return largest;
}

} // namespace aotc::plan
