// Gives every buffer its offset in the arena, so that buffers alive together never overlap and the arena is as small as
// it can be found to be. Pure C++: knows neither ops nor memrefs, and decides neither order nor sharing (a result
// computed in its input's place is one buffer here).
//
//   offset
//     ^  arena 152,448 bytes              mlperf_resnet8: the bound is the largest sum of live bytes at any step, here
//     |          +-------+   +-------+    of relu_0, conv_3 and relu_4, which fill the arena to the last byte. relu_1
//     |          |       |   |relu_4 |    lay where they follow, and the padded image before it.
//     |          |       +---+-------+-------+
//     |          |relu_1 |      conv_3       |
//     |  +-------+       |                   |
//     |  |  pad  |       |                   |
//     |  +---+---+-------+---+---------------+
//     |      |     relu_0    |
//     +------+---------------+------------------> steps
//
// The program falls into parts that share no live buffer. Each part is placed by several heuristics
// (ArenaHeuristics.h); the parts that miss the bound are searched exactly where they are small enough
// (ArenaExactSearch.h) and by a hill climb over orders where not; a gap below a thousandth gets little effort. All
// effort is counted in visited items, never in time: the plan is a function of the buffers alone.
#pragma once
#include "lowering/plan/ArenaBuffer.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace aotc::plan {

struct ArenaPlan {
  std::vector<std::int64_t> offsetBytes; // by buffer, from the start of the arena; multiples of the buffer's alignment
  std::int64_t totalBytes = 0;           // the end of the topmost buffer
  std::int64_t liveBytes = 0;            // the largest sum of live sizes at any step: no plan is smaller
  bool provenOptimal = false;            // no smaller plan exists with these alignments
};

struct ArenaPlannerOptions {
  std::int64_t visitBudget = 30'000'000; // for all searches together, and as much for each part's heuristics
  int exactLimit = 600;                  // parts with more buffers are not searched exactly
};

// Buffers must have firstStep <= lastStep and alignments that are powers of two: the caller's invariants, asserted.
// Never fails: the arena becomes as large as it must.
ArenaPlan planArena(llvm::ArrayRef<ArenaBuffer> buffers, const ArenaPlannerOptions &options = {});

// The largest sum of the sizes of the buffers alive at any step.
std::int64_t liveBytes(llvm::ArrayRef<ArenaBuffer> buffers);

} // namespace aotc::plan
