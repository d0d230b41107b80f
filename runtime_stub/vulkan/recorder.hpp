// What the generated `record` function speaks to: dispatches and barriers of one run. Writes descriptor sets and
// commands of a session, or only counts. Must not submit.
#pragma once
#include <vulkan/vulkan_core.h>

#include <cstdint>
#include <initializer_list>

#include "aotc/status.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

// The part of a buffer that a shader sees at one binding. Offsets are multiples of 256; bytes are not 0.
struct Range {
  enum class Memory : std::uint8_t { arena, weights, input, output, status };
  Memory memory;
  int index;             // of the input or output
  std::uint64_t offset;  // in bytes from the start of the arena, the weights, or that input or output
  std::uint64_t bytes;
};

constexpr Range arena(std::uint64_t offset, std::uint64_t bytes) noexcept {
  return {Range::Memory::arena, 0, offset, bytes};
}
constexpr Range weights(std::uint64_t offset, std::uint64_t bytes) noexcept {
  return {Range::Memory::weights, 0, offset, bytes};
}
// Wherever the input or output with that number is: in the arena, among the weights (a default), or the caller's.
constexpr Range input(int index, std::uint64_t bytes, std::uint64_t offset = 0) noexcept {
  return {Range::Memory::input, index, offset, bytes};
}
constexpr Range output(int index, std::uint64_t bytes, std::uint64_t offset = 0) noexcept {
  return {Range::Memory::output, index, offset, bytes};
}

// A word, 0 at the start of each run, where a shader leaves the Status that the run is to end with.
constexpr Range status() noexcept { return {Range::Memory::status, 0, 0, sizeof(std::uint32_t)}; }

struct Groups {
  std::uint32_t x, y, z;
};

class SessionCore;

class Recorder {
 public:
  // Only counts.
  Recorder() noexcept = default;
  // Writes the session's commands.
  explicit Recorder(SessionCore& session) noexcept : session_(&session) {}

  // Runs the shader with that number; range i is its binding i.
  void dispatch(int shader, const Groups& groups, std::initializer_list<Range> ranges) noexcept;
  // What follows sees what dispatches before wrote, and may write what they read.
  void wait() noexcept;

  int dispatches() const noexcept { return dispatches_; }
  int barriers() const noexcept { return barriers_; }
  int bindings() const noexcept { return bindings_; }   // of all dispatches
  bool can_fail() const noexcept { return can_fail_; }  // whether a shader may leave a status
  Status status() const noexcept { return status_; }    // of the first call that failed; later ones did nothing

 private:
  Status write(int shader, const Groups& groups, std::initializer_list<Range> ranges) noexcept;

  SessionCore* session_ = nullptr;
  int dispatches_ = 0, barriers_ = 0, bindings_ = 0;
  bool can_fail_ = false;
  int bound_shader_ = -1;  // whose pipeline the commands bound last
  Status status_ = Status::ok;
};

}  // namespace vulkan
AOTC_RUNTIME_END
