#include "aotc/vulkan/descriptor_sets.hpp"

#include <cstdint>

#include "aotc/vulkan/device_state.hpp"
#include "aotc/vulkan/result.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

DescriptorSets::~DescriptorSets() {
  if (pool_) device_->vk.DestroyDescriptorPool(device_->device, pool_, nullptr);
}

// A pool cannot be empty, but a model can.
static std::uint32_t at_least_one(int count) noexcept { return count > 0 ? static_cast<std::uint32_t>(count) : 1; }

Status DescriptorSets::make(const DeviceState& device, int sets, int bindings) noexcept {
  device_ = &device;
  const VkDescriptorPoolSize size{VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, at_least_one(bindings)};
  VkDescriptorPoolCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO;
  info.maxSets = at_least_one(sets);
  info.poolSizeCount = 1;
  info.pPoolSizes = &size;
  return status_of(device.vk.CreateDescriptorPool(device.device, &info, nullptr, &pool_));
}

Status DescriptorSets::take(VkDescriptorSetLayout layout, const VkDescriptorBufferInfo* buffers, int count,
                            VkDescriptorSet& set) noexcept {
  VkDescriptorSetAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO;
  info.descriptorPool = pool_;
  info.descriptorSetCount = 1;
  info.pSetLayouts = &layout;
  const VkResult result = device_->vk.AllocateDescriptorSets(device_->device, &info, &set);
  if (result != VK_SUCCESS) return status_of(result);

  VkWriteDescriptorSet write{};
  write.sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET;
  write.dstSet = set;
  write.descriptorCount = static_cast<std::uint32_t>(count);  // goes on with the next binding where one is full
  write.descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER;
  write.pBufferInfo = buffers;
  device_->vk.UpdateDescriptorSets(device_->device, 1, &write, 0, nullptr);
  return Status::ok;
}

Status DescriptorSets::reset() noexcept {
  return status_of(device_->vk.ResetDescriptorPool(device_->device, pool_, 0));
}

}  // namespace vulkan
AOTC_RUNTIME_END
