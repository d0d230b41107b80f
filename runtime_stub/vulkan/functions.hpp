// The entry points of Vulkan that the runtime calls, as a table for each device: from the loader that the program is
// linked with, with AOTC_VULKAN_DLOPEN from the system's libvulkan.so.1 when the first device is asked for, or from a
// vkGetInstanceProcAddr of the application's. Nothing else of the runtime may call Vulkan by name.
#pragma once
#include <vulkan/vulkan_core.h>

#include "aotc/version.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

// Needed to make an instance.
#define AOTC_VULKAN_GLOBAL_FUNCTIONS(X) \
  X(EnumerateInstanceVersion)           \
  X(CreateInstance)

#define AOTC_VULKAN_INSTANCE_FUNCTIONS(X)   \
  X(DestroyInstance)                        \
  X(EnumeratePhysicalDevices)               \
  X(EnumerateDeviceExtensionProperties)     \
  X(GetPhysicalDeviceProperties)            \
  X(GetPhysicalDeviceQueueFamilyProperties) \
  X(GetPhysicalDeviceMemoryProperties)      \
  X(CreateDevice)                           \
  X(GetDeviceProcAddr)

// Of Vulkan 1.1: null where the application made its instance for 1.0.
#define AOTC_VULKAN_INSTANCE_FUNCTIONS_1_1(X) \
  X(GetPhysicalDeviceFeatures2)               \
  X(GetPhysicalDeviceProperties2)

#define AOTC_VULKAN_DEVICE_FUNCTIONS(X) \
  X(DestroyDevice)                      \
  X(GetDeviceQueue)                     \
  X(CreateBuffer)                       \
  X(DestroyBuffer)                      \
  X(GetBufferMemoryRequirements)        \
  X(AllocateMemory)                     \
  X(FreeMemory)                         \
  X(BindBufferMemory)                   \
  X(MapMemory)                          \
  X(CreateShaderModule)                 \
  X(DestroyShaderModule)                \
  X(CreateDescriptorSetLayout)          \
  X(DestroyDescriptorSetLayout)         \
  X(CreatePipelineLayout)               \
  X(DestroyPipelineLayout)              \
  X(CreatePipelineCache)                \
  X(DestroyPipelineCache)               \
  X(GetPipelineCacheData)               \
  X(CreateComputePipelines)             \
  X(DestroyPipeline)                    \
  X(CreateDescriptorPool)               \
  X(DestroyDescriptorPool)              \
  X(ResetDescriptorPool)                \
  X(AllocateDescriptorSets)             \
  X(UpdateDescriptorSets)               \
  X(CreateCommandPool)                  \
  X(DestroyCommandPool)                 \
  X(AllocateCommandBuffers)             \
  X(BeginCommandBuffer)                 \
  X(EndCommandBuffer)                   \
  X(CmdBindPipeline)                    \
  X(CmdBindDescriptorSets)              \
  X(CmdDispatch)                        \
  X(CmdPipelineBarrier)                 \
  X(CmdCopyBuffer)                      \
  X(CmdFillBuffer)                      \
  X(CmdResetQueryPool)                  \
  X(CmdWriteTimestamp)                  \
  X(CreateQueryPool)                    \
  X(DestroyQueryPool)                   \
  X(GetQueryPoolResults)                \
  X(CreateFence)                        \
  X(DestroyFence)                       \
  X(ResetFences)                        \
  X(WaitForFences)                      \
  X(QueueSubmit)                        \
  X(QueueWaitIdle)

// `vk.CreateBuffer(…)` is vkCreateBuffer.
struct Functions {
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
#define AOTC_VULKAN_MEMBER(name) PFN_vk##name name = nullptr;
  AOTC_VULKAN_GLOBAL_FUNCTIONS(AOTC_VULKAN_MEMBER)
  AOTC_VULKAN_INSTANCE_FUNCTIONS(AOTC_VULKAN_MEMBER)
  AOTC_VULKAN_INSTANCE_FUNCTIONS_1_1(AOTC_VULKAN_MEMBER)
  AOTC_VULKAN_DEVICE_FUNCTIONS(AOTC_VULKAN_MEMBER)
#undef AOTC_VULKAN_MEMBER

  Functions() noexcept = default;
  Functions(const Functions&) = delete;
  Functions& operator=(const Functions&) = delete;
  ~Functions();

  // In this order. Each is false where something is not there: no loader, an instance or a device of Vulkan 1.0.
  bool load_global(PFN_vkGetInstanceProcAddr from_application) noexcept;
  bool load_instance(VkInstance instance) noexcept;
  bool load_device(VkDevice device) noexcept;

 private:
  void* library_ = nullptr;  // with AOTC_VULKAN_DLOPEN: closed with the table
};

}  // namespace vulkan
AOTC_RUNTIME_END
