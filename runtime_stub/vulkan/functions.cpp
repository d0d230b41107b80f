#include "aotc/vulkan/functions.hpp"

#ifdef AOTC_VULKAN_DLOPEN
#include <dlfcn.h>
#else
// The only name of the loader that the program is linked with.
extern "C" VKAPI_ATTR PFN_vkVoidFunction VKAPI_CALL vkGetInstanceProcAddr(VkInstance instance, const char* name);
#endif

AOTC_RUNTIME_BEGIN
namespace vulkan {

#ifdef AOTC_VULKAN_DLOPEN

Functions::~Functions() {
  if (library_) dlclose(library_);
}

static PFN_vkGetInstanceProcAddr open_loader(void** library) noexcept {
  *library = dlopen("libvulkan.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!*library) *library = dlopen("libvulkan.so", RTLD_NOW | RTLD_LOCAL);  // as Android calls it
  return *library ? reinterpret_cast<PFN_vkGetInstanceProcAddr>(dlsym(*library, "vkGetInstanceProcAddr")) : nullptr;
}

#else

Functions::~Functions() = default;

static PFN_vkGetInstanceProcAddr open_loader(void**) noexcept { return vkGetInstanceProcAddr; }

#endif

#define AOTC_VULKAN_LOAD(name) found = (name = reinterpret_cast<PFN_vk##name>(get("vk" #name))) && found;

bool Functions::load_global(PFN_vkGetInstanceProcAddr from_application) noexcept {
  GetInstanceProcAddr = from_application ? from_application : open_loader(&library_);
  if (!GetInstanceProcAddr) return false;
  const auto get = [this](const char* name) { return GetInstanceProcAddr(VK_NULL_HANDLE, name); };
  bool found = true;
  AOTC_VULKAN_GLOBAL_FUNCTIONS(AOTC_VULKAN_LOAD)
  return found;
}

bool Functions::load_instance(VkInstance instance) noexcept {
  const auto get = [&](const char* name) { return GetInstanceProcAddr(instance, name); };
  bool found = true;
  AOTC_VULKAN_INSTANCE_FUNCTIONS_1_1(AOTC_VULKAN_LOAD)
  found = true;  // whatever of those there is
  AOTC_VULKAN_INSTANCE_FUNCTIONS(AOTC_VULKAN_LOAD)
  return found;
}

bool Functions::load_device(VkDevice device) noexcept {
  const auto get = [&](const char* name) { return GetDeviceProcAddr(device, name); };
  bool found = true;
  AOTC_VULKAN_DEVICE_FUNCTIONS(AOTC_VULKAN_LOAD)
  return found;
}

#undef AOTC_VULKAN_LOAD

}  // namespace vulkan
AOTC_RUNTIME_END
