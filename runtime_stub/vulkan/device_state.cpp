#include "aotc/vulkan/device_state.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

DeviceState::~DeviceState() {
  if (pipeline_cache) vk.DestroyPipelineCache(device, pipeline_cache, nullptr);
  if (!owned) return;
  if (device && vk.DestroyDevice) vk.DestroyDevice(device, nullptr);
  if (instance && vk.DestroyInstance) vk.DestroyInstance(instance, nullptr);
}

VkResult DeviceState::submit(VkCommandBuffer commands, VkFence fence, const TimelinePoint& after,
                             const TimelinePoint& signal) const noexcept {
  const VkPipelineStageFlags everything = VK_PIPELINE_STAGE_ALL_COMMANDS_BIT;
  VkTimelineSemaphoreSubmitInfoKHR values{};
  values.sType = VK_STRUCTURE_TYPE_TIMELINE_SEMAPHORE_SUBMIT_INFO_KHR;
  values.waitSemaphoreValueCount = after.semaphore ? 1 : 0;
  values.pWaitSemaphoreValues = &after.value;
  values.signalSemaphoreValueCount = signal.semaphore ? 1 : 0;
  values.pSignalSemaphoreValues = &signal.value;
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
  if (after.semaphore || signal.semaphore) info.pNext = &values;
  info.waitSemaphoreCount = values.waitSemaphoreValueCount;
  info.pWaitSemaphores = &after.semaphore;
  info.pWaitDstStageMask = &everything;
  info.signalSemaphoreCount = values.signalSemaphoreValueCount;
  info.pSignalSemaphores = &signal.semaphore;
  info.commandBufferCount = 1;
  info.pCommandBuffers = &commands;
  lock();
  const VkResult result = vk.QueueSubmit(queue, 1, &info, fence);
  unlock();
  return result;
}

void DeviceState::wait_idle() const noexcept {
  lock();
  vk.QueueWaitIdle(queue);
  unlock();
}

}  // namespace vulkan
AOTC_RUNTIME_END
