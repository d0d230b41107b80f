#include "aotc/vulkan/device.hpp"

#include <new>

#include "aotc/vulkan/device_state.hpp"
#include "aotc/vulkan/physical_device.hpp"
#include "aotc/vulkan/result.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

//===-- what a device has -----------------------------------------------------------------------------------------===//

static VkDeviceSize largest_allocation(const DeviceState& state) noexcept {
  VkPhysicalDeviceMaintenance3Properties maintenance{};
  maintenance.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES;
  maintenance.maxMemoryAllocationSize = VkDeviceSize{1} << 30;  // what Vulkan 1.1 promises
  VkPhysicalDeviceProperties2 properties{};
  properties.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2;
  properties.pNext = &maintenance;
  if (state.vk.GetPhysicalDeviceProperties2) state.vk.GetPhysicalDeviceProperties2(state.physical_device, &properties);
  return maintenance.maxMemoryAllocationSize;
}

// Discrete GPUs show their memory too, but each access of a shader or of the host would cross the bus: not so here.
static bool shares_memory(const DeviceState& state) noexcept {
  const VkPhysicalDeviceType type = state.properties.deviceType;
  if (type != VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU && type != VK_PHYSICAL_DEVICE_TYPE_CPU) return false;
  const VkMemoryPropertyFlags needed =
      VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT | VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
  for (std::uint32_t i = 0; i < state.memory.memoryTypeCount; ++i)
    if ((state.memory.memoryTypes[i].propertyFlags & needed) == needed) return true;
  return false;
}

static std::uint32_t timestamp_bits(const DeviceState& state) noexcept {
  VkQueueFamilyProperties families[32];
  std::uint32_t count = 32;
  state.vk.GetPhysicalDeviceQueueFamilyProperties(state.physical_device, &count, families);
  return state.queue_family < count ? families[state.queue_family].timestampValidBits : 0;
}

static void learn(DeviceState& state, const DeviceOptions& options) noexcept {
  state.vk.GetPhysicalDeviceProperties(state.physical_device, &state.properties);
  state.vk.GetPhysicalDeviceMemoryProperties(state.physical_device, &state.memory);
  state.largest_allocation = largest_allocation(state);
  state.timestamp_bits = timestamp_bits(state);
  state.maps_memory = !options.always_stage && shares_memory(state);
}

//===-- the application's device ----------------------------------------------------------------------------------===//

static Status adopt(DeviceState& state, const DeviceOptions& options) noexcept {
  const AdoptedDevice& given = options.adopted;
  if (!given.instance || !given.physical_device || !given.queue) return Status::device_missing;
  if (!given.lock != !given.unlock) return Status::device_missing;
  state.instance = given.instance;
  state.physical_device = given.physical_device;
  state.device = given.device;
  state.queue = given.queue;
  state.queue_family = given.queue_family;
  state.lock_queue = given.lock;
  state.unlock_queue = given.unlock;
  state.user = given.user;
  if (!state.vk.load_instance(given.instance) || !state.vk.load_device(given.device)) return Status::device_failed;
  // Functions of 1.1 that an instance made for 1.0 lacks, whatever its devices are.
  if (!state.vk.GetPhysicalDeviceFeatures2 || !state.vk.GetPhysicalDeviceProperties2) return Status::device_missing;
  learn(state, options);
  state.features = features_named(given.features, given.feature_count);
  const char* const subgroup_arithmetic = "subgroupArithmetic";  // which is none to make a device with
  if (has_subgroup_arithmetic(state.vk, state.physical_device))
    state.features |= features_named(&subgroup_arithmetic, 1);
  return state.properties.apiVersion < VK_API_VERSION_1_1 ? Status::device_missing : Status::ok;
}

//===-- a device of our own ---------------------------------------------------------------------------------------===//

static Status make_instance(DeviceState& state) noexcept {
  std::uint32_t version = 0;
  if (state.vk.EnumerateInstanceVersion(&version) != VK_SUCCESS || version < VK_API_VERSION_1_1)
    return Status::device_missing;
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pEngineName = "aotc";
  application.engineVersion = AOTC_RUNTIME_VERSION;
  application.apiVersion = VK_API_VERSION_1_1;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  const VkResult result = state.vk.CreateInstance(&info, nullptr, &state.instance);
  // What a loader says that found no driver.
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER || result == VK_ERROR_INITIALIZATION_FAILED) return Status::device_missing;
  if (result != VK_SUCCESS) return status_of(result);
  return state.vk.load_instance(state.instance) ? Status::ok : Status::device_missing;
}

// With every feature that a model may need: a device is made before it is known which models will use it.
static Status make_device(DeviceState& state, const PhysicalDevice& chosen) noexcept {
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = chosen.queue_family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;

  const char* extensions[2];
  std::uint32_t extension_count = 0;
  const Extensions& has = chosen.extensions;
  if (has.float16_int8) extensions[extension_count++] = VK_KHR_SHADER_FLOAT16_INT8_EXTENSION_NAME;
  if (has.timeline_semaphore) extensions[extension_count++] = VK_KHR_TIMELINE_SEMAPHORE_EXTENSION_NAME;
  FeatureChain features(has);
  enable(chosen.features, features);

  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.pNext = &features.core;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.enabledExtensionCount = extension_count;
  info.ppEnabledExtensionNames = extensions;
  const VkResult result = state.vk.CreateDevice(chosen.handle, &info, nullptr, &state.device);
  if (result != VK_SUCCESS) return status_of(result);
  if (!state.vk.load_device(state.device)) return Status::device_failed;
  state.vk.GetDeviceQueue(state.device, chosen.queue_family, 0, &state.queue);
  return Status::ok;
}

// The best device that can be made; else the failure of the best.
static Status make_best_device(DeviceState& state, const DeviceOptions& options, const Requirements& requirements,
                               PhysicalDevice& chosen, const char*& missing) noexcept {
  Status failure = Status::ok;
  for (std::uint32_t tried = 0;; tried |= 1u << chosen.number) {
    const Status found = choose_device(state.vk, state.instance, options, requirements, tried, chosen, missing);
    if (failure != Status::ok && found != Status::ok) {
      missing = nullptr;
      return failure;
    }
    const Status status = found == Status::ok ? make_device(state, chosen) : found;
    if (found != Status::ok || status == Status::ok || state.device) return status;
    if (failure == Status::ok) failure = status;
  }
}

static Status create(DeviceState& state, const DeviceOptions& options, const Requirements& requirements,
                     const char*& missing) noexcept {
  state.owned = true;
  Status status = make_instance(state);
  PhysicalDevice chosen;
  if (status == Status::ok) status = make_best_device(state, options, requirements, chosen, missing);
  if (status != Status::ok) return status;
  state.physical_device = chosen.handle;
  state.queue_family = chosen.queue_family;
  state.features = chosen.features;
  learn(state, options);
  return Status::ok;
}

//===-- Device ----------------------------------------------------------------------------------------------------===//

static Status adopt_if_it_serves(DeviceState& state, const DeviceOptions& options, const Requirements& requirements,
                                 const char*& missing) noexcept {
  const Status status = adopt(state, options);
  if (status != Status::ok) return status;
  missing = first_missing(requirements, state.features, state.properties.limits);
  return missing ? Status::feature_missing : Status::ok;
}

static Status make_pipeline_cache(DeviceState& state, const DeviceOptions& options) noexcept {
  VkPipelineCacheCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO;
  info.initialDataSize = options.pipeline_cache ? options.pipeline_cache_bytes : 0;
  info.pInitialData = options.pipeline_cache;
  return status_of(state.vk.CreatePipelineCache(state.device, &info, nullptr, &state.pipeline_cache));
}

static Status open(DeviceState& state, const DeviceOptions& options, const Requirements& requirements,
                   const char*& missing) noexcept {
  if (!state.vk.load_global(options.get_instance_proc_addr)) return Status::device_missing;
  const Status status = options.adopted.device ? adopt_if_it_serves(state, options, requirements, missing)
                                               : create(state, options, requirements, missing);
  return status == Status::ok ? make_pipeline_cache(state, options) : status;
}

Device::Device(const DeviceOptions& options, const Requirements& requirements) noexcept
    : status_(Status::out_of_memory), state_(new (std::nothrow) DeviceState) {
  if (!state_) return;
  status_ = open(*state_, options, requirements, missing_);
  if (status_ != Status::ok) state_.reset();
}
Device::Device(const Device& other) noexcept = default;
Device::~Device() = default;

const char* Device::missing(const Requirements& requirements) const noexcept {
  return state_ ? first_missing(requirements, state_->features, state_->properties.limits) : nullptr;
}
const char* Device::name() const noexcept { return state_ ? state_->properties.deviceName : ""; }
VkInstance Device::instance() const noexcept { return state_ ? state_->instance : VK_NULL_HANDLE; }
VkPhysicalDevice Device::physical_device() const noexcept { return state_ ? state_->physical_device : VK_NULL_HANDLE; }
VkDevice Device::handle() const noexcept { return state_ ? state_->device : VK_NULL_HANDLE; }
VkQueue Device::queue() const noexcept { return state_ ? state_->queue : VK_NULL_HANDLE; }
std::uint32_t Device::queue_family() const noexcept { return state_ ? state_->queue_family : 0; }
Status Device::pipeline_cache(void* data, std::size_t* bytes) const noexcept {
  if (!state_) return status_;
  const VkResult result = state_->vk.GetPipelineCacheData(state_->device, state_->pipeline_cache, bytes, data);
  return result == VK_INCOMPLETE ? Status::out_of_memory : status_of(result);
}
void Device::lock() const noexcept {
  if (state_) state_->lock();
}
void Device::unlock() const noexcept {
  if (state_) state_->unlock();
}

}  // namespace vulkan
AOTC_RUNTIME_END
