// The descriptor sets of one session: as many as its dispatches need, taken one after the other. Must not know what
// they refer to.
#pragma once
#include <vulkan/vulkan_core.h>

#include "aotc/status.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

struct DeviceState;

class DescriptorSets {
 public:
  DescriptorSets() noexcept = default;
  DescriptorSets(const DescriptorSets&) = delete;
  DescriptorSets& operator=(const DescriptorSets&) = delete;
  ~DescriptorSets();

  // Room for that many sets with that many bindings in all; once. The device outlives the sets.
  Status make(const DeviceState& device, int sets, int bindings) noexcept;
  // A set of that layout whose bindings 0, 1, … are these buffers.
  Status take(VkDescriptorSetLayout layout, const VkDescriptorBufferInfo* buffers, int count,
              VkDescriptorSet& set) noexcept;
  // All sets are free to be taken again.
  Status reset() noexcept;

 private:
  const DeviceState* device_ = nullptr;
  VkDescriptorPool pool_ = VK_NULL_HANDLE;
};

}  // namespace vulkan
AOTC_RUNTIME_END
