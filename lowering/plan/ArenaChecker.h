// An independent proof that an arena plan is right. Shares no code with the planner: neither its sections nor its
// order, only the description of a buffer.
//
//   step t:  buffers whose last step was t-1 leave the set, buffers born at t enter it. A newcomer is compared with
//            its two neighbours by offset; since the set held no overlap before, no other buffer can be hit.
#pragma once
#include "lowering/plan/ArenaBuffer.h"
#include "llvm/ADT/ArrayRef.h"
#include <string>

namespace aotc::plan {

// Empty if every buffer is aligned, lies inside [0, totalBytes) and overlaps no other buffer that is alive in the same
// step. Else one message in the house form that names the buffers and says where they lie.
std::string checkArena(llvm::ArrayRef<ArenaBuffer> buffers, llvm::ArrayRef<std::int64_t> offsetBytes,
                       std::int64_t totalBytes);

} // namespace aotc::plan
