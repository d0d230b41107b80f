#include "aotc/vulkan/step_timer.hpp"

#include "aotc/vulkan/device_state.hpp"
#include "aotc/vulkan/result.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

StepTimer::~StepTimer() {
  if (pool_) device_->vk.DestroyQueryPool(device_->device, pool_, nullptr);
}

Status StepTimer::make(const DeviceState& device, int steps, const int* first_dispatch) noexcept {
  if (device.timestamp_bits == 0) return Status::ok;
  device_ = &device;
  steps_ = steps;
  first_dispatch_ = first_dispatch;
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = static_cast<std::uint32_t>(steps) + 1;
  return status_of(device.vk.CreateQueryPool(device.device, &info, nullptr, &pool_));
}

void StepTimer::start(VkCommandBuffer commands) noexcept {
  if (!pool_) return;
  stamps_ = 0;
  device_->vk.CmdResetQueryPool(commands, pool_, 0, static_cast<std::uint32_t>(steps_) + 1);
}

// A step without a dispatch ends where it begins.
void StepTimer::reach(VkCommandBuffer commands, int dispatch) noexcept {
  if (!pool_) return;
  while (stamps_ < steps_ && (first_dispatch_ ? first_dispatch_[stamps_] : stamps_) <= dispatch) stamp(commands);
}

void StepTimer::stop(VkCommandBuffer commands) noexcept {
  if (!pool_) return;
  while (stamps_ <= steps_) stamp(commands);
}

// When all commands so far are done.
void StepTimer::stamp(VkCommandBuffer commands) noexcept {
  device_->vk.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool_,
                                static_cast<std::uint32_t>(stamps_++));
}

Status StepTimer::report(const Profiler& profiler) const noexcept {
  if (!pool_ || !profiler.elapsed) return Status::ok;
  const std::uint32_t bits = device_->timestamp_bits;
  const std::uint64_t mask = bits < 64 ? (std::uint64_t{1} << bits) - 1 : ~std::uint64_t{0};
  const double period = device_->properties.limits.timestampPeriod;  // nanoseconds
  std::uint64_t before = 0;
  for (int i = 0; i <= steps_; ++i) {
    std::uint64_t now = 0;
    const VkResult result =
        device_->vk.GetQueryPoolResults(device_->device, pool_, static_cast<std::uint32_t>(i), 1, sizeof now, &now,
                                        sizeof now, VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT);
    if (result != VK_SUCCESS) return status_of(result);
    const double elapsed = static_cast<double>((now - before) & mask) * period;  // right across an overflow
    if (i > 0) profiler.elapsed(profiler.user, i - 1, static_cast<std::uint64_t>(elapsed));
    before = now;
  }
  return Status::ok;
}

}  // namespace vulkan
AOTC_RUNTIME_END
