// What stands behind a Device: handles, functions and facts that all users of the device share. Internal to the
// runtime; holds no choice of devices.
#pragma once
#include <vulkan/vulkan_core.h>

#include <atomic>
#include <cstdint>
#include <mutex>

#include "aotc/vulkan/functions.hpp"
#include "aotc/vulkan/requirements.hpp"
#include "aotc/vulkan/timeline.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

struct DeviceState {
  std::atomic<long> references{1};
  Functions vk;
  bool owned = false;  // instance and device are ours to destroy
  VkInstance instance = VK_NULL_HANDLE;
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;
  std::uint32_t queue_family = 0;
  VkPipelineCache pipeline_cache = VK_NULL_HANDLE;  // of all models on the device; ours, also where the device is not

  // The application's lock of the queue, else ours.
  void (*lock_queue)(void* user) = nullptr;
  void (*unlock_queue)(void* user) = nullptr;
  void* user = nullptr;
  mutable std::mutex mutex;

  VkPhysicalDeviceProperties properties{};
  VkPhysicalDeviceMemoryProperties memory{};
  VkDeviceSize largest_allocation = 0;  // in bytes
  Features features = 0;                // that the device was made with
  std::uint32_t timestamp_bits = 0;     // of the queue; 0: it has no clock
  bool maps_memory = false;             // the host sees the memory where shaders are fastest

  DeviceState() noexcept = default;
  ~DeviceState();

  void lock() const noexcept { lock_queue ? lock_queue(user) : mutex.lock(); }
  void unlock() const noexcept { unlock_queue ? unlock_queue(user) : mutex.unlock(); }
  // Under the lock.
  VkResult submit(VkCommandBuffer commands, VkFence fence, const TimelinePoint& after = {},
                  const TimelinePoint& signal = {}) const noexcept;
  void wait_idle() const noexcept;
};

}  // namespace vulkan
AOTC_RUNTIME_END
