// One buffer as the arena planner and the arena checker see it: a size, an alignment and the steps during which it must
// keep its place. Data only: the planner and the checker share this description and no code.
#pragma once
#include <cstdint>
#include <string>

namespace aotc::plan {

// Inputs that the caller fills in the arena live from step -1 to their last use, outputs from their first write to the
// last step of the program. Per-thread scratch is an ordinary buffer that lives during its one step. Views, in-place
// results and slices of a concat are no buffers of their own: they belong to the buffer that they lie in.
struct ArenaBuffer {
  std::string name;                 // for messages
  std::int64_t sizeBytes = 0;       // 0 is allowed and takes no room
  std::int64_t alignmentBytes = 64; // a power of two; of the offset from the start of the arena
  int firstStep = 0;                // the step that writes it first
  int lastStep = 0;                 // the step that uses it last, included; not before firstStep
};

} // namespace aotc::plan
