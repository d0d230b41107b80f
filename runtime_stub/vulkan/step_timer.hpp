// How long the steps of a run took, by the device's clock. Must not know what they compute.
#pragma once
#include <vulkan/vulkan_core.h>

#include <cstdint>

#include "aotc/profiler.hpp"
#include "aotc/status.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

struct DeviceState;

// The steps whose commands are submitted together: consecutive ones.
struct StepRange {
  int submission;
  int first, count;
};

// Unless made, all calls do nothing.
class StepTimer {
 public:
  StepTimer() noexcept = default;
  StepTimer(const StepTimer&) = delete;
  StepTimer& operator=(const StepTimer&) = delete;
  ~StepTimer();

  // Once. first_dispatch: of each step, null where each is one dispatch. Stays unmade if the queue has no clock.
  Status make(const DeviceState& device, int steps, int submissions, const int* first_dispatch) noexcept;

  // While the commands of a submission are recorded: at their start, in front of each dispatch, and behind the last
  // one.
  void start(VkCommandBuffer commands, const StepRange& range) noexcept;
  void reach(VkCommandBuffer commands, int dispatch) noexcept;
  void stop(VkCommandBuffer commands) noexcept;

  // After the submission: one call of profiler.elapsed for each of its steps.
  Status report(const Profiler& profiler, const StepRange& range) const noexcept;

 private:
  std::uint32_t end_of(int submission) const noexcept { return static_cast<std::uint32_t>(steps_ + submission); }
  void stamp(VkCommandBuffer commands, std::uint32_t query) noexcept;
  Status read(std::uint32_t query, std::uint64_t& ticks) const noexcept;

  const DeviceState* device_ = nullptr;
  VkQueryPool pool_ = VK_NULL_HANDLE;  // a time stamp in front of each step, then one behind each submission
  int steps_ = 0;
  const int* first_dispatch_ = nullptr;
  StepRange range_{};  // that is being recorded
  int next_ = 0;       // the step of it that is stamped next
};

}  // namespace vulkan
AOTC_RUNTIME_END
