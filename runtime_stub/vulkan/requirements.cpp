#include "aotc/vulkan/requirements.hpp"

#include <cstring>

AOTC_RUNTIME_BEGIN
namespace vulkan {

namespace {

// How a feature is called, and where it is in the chain.
struct Feature {
  const char* name;
  VkBool32& (*in)(FeatureChain& chain);
};

#define AOTC_VULKAN_FEATURE(structure, name)                                      \
  {                                                                               \
#name, [](FeatureChain & chain) -> VkBool32& { return chain.structure.name; } \
  }

constexpr Feature known_features[] = {
    AOTC_VULKAN_FEATURE(core.features, shaderInt64),
    AOTC_VULKAN_FEATURE(core.features, shaderFloat64),
    AOTC_VULKAN_FEATURE(storage16, storageBuffer16BitAccess),
    AOTC_VULKAN_FEATURE(arithmetic, shaderFloat16),
    AOTC_VULKAN_FEATURE(timeline, timelineSemaphore),
    {"subgroupArithmetic", [](FeatureChain& chain) -> VkBool32& { return chain.subgroup_arithmetic; }},
};
constexpr int known_count = static_cast<int>(sizeof known_features / sizeof known_features[0]);

#undef AOTC_VULKAN_FEATURE

Features bit_of(const char* name) noexcept {
  for (int i = 0; i < known_count; ++i)
    if (std::strcmp(known_features[i].name, name) == 0) return Features{1} << i;
  return 0;
}

}  // namespace

FeatureChain::FeatureChain(const Extensions& extensions) noexcept
    : core{}, storage16{}, arithmetic{}, timeline{}, subgroup_arithmetic(VK_FALSE) {
  core.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2;
  storage16.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES;
  arithmetic.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES_KHR;
  timeline.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES_KHR;
  void** next = &core.pNext;
  const auto append = [&next](auto& structure) {
    *next = &structure;
    next = &structure.pNext;
  };
  append(storage16);
  if (extensions.float16_int8) append(arithmetic);
  if (extensions.timeline_semaphore) append(timeline);
}

Features features_in(const FeatureChain& chain) noexcept {
  Features features = 0;
  for (int i = 0; i < known_count; ++i)
    if (known_features[i].in(const_cast<FeatureChain&>(chain))) features |= Features{1} << i;
  return features;
}

void enable(Features features, FeatureChain& chain) noexcept {
  for (int i = 0; i < known_count; ++i)
    if (features >> i & 1) known_features[i].in(chain) = VK_TRUE;
}

Features features_named(const char* const* names, int count) noexcept {
  Features features = 0;
  for (int i = 0; i < count; ++i) features |= bit_of(names[i]);
  return features;
}

const char* first_missing(const Requirements& needed, Features features,
                          const VkPhysicalDeviceLimits& limits) noexcept {
  for (int i = 0; i < needed.feature_count; ++i)
    if ((bit_of(needed.features[i]) & features) == 0) return needed.features[i];
  if (needed.workgroup_invocations > limits.maxComputeWorkGroupInvocations) return "maxComputeWorkGroupInvocations";
  for (int d = 0; d < 3; ++d)
    if (needed.workgroup_size[d] > limits.maxComputeWorkGroupSize[d]) return "maxComputeWorkGroupSize";
  if (needed.shared_bytes > limits.maxComputeSharedMemorySize) return "maxComputeSharedMemorySize";
  if (needed.range_bytes > limits.maxStorageBufferRange) return "maxStorageBufferRange";
  return nullptr;
}

}  // namespace vulkan
AOTC_RUNTIME_END
