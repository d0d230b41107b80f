// What stands behind a ModelState. Internal to the runtime.
#pragma once
#include <vulkan/vulkan_core.h>

#include <atomic>
#include <memory>

#include "aotc/vulkan/memory.hpp"
#include "aotc/vulkan/model.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

constexpr int most_bindings = 4;  // storage buffers that every device gives a shader

// All of it lives on a device that outlives it.
struct ModelShared {
  explicit ModelShared(const DeviceState& on) noexcept : device(on) {}
  ModelShared(const ModelShared&) = delete;
  ModelShared& operator=(const ModelShared&) = delete;
  ~ModelShared();

  std::atomic<long> references{1};
  const DeviceState& device;
  Buffer weights;  // none in a model without weights
  // Of shaders with one to four storage buffers.
  VkDescriptorSetLayout set_layouts[most_bindings]{};
  VkPipelineLayout layouts[most_bindings]{};
  int pipeline_count = 0;
  std::unique_ptr<VkPipeline[]> pipelines;  // of each shader
};

}  // namespace vulkan
AOTC_RUNTIME_END
