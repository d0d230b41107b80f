#include "aotc/vulkan/memory.hpp"

#include "aotc/vulkan/device_state.hpp"
#include "aotc/vulkan/result.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

namespace {

constexpr VkMemoryPropertyFlags local = VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT;
constexpr VkMemoryPropertyFlags cached = VK_MEMORY_PROPERTY_HOST_CACHED_BIT;
constexpr VkMemoryPropertyFlags visible = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

// The properties that a memory type must have, and those that count for or against it.
struct Wish {
  VkMemoryPropertyFlags needed, better, worse;
};

constexpr Wish wish_of(Placement placement) noexcept {
  switch (placement) {
    case Placement::device:
      return {0, local, visible};  // what the host sees may be small, or slower
    case Placement::shared:
      return {local | visible, cached, 0};
    default:
      return {visible, cached, local};
  }
}

int grade(VkMemoryPropertyFlags properties, const Wish& wish) noexcept {
  // The main wish outweighs the others: device memory that the host sees is still better than the host's.
  return ((properties & wish.better) ? 2 : 0) - ((properties & wish.worse) ? 1 : 0);
}

// The number of the best of the types that the buffer can have; -1: none.
int find_type(const VkPhysicalDeviceMemoryProperties& memory, std::uint32_t allowed, const Wish& wish) noexcept {
  int best = -1, best_grade = 0;
  for (std::uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    const VkMemoryPropertyFlags properties = memory.memoryTypes[i].propertyFlags;
    // Other properties belong to features that are not enabled, or to memory that cannot hold data for long.
    const bool usable = (allowed >> i & 1) && (properties & ~(local | visible | cached)) == 0;
    if (!usable || (properties & wish.needed) != wish.needed) continue;
    if (best >= 0 && grade(properties, wish) <= best_grade) continue;
    best = static_cast<int>(i);
    best_grade = grade(properties, wish);
  }
  return best;
}

}  // namespace

Status Buffer::allocate(const DeviceState& device, VkDeviceSize bytes, Placement placement) noexcept {
  device_ = &device;
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = bytes;
  info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT | VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  Status status = Status::out_of_memory;
  if (bytes <= device.largest_allocation)
    status = status_of(device.vk.CreateBuffer(device.device, &info, nullptr, &buffer_));
  if (status == Status::ok) status = bind_memory(placement);
  if (status != Status::ok) reset();
  return status;
}

Status Buffer::bind_memory(Placement placement) noexcept {
  const Functions& vk = device_->vk;
  VkMemoryRequirements requirements;
  vk.GetBufferMemoryRequirements(device_->device, buffer_, &requirements);
  const int type = find_type(device_->memory, requirements.memoryTypeBits, wish_of(placement));
  if (type < 0 || requirements.size > device_->largest_allocation) return Status::out_of_memory;
  VkMemoryAllocateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  info.allocationSize = requirements.size;
  info.memoryTypeIndex = static_cast<std::uint32_t>(type);
  VkResult result = vk.AllocateMemory(device_->device, &info, nullptr, &memory_);
  if (result == VK_SUCCESS) result = vk.BindBufferMemory(device_->device, buffer_, memory_, 0);
  if (result != VK_SUCCESS || placement == Placement::device) return status_of(result);
  void* address = nullptr;
  result = vk.MapMemory(device_->device, memory_, 0, VK_WHOLE_SIZE, 0, &address);
  mapped_ = static_cast<std::byte*>(address);
  return status_of(result);
}

// Memory that is freed is unmapped by that.
void Buffer::reset() noexcept {
  if (buffer_) device_->vk.DestroyBuffer(device_->device, buffer_, nullptr);
  if (memory_) device_->vk.FreeMemory(device_->device, memory_, nullptr);
  buffer_ = VK_NULL_HANDLE;
  memory_ = VK_NULL_HANDLE;
  mapped_ = nullptr;
}

}  // namespace vulkan
AOTC_RUNTIME_END
