// A moment on a timeline semaphore. Holds no code.
#pragma once
#include <vulkan/vulkan_core.h>

#include <cstdint>

#include "aotc/version.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

// When the semaphore, of the same device, has that value or a larger one. A null one stands for no moment at all.
struct TimelinePoint {
  VkSemaphore semaphore = VK_NULL_HANDLE;
  std::uint64_t value = 0;
};

}  // namespace vulkan
AOTC_RUNTIME_END
