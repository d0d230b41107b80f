#include "Faults.h"

#include "aotc/vulkan/functions.hpp"

#include <cstdint>
#include <cstring>

namespace faults {

static int failingCall = -1, callCount = 0, aliveCount = 0, madeCount = 0;
static VkResult failure = VK_SUCCESS;

void start(int failing, VkResult result) {
  failingCall = failing;
  failure = result;
  callCount = madeCount = 0;
}
int calls() { return callCount; }
int alive() { return aliveCount; }
int made() { return madeCount; }

static bool fails() { return callCount++ == failingCall; }

namespace {

// The function behind the wrapper: no two have the same type.
template <class Function> Function real = nullptr;

template <class Function> struct Making;
template <class... Arguments> struct Making<VkResult(VKAPI_PTR *)(Arguments...)> {
  static VkResult VKAPI_CALL call(Arguments... arguments) {
    if (fails())
      return failure;
    const VkResult result = real<VkResult(VKAPI_PTR *)(Arguments...)>(arguments...);
    aliveCount += result == VK_SUCCESS;
    madeCount += result == VK_SUCCESS;
    return result;
  }
};

template <class Function> struct Destroying;
template <class... Arguments> struct Destroying<void(VKAPI_PTR *)(Arguments...)> {
  static void VKAPI_CALL call(Arguments... arguments) {
    --aliveCount;
    real<void(VKAPI_PTR *)(Arguments...)>(arguments...);
  }
};

template <class Function> struct Failing;
template <class... Arguments> struct Failing<VkResult(VKAPI_PTR *)(Arguments...)> {
  static VkResult VKAPI_CALL call(Arguments... arguments) {
    return fails() ? failure : real<VkResult(VKAPI_PTR *)(Arguments...)>(arguments...);
  }
};

// A lost device does nothing any more, which has to be true here as well.
template <class Function> struct Waiting {
  static VkResult VKAPI_CALL call(VkDevice device, std::uint32_t count, const VkFence *fences, VkBool32 all,
                                  std::uint64_t timeout) {
    const bool failed = fails();
    if (failed && failure != VK_ERROR_DEVICE_LOST)
      return failure;
    const VkResult result = real<Function>(device, count, fences, all, timeout);
    return failed ? failure : result;
  }
};

template <template <class> class Kind, class Function> PFN_vkVoidFunction wrapAs(PFN_vkVoidFunction found) {
  real<Function> = reinterpret_cast<Function>(found);
  return reinterpret_cast<PFN_vkVoidFunction>(&Kind<Function>::call);
}

struct Wrapper {
  const char *name;
  PFN_vkVoidFunction (*wrap)(PFN_vkVoidFunction found);
};

constexpr Wrapper wrappers[] = {
    {"vkCreateInstance", wrapAs<Making, PFN_vkCreateInstance>},
    {"vkCreateDevice", wrapAs<Making, PFN_vkCreateDevice>},
    {"vkCreateBuffer", wrapAs<Making, PFN_vkCreateBuffer>},
    {"vkAllocateMemory", wrapAs<Making, PFN_vkAllocateMemory>},
    {"vkCreateShaderModule", wrapAs<Making, PFN_vkCreateShaderModule>},
    {"vkCreateDescriptorSetLayout", wrapAs<Making, PFN_vkCreateDescriptorSetLayout>},
    {"vkCreatePipelineLayout", wrapAs<Making, PFN_vkCreatePipelineLayout>},
    {"vkCreatePipelineCache", wrapAs<Making, PFN_vkCreatePipelineCache>},
    {"vkCreateComputePipelines", wrapAs<Making, PFN_vkCreateComputePipelines>},
    {"vkCreateDescriptorPool", wrapAs<Making, PFN_vkCreateDescriptorPool>},
    {"vkCreateCommandPool", wrapAs<Making, PFN_vkCreateCommandPool>},
    {"vkCreateQueryPool", wrapAs<Making, PFN_vkCreateQueryPool>},
    {"vkCreateFence", wrapAs<Making, PFN_vkCreateFence>},
    {"vkDestroyInstance", wrapAs<Destroying, PFN_vkDestroyInstance>},
    {"vkDestroyDevice", wrapAs<Destroying, PFN_vkDestroyDevice>},
    {"vkDestroyBuffer", wrapAs<Destroying, PFN_vkDestroyBuffer>},
    {"vkFreeMemory", wrapAs<Destroying, PFN_vkFreeMemory>},
    {"vkDestroyShaderModule", wrapAs<Destroying, PFN_vkDestroyShaderModule>},
    {"vkDestroyDescriptorSetLayout", wrapAs<Destroying, PFN_vkDestroyDescriptorSetLayout>},
    {"vkDestroyPipelineLayout", wrapAs<Destroying, PFN_vkDestroyPipelineLayout>},
    {"vkDestroyPipelineCache", wrapAs<Destroying, PFN_vkDestroyPipelineCache>},
    {"vkDestroyPipeline", wrapAs<Destroying, PFN_vkDestroyPipeline>},
    {"vkDestroyDescriptorPool", wrapAs<Destroying, PFN_vkDestroyDescriptorPool>},
    {"vkDestroyCommandPool", wrapAs<Destroying, PFN_vkDestroyCommandPool>},
    {"vkDestroyQueryPool", wrapAs<Destroying, PFN_vkDestroyQueryPool>},
    {"vkDestroyFence", wrapAs<Destroying, PFN_vkDestroyFence>},
    {"vkEnumeratePhysicalDevices", wrapAs<Failing, PFN_vkEnumeratePhysicalDevices>},
    {"vkEnumerateDeviceExtensionProperties", wrapAs<Failing, PFN_vkEnumerateDeviceExtensionProperties>},
    {"vkBindBufferMemory", wrapAs<Failing, PFN_vkBindBufferMemory>},
    {"vkMapMemory", wrapAs<Failing, PFN_vkMapMemory>},
    {"vkResetDescriptorPool", wrapAs<Failing, PFN_vkResetDescriptorPool>},
    {"vkAllocateDescriptorSets", wrapAs<Failing, PFN_vkAllocateDescriptorSets>},
    {"vkAllocateCommandBuffers", wrapAs<Failing, PFN_vkAllocateCommandBuffers>},
    {"vkBeginCommandBuffer", wrapAs<Failing, PFN_vkBeginCommandBuffer>},
    {"vkEndCommandBuffer", wrapAs<Failing, PFN_vkEndCommandBuffer>},
    {"vkResetFences", wrapAs<Failing, PFN_vkResetFences>},
    {"vkQueueSubmit", wrapAs<Failing, PFN_vkQueueSubmit>},
    {"vkGetQueryPoolResults", wrapAs<Failing, PFN_vkGetQueryPoolResults>},
    {"vkWaitForFences", wrapAs<Waiting, PFN_vkWaitForFences>},
};

} // namespace

static PFN_vkVoidFunction wrap(const char *name, PFN_vkVoidFunction found) {
  for (const Wrapper &wrapper : wrappers)
    if (found && std::strcmp(name, wrapper.name) == 0)
      return wrapper.wrap(found);
  return found;
}

static PFN_vkVoidFunction VKAPI_CALL getDeviceProcAddr(VkDevice device, const char *name) {
  return wrap(name, real<PFN_vkGetDeviceProcAddr>(device, name));
}

PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance instance, const char *name) {
  static aotc::vulkan::Functions loader;
  if (!loader.GetInstanceProcAddr)
    loader.load_global(nullptr);
  const PFN_vkVoidFunction found = loader.GetInstanceProcAddr(instance, name);
  if (std::strcmp(name, "vkGetDeviceProcAddr") != 0)
    return wrap(name, found);
  real<PFN_vkGetDeviceProcAddr> = reinterpret_cast<PFN_vkGetDeviceProcAddr>(found);
  return reinterpret_cast<PFN_vkVoidFunction>(&getDeviceProcAddr);
}

} // namespace faults
