#include "aotc/vulkan/device_state.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

DeviceState::~DeviceState() {
  if (!owned) return;
  if (device && vk.DestroyDevice) vk.DestroyDevice(device, nullptr);
  if (instance && vk.DestroyInstance) vk.DestroyInstance(instance, nullptr);
}

VkResult DeviceState::submit(VkCommandBuffer commands, VkFence fence) const noexcept {
  VkSubmitInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SUBMIT_INFO;
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
