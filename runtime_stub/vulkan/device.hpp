// A device with one compute queue: made here, or the application's. Models that shall share a device, its queue and the
// lock of that queue are made from the same Device. Must not know models.
#pragma once
#include <cstddef>
#include <cstdint>

#include "aotc/status.hpp"
#include "aotc/vulkan/reference.hpp"
#include "aotc/vulkan/requirements.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

// A device of the application's, which outlives all that is made on it. All handles are needed.
struct AdoptedDevice {
  VkInstance instance = VK_NULL_HANDLE;  // made for Vulkan 1.1 or later (VkApplicationInfo::apiVersion)
  VkPhysicalDevice physical_device = VK_NULL_HANDLE;
  VkDevice device = VK_NULL_HANDLE;
  VkQueue queue = VK_NULL_HANDLE;  // of a family that computes
  std::uint32_t queue_family = 0;
  // The features that it was made with, by the names of Requirements: a device cannot be asked for them.
  const char* const* features = nullptr;
  int feature_count = 0;
  // Where the application, or another Device, submits to that queue too: called around each of our submissions. Both or
  // none.
  void (*lock)(void* user) = nullptr;
  void (*unlock)(void* user) = nullptr;
  void* user = nullptr;  // handed to both
};

struct DeviceOptions {
  // Which device: a number in the order of vkEnumeratePhysicalDevices; or, if negative, the first of the preferred
  // type, else of the first type in the order discrete, integrated, virtual, software that there is.
  int index = -1;
  VkPhysicalDeviceType preferred = VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU;
  AdoptedDevice adopted;                                       // used instead if its `device` is set
  PFN_vkGetInstanceProcAddr get_instance_proc_addr = nullptr;  // null: that of the loader
  // What Device::pipeline_cache() gave at an earlier start of the program, from which pipelines are made in less time;
  // null: none. A device or driver that it is not from makes nothing of it.
  const void* pipeline_cache = nullptr;
  std::size_t pipeline_cache_bytes = 0;
  bool always_stage = false;  // copies inputs and outputs even where the host sees device memory: to test what GPUs do
};

struct DeviceState;

// Cheap to copy, and free to go before what is made on it: the last one releases the device, unless it was adopted.
class Device {
 public:
  // A device that meets the requirements, if there is one.
  explicit Device(const DeviceOptions& options = {}, const Requirements& requirements = {}) noexcept;
  Device(const Device& other) noexcept;
  ~Device();

  // ok; device_missing: no loader, no driver, or no device of Vulkan 1.1 that computes, or a handle or one of two locks
  // of the adopted one is null; feature_missing: there is one, but it does not meet the requirements; out_of_memory;
  // device_failed.
  Status status() const noexcept { return status_; }
  // With feature_missing: the first of the requirements that is not met, in words such as "shaderInt64"; null
  // otherwise.
  const char* missing() const noexcept { return missing_; }
  // The same for other requirements.
  const char* missing(const Requirements& requirements) const noexcept;

  // For the application's own use, such as buffers to bind. The name is empty and handles are null where status() is
  // not ok.
  const char* name() const noexcept;
  VkInstance instance() const noexcept;
  VkPhysicalDevice physical_device() const noexcept;
  VkDevice handle() const noexcept;
  VkQueue queue() const noexcept;
  std::uint32_t queue_family() const noexcept;
  // Copies what is known of the pipelines of all models made so far, to be kept for the next start. Sets `bytes`, which
  // says how many there are at `data`, to how many it needs (`data` null) or has written. out_of_memory: more are
  // needed; device_failed.
  Status pipeline_cache(void* data, std::size_t* bytes) const noexcept;
  // Around submissions of the application to that queue.
  void lock() const noexcept;
  void unlock() const noexcept;

  const DeviceState* state() const noexcept { return state_.get(); }  // null where status() is not ok

 private:
  Status status_;
  const char* missing_ = nullptr;
  Reference<DeviceState> state_;
};

// What a model is made on: a device of its own, by options; or one that others are on as well.
class DeviceChoice {
 public:
  DeviceChoice(const DeviceOptions& options = {}) noexcept : options_(options) {}
  // `device` stays during the construction of the model, which takes a copy.
  DeviceChoice(const Device& device) noexcept : device_(&device) {}

  Device device(const Requirements& requirements) const noexcept {
    return device_ ? *device_ : Device(options_, requirements);
  }

 private:
  const Device* device_ = nullptr;
  DeviceOptions options_;
};

}  // namespace vulkan
AOTC_RUNTIME_END
