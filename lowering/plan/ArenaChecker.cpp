// The sweep over time that is described in ArenaChecker.h. Must never include the planner's headers.
#include "lowering/plan/ArenaChecker.h"
#include <algorithm>
#include <map>
#include <vector>

namespace aotc::plan {
namespace {

std::string rangeText(const ArenaBuffer &buffer, std::int64_t offset) {
  return "'" + buffer.name + "' [" + std::to_string(offset) + ", " + std::to_string(offset + buffer.sizeBytes) + ")";
}

std::string stepsText(const ArenaBuffer &buffer) {
  return std::to_string(buffer.firstStep) + ".." + std::to_string(buffer.lastStep);
}

// What can be said about one buffer without looking at the others.
std::string checkAlone(const ArenaBuffer &buffer, std::int64_t offset, std::int64_t totalBytes) {
  std::string where = "arena: buffer " + rangeText(buffer, offset);
  if (buffer.sizeBytes < 0)
    return "arena: buffer '" + buffer.name + "' has a negative size, found " + std::to_string(buffer.sizeBytes);
  if (buffer.firstStep > buffer.lastStep)
    return "arena: buffer '" + buffer.name + "' dies before it is born, found steps " + stepsText(buffer);
  if (offset < 0 || offset > totalBytes || buffer.sizeBytes > totalBytes - offset)
    return where + " must lie inside [0, " + std::to_string(totalBytes) + ")";
  if (buffer.alignmentBytes <= 0 || offset % buffer.alignmentBytes != 0)
    return where + " must start at a multiple of " + std::to_string(buffer.alignmentBytes);
  return "";
}

} // namespace

std::string checkArena(llvm::ArrayRef<ArenaBuffer> buffers, llvm::ArrayRef<std::int64_t> offsetBytes,
                       std::int64_t totalBytes) {
  if (offsetBytes.size() != buffers.size())
    return "arena: expected " + std::to_string(buffers.size()) + " offsets, found " +
           std::to_string(offsetBytes.size());
  std::map<int, std::vector<std::size_t>> births, deaths; // by step
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (std::string fault = checkAlone(buffers[i], offsetBytes[i], totalBytes); !fault.empty())
      return fault;
    if (buffers[i].sizeBytes > 0)
      births[buffers[i].firstStep].push_back(i), deaths[buffers[i].lastStep].push_back(i);
  }

  std::map<std::int64_t, std::size_t> live; // offset -> buffer; its ranges never overlap
  auto death = deaths.begin();
  for (const auto &[step, newcomers] : births) {
    for (; death != deaths.end() && death->first < step; ++death)
      for (std::size_t gone : death->second)
        live.erase(offsetBytes[gone]);
    for (std::size_t i : newcomers) {
      auto collides = [&](std::size_t other) {
        return "arena: buffers " + rangeText(buffers[other], offsetBytes[other]) + " and " +
               rangeText(buffers[i], offsetBytes[i]) + " overlap, both are live at step " + std::to_string(step) +
               " (live " + stepsText(buffers[other]) + " and " + stepsText(buffers[i]) + ")";
      };
      auto above = live.lower_bound(offsetBytes[i]);
      if (above != live.end() && above->first < offsetBytes[i] + buffers[i].sizeBytes)
        return collides(above->second);
      if (above != live.begin()) {
        std::size_t below = std::prev(above)->second;
        if (offsetBytes[below] + buffers[below].sizeBytes > offsetBytes[i])
          return collides(below);
      }
      live[offsetBytes[i]] = i;
    }
  }
  return "";
}

} // namespace aotc::plan
