// A command buffer with its pool and a fence: commands that are recorded once and run many times, or once. Must not
// know what they compute.
#pragma once
#include <vulkan/vulkan_core.h>

#include "aotc/status.hpp"
#include "aotc/vulkan/timeline.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

struct DeviceState;

class Commands {
 public:
  Commands() noexcept = default;
  Commands(const Commands&) = delete;
  Commands& operator=(const Commands&) = delete;
  ~Commands();

  // Once. The device outlives the commands.
  Status make(const DeviceState& device) noexcept;

  // begin() drops what was recorded before; what follows goes between it and end().
  Status begin() noexcept;
  Status end() noexcept;
  // Commands behind it with `to` see what those before it, of this and of earlier submissions, did with `from`.
  void barrier(VkPipelineStageFlags from_stage, VkAccessFlags from, VkPipelineStageFlags to_stage,
               VkAccessFlags to) noexcept;
  void copy(VkBuffer from, VkDeviceSize from_offset, VkBuffer to, VkDeviceSize to_offset, VkDeviceSize bytes) noexcept;
  // Zeros `bytes`, a multiple of 4.
  void clear(VkBuffer buffer, VkDeviceSize offset, VkDeviceSize bytes) noexcept;

  // Whether they do anything: copy, clear, or what somebody else notes.
  bool has_work() const noexcept { return has_work_; }
  void note_work() noexcept { has_work_ = true; }

  // Submits and waits. The device begins once `after` has come.
  Status run(const TimelinePoint& after = {}) noexcept;

  VkCommandBuffer handle() const noexcept { return buffer_; }

 private:
  const DeviceState* device_ = nullptr;
  VkCommandPool pool_ = VK_NULL_HANDLE;
  VkCommandBuffer buffer_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
  bool has_work_ = false;
};

}  // namespace vulkan
AOTC_RUNTIME_END
