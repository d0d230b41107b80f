// What a model needs of a device beyond the guarantees of Vulkan 1.1, and what a device has. Makes nothing.
#pragma once
#include <vulkan/vulkan_core.h>

#include <cstdint>

#include "aotc/version.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

// The numbers are the largest that any dispatch has; those that stand here are met by every device.
struct Requirements {
  // Of VkPhysicalDeviceFeatures and its like: shaderInt64, shaderFloat64, shaderFloat16, storageBuffer16BitAccess; and
  // subgroupArithmetic, which is none that is asked for: devices have it or not. timelineSemaphore is for callers.
  const char* const* features = nullptr;
  int feature_count = 0;
  std::uint32_t workgroup_invocations = 128;
  std::uint32_t workgroup_size[3] = {128, 128, 64};
  std::uint32_t shared_bytes = 16384;      // of one workgroup
  std::uint64_t range_bytes = 128u << 20;  // of one binding
};

// The extensions that some features need.
struct Extensions {
  bool float16_int8 = false, timeline_semaphore = false;
};

// The features that a model or its caller may need, as Vulkan's functions take and give them. Refers to itself: not to
// be copied.
struct FeatureChain {
  // The structures of extensions that the device lacks are left out.
  explicit FeatureChain(const Extensions& extensions) noexcept;
  FeatureChain(const FeatureChain&) = delete;
  FeatureChain& operator=(const FeatureChain&) = delete;

  VkPhysicalDeviceFeatures2 core;
  VkPhysicalDevice16BitStorageFeatures storage16;
  VkPhysicalDeviceShaderFloat16Int8FeaturesKHR arithmetic;
  VkPhysicalDeviceTimelineSemaphoreFeaturesKHR timeline;
  VkBool32 subgroup_arithmetic;  // outside of the chain
};

// A set of features: bit i stands for the i-th that the runtime knows.
using Features = std::uint32_t;

Features features_in(const FeatureChain& chain) noexcept;
// Asks for these in the chain of a new device.
void enable(Features features, FeatureChain& chain) noexcept;
// Names that the runtime does not know are left out.
Features features_named(const char* const* names, int count) noexcept;

// The first requirement that is not met, in words; null: none. A feature of an unknown name is never met.
const char* first_missing(const Requirements& requirements, Features features,
                          const VkPhysicalDeviceLimits& limits) noexcept;

}  // namespace vulkan
AOTC_RUNTIME_END
