// What generated `record` functions speak to: dispatches and barriers of one run, and copies for steps of the host.
// Writes descriptor sets and commands of a session, or only counts. Must not submit.
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

class Commands;
class ModelState;
class SessionCore;

class Recorder {
 public:
  // Only counts.
  Recorder() noexcept = default;
  // Writes the session's commands.
  explicit Recorder(SessionCore& session) noexcept : session_(&session) {}

  // All of a submission, with what there is to do at the ends of a run.
  void record(const ModelState& model, int submission) noexcept;

  // Runs the shader with that number; range i is its binding i.
  void dispatch(int shader, const Groups& groups, std::initializer_list<Range> ranges) noexcept;
  // What follows sees what dispatches before wrote, and may write what they read.
  void wait() noexcept;
  // Where the host has steps. At the end of a submission: brings it what it uses next. At the start: takes back what it
  // wrote. Ranges do not overlap, and are of the arena or of an input without a place there.
  void fetch(std::initializer_list<Range> ranges) noexcept;
  void put(std::initializer_list<Range> ranges) noexcept;

  int dispatches() const noexcept { return dispatches_; }
  int barriers() const noexcept { return barriers_; }
  int bindings() const noexcept { return bindings_; }   // of all dispatches
  bool can_fail() const noexcept { return can_fail_; }  // whether a shader may leave a status
  Status status() const noexcept { return status_; }    // of the first call that failed; later ones did nothing

 private:
  Status write(int shader, const Groups& groups, std::initializer_list<Range> ranges) noexcept;
  void start(bool is_first) noexcept;
  void stop(bool is_last) noexcept;
  void take_inputs() noexcept;
  void hand_outputs() noexcept;

  SessionCore* session_ = nullptr;
  Commands* commands_ = nullptr;  // of the submission
  int dispatches_ = 0, barriers_ = 0, bindings_ = 0;
  bool can_fail_ = false;
  int bound_shader_ = -1;  // whose pipeline the commands bound last
  Status status_ = Status::ok;
};

}  // namespace vulkan
AOTC_RUNTIME_END
