// How long the steps of a run took, by the device's clock. Must not know what they compute.
#pragma once
#include <vulkan/vulkan_core.h>

#include <cstdint>

#include "aotc/profiler.hpp"
#include "aotc/status.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

struct DeviceState;

// Unless made, all calls do nothing.
class StepTimer {
 public:
  StepTimer() noexcept = default;
  StepTimer(const StepTimer&) = delete;
  StepTimer& operator=(const StepTimer&) = delete;
  ~StepTimer();

  // Once. first_dispatch: of each step, null where each is one dispatch. Stays unmade if the queue has no clock.
  Status make(const DeviceState& device, int steps, const int* first_dispatch) noexcept;

  // While commands are recorded: at their start, in front of each dispatch, and behind the last one.
  void start(VkCommandBuffer commands) noexcept;
  void reach(VkCommandBuffer commands, int dispatch) noexcept;
  void stop(VkCommandBuffer commands) noexcept;

  // After a run: one call of profiler.elapsed for each step.
  Status report(const Profiler& profiler) const noexcept;

 private:
  void stamp(VkCommandBuffer commands) noexcept;

  const DeviceState* device_ = nullptr;
  VkQueryPool pool_ = VK_NULL_HANDLE;  // a time stamp in front of each step, and one behind all
  int steps_ = 0;
  const int* first_dispatch_ = nullptr;
  int stamps_ = 0;  // recorded so far
};

}  // namespace vulkan
AOTC_RUNTIME_END
