// What a result of Vulkan's is to callers of the runtime. Must not depend on a device.
#pragma once
#include <vulkan/vulkan_core.h>

#include "aotc/status.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

inline Status status_of(VkResult result) noexcept {
  switch (result) {
    case VK_SUCCESS:
      return Status::ok;
    case VK_ERROR_OUT_OF_HOST_MEMORY:
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
    case VK_ERROR_TOO_MANY_OBJECTS:
    case VK_ERROR_MEMORY_MAP_FAILED:
    case VK_ERROR_OUT_OF_POOL_MEMORY:
    case VK_ERROR_FRAGMENTED_POOL:
      return Status::out_of_memory;
    default:
      return Status::device_failed;
  }
}

}  // namespace vulkan
AOTC_RUNTIME_END
