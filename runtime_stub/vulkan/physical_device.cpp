#include "aotc/vulkan/physical_device.hpp"

#include <cstring>
#include <memory>
#include <new>

#include "aotc/vulkan/result.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

// Computers with more have their first ones considered: a set of them has 32 bits.
static constexpr std::uint32_t most_devices = 32;
static constexpr std::uint32_t most_families = 32;

// A family without graphics is the one that a driver runs beside drawing.
static bool find_queue_family(const Functions& vk, PhysicalDevice& device) noexcept {
  VkQueueFamilyProperties families[most_families];
  std::uint32_t count = most_families;
  vk.GetPhysicalDeviceQueueFamilyProperties(device.handle, &count, families);
  bool found = false;
  for (std::uint32_t i = count; i-- > 0;) {
    const VkQueueFlags flags = families[i].queueFlags;
    if (!(flags & VK_QUEUE_COMPUTE_BIT) || (found && (flags & VK_QUEUE_GRAPHICS_BIT))) continue;
    device.queue_family = i;
    found = true;
  }
  return found;
}

static Status find_extensions(const Functions& vk, PhysicalDevice& device) noexcept {
  std::uint32_t count = 0;
  VkResult result = vk.EnumerateDeviceExtensionProperties(device.handle, nullptr, &count, nullptr);
  if (result != VK_SUCCESS) return status_of(result);
  const std::unique_ptr<VkExtensionProperties[]> extensions(new (std::nothrow) VkExtensionProperties[count + 1]);
  if (!extensions) return Status::out_of_memory;
  result = vk.EnumerateDeviceExtensionProperties(device.handle, nullptr, &count, extensions.get());
  if (result != VK_SUCCESS && result != VK_INCOMPLETE) return status_of(result);
  for (std::uint32_t i = 0; i < count; ++i) {
    const char* name = extensions[i].extensionName;
    Extensions& has = device.extensions;
    if (std::strcmp(name, VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME) == 0) has.float16_int8 = true;
    if (std::strcmp(name, VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME) == 0) has.timeline_semaphore = true;
  }
  return Status::ok;
}

bool has_subgroup_arithmetic(const Functions& vk, VkPhysicalDevice device) noexcept {
  VkPhysicalDeviceSubgroupProperties subgroup{};
  subgroup.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SUBGROUP_PROPERTIES;
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &subgroup;
  if (vk.GetPhysicalDeviceProperties2) vk.GetPhysicalDeviceProperties2(device, &properties);
  return (subgroup.supportedStages & VK_SHADER_STAGE_COMPUTE_BIT) &&
         (subgroup.supportedOperations & VK_SUBGROUP_FEATURE_ARITHMETIC_BIT);
}

// Whether the device can be used at all; what it has is then filled in. Sets `status` where asking failed.
static bool examine(const Functions& vk, PhysicalDevice& device, Status& status) noexcept {
  vk.GetPhysicalDeviceProperties(device.handle, &device.properties);
  if (device.properties.apiVersion < VK_API_VERSION_1_1 || !find_queue_family(vk, device)) return false;
  if (const Status failure = find_extensions(vk, device); failure != Status::ok) {
    status = failure;
    return false;
  }
  FeatureChain chain(device.extensions);
  vk.GetPhysicalDeviceFeatures2(device.handle, &chain.core);
  chain.subgroup_arithmetic = has_subgroup_arithmetic(vk, device.handle);
  device.features = features_in(chain);
  return true;
}

// The smaller, the better.
static int rank_of(VkPhysicalDeviceType type, VkPhysicalDeviceType preferred) noexcept {
  if (type == preferred) return 0;
  switch (type) {
    case VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU:
      return 1;
    case VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU:
      return 2;
    case VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU:
      return 3;
    case VK_PHYSICAL_DEVICE_TYPE_CPU:
      return 4;
    default:
      return 5;
  }
}

Status choose_device(const Functions& vk, VkInstance instance, const DeviceOptions& options,
                     const Requirements& requirements, std::uint32_t tried, PhysicalDevice& chosen,
                     const char*& missing) noexcept {
  VkPhysicalDevice handles[most_devices];
  std::uint32_t count = most_devices;
  const VkResult result = vk.EnumeratePhysicalDevices(instance, &count, handles);
  if (result == VK_ERROR_INITIALIZATION_FAILED) return Status::device_missing;
  if (result != VK_SUCCESS && result != VK_INCOMPLETE) return status_of(result);

  const auto rank = [&](const PhysicalDevice& of) { return rank_of(of.properties.deviceType, options.preferred); };
  Status status = Status::device_missing;
  const char* lacking = nullptr;
  chosen = {};
  for (std::uint32_t i = 0; i < count; ++i) {
    const bool is_other = options.index >= 0 && static_cast<std::uint32_t>(options.index) != i;
    if (is_other || (tried >> i & 1u)) continue;
    PhysicalDevice device;
    device.handle = handles[i];
    device.number = i;
    if (!examine(vk, device, status)) continue;
    const char* lacks = first_missing(requirements, device.features, device.properties.limits);
    if (lacks && !lacking) lacking = lacks;
    if (!lacks && (!chosen.handle || rank(device) < rank(chosen))) chosen = device;
  }
  if (chosen.handle) return Status::ok;
  missing = lacking;
  return lacking ? Status::feature_missing : status;
}

}  // namespace vulkan
AOTC_RUNTIME_END
