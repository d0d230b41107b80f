// Runs of models with steps that have no shader: what is submitted to the device and what the host computes take turns.
// Must not know any model.
//
// Both sides know a buffer by its place in the arena. Where the host does not see that memory, it has one of the same
// size, which is of no account between its turns: what its next steps use is fetched there, and what they wrote is put
// back, by the commands submitted before and after.
#pragma once
#include "aotc/status.hpp"
#include "aotc/step.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

class HostRun;
class Recorder;
class SessionCore;

// Commands that are recorded once and submitted as a whole.
struct Submission {
  void (*record)(Recorder& commands);
  int first_step, step_count;  // of the shaders' steps, by their number in the model
};

// What is generated for a model with steps on the host; constant, and alive as long as the program.
struct HostSteps {
  const Submission* submissions;
  int submission_count;       // at least 1
  const Step* steps;          // of the whole model, in order; those of the device are null
  void (*run)(HostRun& run);  // everything of a run but its last submission
};

// What the generated `run_steps` speaks to. Once something has failed, the rest does nothing.
class HostRun {
 public:
  explicit HostRun(SessionCore& session) noexcept : session_(session) {}

  // On the device, until it is done.
  void submit(int submission) noexcept;
  // By the calling thread.
  void compute(int step) noexcept;

  // What the steps of the host see; its arena is theirs.
  const Frame& frame() const noexcept;
  // ok, or what the device failed with: what a step reports is the frame's.
  Status status() const noexcept { return status_; }

 private:
  SessionCore& session_;
  Status status_ = Status::ok;
};

}  // namespace vulkan
AOTC_RUNTIME_END
