// Which of several writes to one buffer must keep their order: all of them, unless they are seen to write different
// parts of it. A pad fills the whole buffer before the interior is written; the parts of a concat come in any order.
#ifndef AOTC_LOWERING_PLAN_OVERLAPPINGWRITES_H
#define AOTC_LOWERING_PLAN_OVERLAPPINGWRITES_H

#include "mlir/IR/Value.h"

namespace aotc::plan {

// Whether no two of the memrefs, all of them views of one buffer, have an element in common as far as their subviews'
// constant offsets and sizes tell. False where that is not known.
bool areDisjoint(llvm::ArrayRef<mlir::Value> memrefs);

} // namespace aotc::plan

#endif
