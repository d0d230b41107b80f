// Puts the steps of a function in the order that needs the least memory.
#ifndef AOTC_LOWERING_PLAN_SCHEDULE_STEPS_H
#define AOTC_LOWERING_PLAN_SCHEDULE_STEPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace aotc::plan {

// Moves allocations, globals and views to the front of the entry block, where they belong to no step, then reorders the
// steps behind them (OrderSteps.h decides). The model's own order stands where no other is better. Returns whether it is
// proven that no order has a smaller peak; loops and branches are one step each.
bool scheduleSteps(mlir::func::FuncOp function);

} // namespace aotc::plan

#endif
