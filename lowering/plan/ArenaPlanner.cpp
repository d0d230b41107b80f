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

} // namespace

ArenaPlan planArena(llvm::ArrayRef<ArenaBuffer> buffers, const ArenaPlannerOptions &options) {
  std::vector<PartPlan> plans;
  std::int64_t target = 0; // no part needs to be smaller than the largest bound of all
  for (ArenaPart &part : splitIntoParts(buffers)) {
    target = std::max(target, part.boundBytes);
    plans.push_back({std::move(part), {}, {}, 0});
    plans.back().bound = plans.back().part.boundBytes;
  }
  for (PartPlan &plan : plans) {
    ArenaPlacer placer(plan.part.items);
    plan.best = placeByHeuristics(plan.part, placer, target, options.visitBudget, plan.order);
  }
  std::int64_t budget = options.visitBudget;
  std::vector<PartPlan *> worstFirst;
  for (PartPlan &plan : plans)
    worstFirst.push_back(&plan);
  std::stable_sort(worstFirst.begin(), worstFirst.end(),
                   [](const PartPlan *a, const PartPlan *b) { return a->best.totalBytes > b->best.totalBytes; });
  std::int64_t proven = target;
  for (PartPlan *plan : worstFirst) {
    if (plan->best.totalBytes > target && budget > 0)
      improve(*plan, target, options, budget);
    target = std::max(target, plan->best.totalBytes); // the others only have to fit under it
    proven = std::max(proven, plan->bound);
  }

  ArenaPlan result;
  result.offsetBytes.assign(buffers.size(), 0);
  for (std::size_t i = 0; i < buffers.size(); ++i)
    result.offsetBytes[i] = buffers[i].fixedOffsetBytes.value_or(0);
  for (const PartPlan &plan : plans) {
    for (std::size_t i = 0; i < plan.part.items.size(); ++i)
      result.offsetBytes[plan.part.items[i].buffer] = plan.best.offsets[i];
    result.totalBytes = std::max(result.totalBytes, plan.best.totalBytes);
  }
  result.liveBytes = liveBytes(buffers);
  result.provenOptimal = result.totalBytes <= proven;
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
