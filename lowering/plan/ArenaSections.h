// Time, compressed for the planner: only the moments at which a largest set of buffers is alive matter.
//
//   buffers    a [-------]                       a dies before c is born, so that {a, b} and {b, c} are the two
//              b     [-----------]               sections; every other step's live set lies within one of them.
//              c            [--------]
//   sections      ...0...   ....1....
//
// Knows nothing of offsets.
#pragma once
#include "lowering/plan/ArenaBuffer.h"
#include "llvm/ADT/ArrayRef.h"
#include <vector>

namespace aotc::plan {

// A buffer of one part of the program, in terms of that part's sections. Two items are alive together exactly when
// their section ranges meet.
struct ArenaItem {
  std::int64_t sizeBytes;
  std::int64_t alignmentBytes;
  int firstSection, lastSection; // inclusive
  int buffer;                    // index into the caller's buffers

  bool meets(const ArenaItem &other) const {
    return firstSection <= other.lastSection && other.firstSection <= lastSection;
  }
};

// A stretch of the program that shares no live buffer with the rest: it is planned by itself, from offset 0.
struct ArenaPart {
  std::vector<ArenaItem> items; // in the caller's order; buffers of size 0 are left out
  int sectionCount = 0;
  std::int64_t boundBytes = 0; // no arena can be smaller, alignment considered
};

// Cuts the program into its parts, in the order of time.
std::vector<ArenaPart> splitIntoParts(llvm::ArrayRef<ArenaBuffer> buffers);

// The bytes of the items alive in each section.
std::vector<std::int64_t> sectionLoads(const ArenaPart &part);

// `value` rounded up to a multiple of `alignment`, a power of two.
inline std::int64_t alignUp(std::int64_t value, std::int64_t alignment) {
  return (value + alignment - 1) & ~(alignment - 1);
}

} // namespace aotc::plan
