// Computes the sections and parts declared in ArenaSections.h, by one sweep over births and deaths.
#include "lowering/plan/ArenaSections.h"
#include <algorithm>
#include <cassert>

namespace aotc::plan {
namespace {

struct Event {
  int step;
  bool death; // sorts after the births of its step: a buffer is alive during its last step
  int buffer;

  bool operator<(const Event &other) const {
    if (step != other.step)
      return step < other.step;
    if (death != other.death)
      return other.death;
    return buffer < other.buffer;
  }
};

std::vector<Event> sortedEvents(llvm::ArrayRef<ArenaBuffer> buffers) {
  std::vector<Event> events;
  events.reserve(2 * buffers.size());
  for (int i = 0, e = static_cast<int>(buffers.size()); i < e; ++i) {
    const ArenaBuffer &buffer = buffers[i];
    assert(buffer.firstStep <= buffer.lastStep && "a buffer must not die before it is born");
    assert(buffer.alignmentBytes > 0 && (buffer.alignmentBytes & (buffer.alignmentBytes - 1)) == 0 &&
           "an alignment must be a power of two");
    if (buffer.sizeBytes == 0)
      continue;
    events.push_back({buffer.firstStep, false, i});
    events.push_back({buffer.lastStep, true, i});
  }
  std::sort(events.begin(), events.end());
  return events;
}

// Every offset is a multiple of the smallest alignment, so that each buffer but the topmost takes its size rounded up.
std::int64_t boundOf(const ArenaPart &part) {
  std::int64_t unit = part.items.front().alignmentBytes;
  for (const ArenaItem &item : part.items)
    unit = std::min(unit, item.alignmentBytes);
  std::vector<std::int64_t> sum(part.sectionCount + 1), slack(part.sectionCount);
  std::int64_t bound = 0;
  for (const ArenaItem &item : part.items) {
    std::int64_t rounded = alignUp(item.sizeBytes, unit);
    sum[item.firstSection] += rounded;
    sum[item.lastSection + 1] -= rounded;
    for (int s = item.firstSection; rounded != item.sizeBytes && s <= item.lastSection; ++s)
      slack[s] = std::max(slack[s], rounded - item.sizeBytes);
  }
  std::int64_t live = 0;
  for (int s = 0; s < part.sectionCount; ++s) {
    live += sum[s];
    bound = std::max(bound, live - slack[s]);
  }
  return bound;
}

} // namespace

std::vector<ArenaPart> splitIntoParts(llvm::ArrayRef<ArenaBuffer> buffers) {
  std::vector<ArenaPart> parts;
  std::vector<int> firstSection(buffers.size());
  int alive = 0;
  bool diedSince = true; // a death since the current section was opened, so that the next birth opens another
  for (const Event &event : sortedEvents(buffers)) {
    const ArenaBuffer &buffer = buffers[event.buffer];
    if (event.death) {
      ArenaPart &part = parts.back();
      part.items.push_back(
          {buffer.sizeBytes, buffer.alignmentBytes, firstSection[event.buffer], part.sectionCount - 1, event.buffer});
      diedSince = true;
      --alive;
      continue;
    }
    if (alive == 0)
      parts.emplace_back();
    if (diedSince)
      ++parts.back().sectionCount;
    diedSince = false;
    firstSection[event.buffer] = parts.back().sectionCount - 1;
    ++alive;
  }
  for (ArenaPart &part : parts) {
    std::sort(part.items.begin(), part.items.end(),
              [](const ArenaItem &a, const ArenaItem &b) { return a.buffer < b.buffer; });
    part.boundBytes = boundOf(part);
  }
  return parts;
}

std::vector<std::int64_t> sectionLoads(const ArenaPart &part) {
  std::vector<std::int64_t> loads(part.sectionCount + 1);
  for (const ArenaItem &item : part.items) {
    loads[item.firstSection] += item.sizeBytes;
    loads[item.lastSection + 1] -= item.sizeBytes;
  }
  for (int s = 1; s < part.sectionCount; ++s)
    loads[s] += loads[s - 1];
  loads.resize(part.sectionCount);
  return loads;
}

} // namespace aotc::plan
