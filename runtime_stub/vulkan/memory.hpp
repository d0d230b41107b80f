// Buffers with memory of their own. Must not know what is in them.
#pragma once
#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>

#include "aotc/status.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

struct DeviceState;

enum class Placement : std::uint8_t {
  device,   // where shaders are fastest
  shared,   // there, and mapped: only where DeviceState::maps_memory
  staging,  // mapped; shaders do not use it
};

// A storage buffer that can be copied from and to.
class Buffer {
 public:
  Buffer() noexcept = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { reset(); }

  // ok, out_of_memory or device_failed, which leaves it empty; of an empty one, and not for 0 bytes. The device
  // outlives the buffer.
  Status allocate(const DeviceState& device, VkDeviceSize bytes, Placement placement) noexcept;
  void reset() noexcept;

  VkBuffer handle() const noexcept { return buffer_; }
  std::byte* mapped() const noexcept { return mapped_; }  // null where the host does not see it

 private:
  Status bind_memory(Placement placement) noexcept;

  const DeviceState* device_ = nullptr;
  VkBuffer buffer_ = VK_NULL_HANDLE;
  VkDeviceMemory memory_ = VK_NULL_HANDLE;
  std::byte* mapped_ = nullptr;
};

}  // namespace vulkan
AOTC_RUNTIME_END
