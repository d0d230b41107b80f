// A Vulkan that counts what is made and not yet destroyed, and in which the call of a given number fails. Not for two
// threads at once.
#pragma once
#include <vulkan/vulkan_core.h>

namespace faults {

// To be given to DeviceOptions.
PFN_vkVoidFunction VKAPI_CALL getInstanceProcAddr(VkInstance instance, const char *name);

// From now on: call number `failing` (from 0; negative: none) of those that can fail does so with `result`.
void start(int failing, VkResult result);

int calls(); // that can fail, since start()
int alive(); // objects
int made();  // objects since start(), also those that are gone

} // namespace faults
