#include "aotc/vulkan/commands.hpp"

#include <cstdint>

#include "aotc/vulkan/device_state.hpp"
#include "aotc/vulkan/result.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

Commands::~Commands() {
  if (fence_) device_->vk.DestroyFence(device_->device, fence_, nullptr);
  if (pool_) device_->vk.DestroyCommandPool(device_->device, pool_, nullptr);  // with its buffer
}

Status Commands::make(const DeviceState& device) noexcept {
  device_ = &device;
  VkCommandPoolCreateInfo pool{};
  pool.sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO;
  pool.flags = VK_COMMAND_POOL_CREATE_RESET_COMMAND_BUFFER_BIT;
  pool.queueFamilyIndex = device.queue_family;
  VkResult result = device.vk.CreateCommandPool(device.device, &pool, nullptr, &pool_);
  if (result != VK_SUCCESS) return status_of(result);

  VkCommandBufferAllocateInfo buffer{};
  buffer.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO;
  buffer.commandPool = pool_;
  buffer.level = VK_COMMAND_BUFFER_LEVEL_PRIMARY;
  buffer.commandBufferCount = 1;
  result = device.vk.AllocateCommandBuffers(device.device, &buffer, &buffer_);
  if (result != VK_SUCCESS) return status_of(result);

  VkFenceCreateInfo fence{};
  fence.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  return status_of(device.vk.CreateFence(device.device, &fence, nullptr, &fence_));
}

Status Commands::begin() noexcept {
  has_work_ = false;
  VkCommandBufferBeginInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO;
  return status_of(device_->vk.BeginCommandBuffer(buffer_, &info));
}

Status Commands::end() noexcept { return status_of(device_->vk.EndCommandBuffer(buffer_)); }

void Commands::barrier(VkPipelineStageFlags from_stage, VkAccessFlags from, VkPipelineStageFlags to_stage,
                       VkAccessFlags to) noexcept {
  VkMemoryBarrier barrier{};
  barrier.sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER;
  barrier.srcAccessMask = from;
  barrier.dstAccessMask = to;
  device_->vk.CmdPipelineBarrier(buffer_, from_stage, to_stage, 0, 1, &barrier, 0, nullptr, 0, nullptr);
}

void Commands::copy(VkBuffer from, VkDeviceSize from_offset, VkBuffer to, VkDeviceSize to_offset,
                    VkDeviceSize bytes) noexcept {
  if (bytes == 0) return;
  note_work();
  const VkBufferCopy region{from_offset, to_offset, bytes};
  device_->vk.CmdCopyBuffer(buffer_, from, to, 1, &region);
}

void Commands::clear(VkBuffer buffer, VkDeviceSize offset, VkDeviceSize bytes) noexcept {
  note_work();
  device_->vk.CmdFillBuffer(buffer_, buffer, offset, bytes, 0);
}

Status Commands::run(const TimelinePoint& after) noexcept {
  VkResult result = device_->vk.ResetFences(device_->device, 1, &fence_);
  if (result == VK_SUCCESS) result = device_->submit(buffer_, fence_, after);
  if (result != VK_SUCCESS) return status_of(result);
  result = device_->vk.WaitForFences(device_->device, 1, &fence_, VK_TRUE, UINT64_MAX);
  if (result != VK_SUCCESS) device_->wait_idle();  // so that what the commands use may be released
  return status_of(result);
}

}  // namespace vulkan
AOTC_RUNTIME_END
