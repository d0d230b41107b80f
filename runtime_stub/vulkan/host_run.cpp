#include "aotc/vulkan/host_run.hpp"

#include <chrono>

#include "aotc/vulkan/session.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

const Frame& HostRun::frame() const noexcept { return session_.frame_; }

void HostRun::submit(int submission) noexcept {
  if (status_ != Status::ok) return;
  status_ = session_.submit_and_wait(submission);
  const Status reported = status_ == Status::ok ? session_.failure() : status_;
  if (reported != Status::ok) frame().fail(reported);  // which ends loops
}

void HostRun::compute(int step) noexcept {
  if (status_ != Status::ok) return;
  const Step& what = session_.model_.program().host->steps[step];
  const Profiler* profiler = session_.profiler_;
  const bool is_timed = profiler && profiler->elapsed;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point start = is_timed ? Clock::now() : Clock::time_point{};
  if (const int units = units_of(what, frame()); units > 0) what.run(frame(), Part{0, units, 0});
  if (!is_timed) return;
  const std::chrono::nanoseconds elapsed = Clock::now() - start;
  profiler->elapsed(profiler->user, step, static_cast<std::uint64_t>(elapsed.count()));
}

}  // namespace vulkan
AOTC_RUNTIME_END
