// The choice of one of the computer's devices. Makes nothing.
#pragma once
#include <vulkan/vulkan_core.h>

#include <cstdint>

#include "aotc/vulkan/device.hpp"
#include "aotc/vulkan/functions.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

struct PhysicalDevice {
  VkPhysicalDevice handle = VK_NULL_HANDLE;
  std::uint32_t number = 0;  // in the order of vkEnumeratePhysicalDevices
  VkPhysicalDeviceProperties properties{};
  std::uint32_t queue_family = 0;  // that computes, best without drawing
  Features features = 0;
  Extensions extensions;
};

// Whether the threads of a subgroup of a compute shader can fold their values: "subgroupArithmetic".
bool has_subgroup_arithmetic(const Functions& vk, VkPhysicalDevice device) noexcept;

// Leaves out device i where bit i of `tried` is set. ok, device_missing, feature_missing (every device lacks one of the
// requirements; `missing` is that of the first), out_of_memory or device_failed.
Status choose_device(const Functions& vk, VkInstance instance, const DeviceOptions& options,
                     const Requirements& requirements, std::uint32_t tried, PhysicalDevice& chosen,
                     const char*& missing) noexcept;

}  // namespace vulkan
AOTC_RUNTIME_END
