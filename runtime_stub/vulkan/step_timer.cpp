#include "aotc/vulkan/step_timer.hpp"

#include "aotc/vulkan/device_state.hpp"
#include "aotc/vulkan/result.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

StepTimer::~StepTimer() {
  if (pool_) device_->vk.DestroyQueryPool(device_->device, pool_, nullptr);
}

Status StepTimer::make(const DeviceState& device, int steps, int submissions, const int* first_dispatch) noexcept {
  if (device.timestamp_bits == 0) return Status::ok;
  device_ = &device;
  steps_ = steps;
  first_dispatch_ = first_dispatch;
  VkQueryPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO;
  info.queryType = VK_QUERY_TYPE_TIMESTAMP;
  info.queryCount = end_of(submissions);
  return status_of(device.vk.CreateQueryPool(device.device, &info, nullptr, &pool_));
}

void StepTimer::start(VkCommandBuffer commands, const StepRange& range) noexcept {
  if (!pool_) return;
  range_ = range;
  next_ = range.first;
  const auto first = static_cast<std::uint32_t>(range.first), count = static_cast<std::uint32_t>(range.count);
  if (count > 0) device_->vk.CmdResetQueryPool(commands, pool_, first, count);
  device_->vk.CmdResetQueryPool(commands, pool_, end_of(range.submission), 1);
}

// A step without a dispatch ends where it begins.
void StepTimer::reach(VkCommandBuffer commands, int dispatch) noexcept {
  if (!pool_) return;
  while (next_ < range_.first + range_.count && (first_dispatch_ ? first_dispatch_[next_] : next_) <= dispatch)
    stamp(commands, static_cast<std::uint32_t>(next_++));
}

void StepTimer::stop(VkCommandBuffer commands) noexcept {
  if (!pool_) return;
  while (next_ < range_.first + range_.count) stamp(commands, static_cast<std::uint32_t>(next_++));
  stamp(commands, end_of(range_.submission));
}

// When all commands so far are done.
void StepTimer::stamp(VkCommandBuffer commands, std::uint32_t query) noexcept {
  device_->vk.CmdWriteTimestamp(commands, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT, pool_, query);
}

Status StepTimer::read(std::uint32_t query, std::uint64_t& ticks) const noexcept {
  return status_of(device_->vk.GetQueryPoolResults(device_->device, pool_, query, 1, sizeof ticks, &ticks, sizeof ticks,
                                                   VK_QUERY_RESULT_64_BIT | VK_QUERY_RESULT_WAIT_BIT));
}

Status StepTimer::report(const Profiler& profiler, const StepRange& range) const noexcept {
  if (!pool_ || !profiler.elapsed) return Status::ok;
  const std::uint32_t bits = device_->timestamp_bits;
  const std::uint64_t mask = bits < 64 ? (std::uint64_t{1} << bits) - 1 : ~std::uint64_t{0};
  const double period = device_->properties.limits.timestampPeriod;  // nanoseconds
  std::uint64_t before = 0;
  for (int i = 0; i <= range.count; ++i) {
    const bool is_end = i == range.count;
    std::uint64_t now = 0;
    const Status status = read(is_end ? end_of(range.submission) : static_cast<std::uint32_t>(range.first + i), now);
    if (status != Status::ok) return status;
    const double elapsed = static_cast<double>((now - before) & mask) * period;  // right across an overflow
    if (i > 0) profiler.elapsed(profiler.user, range.first + i - 1, static_cast<std::uint64_t>(elapsed));
    before = now;
  }
  return Status::ok;
}

}  // namespace vulkan
AOTC_RUNTIME_END
