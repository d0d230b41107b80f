#include "aotc/vulkan/model.hpp"

#include <cstring>
#include <new>

#include "aotc/vulkan/commands.hpp"
#include "aotc/vulkan/device_state.hpp"
#include "aotc/vulkan/model_shared.hpp"
#include "aotc/vulkan/result.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

ModelShared::~ModelShared() {
  const Functions& vk = device.vk;
  for (int i = 0; i < pipeline_count; ++i)
    if (const VkPipeline pipeline = pipelines.get()[i]) vk.DestroyPipeline(device.device, pipeline, nullptr);
  for (const VkPipelineLayout layout : layouts)
    if (layout) vk.DestroyPipelineLayout(device.device, layout, nullptr);
  for (const VkDescriptorSetLayout layout : set_layouts)
    if (layout) vk.DestroyDescriptorSetLayout(device.device, layout, nullptr);
}

//===-- pipelines -------------------------------------------------------------------------------------------------===//

static Status make_layout(ModelShared& model, std::uint32_t count) noexcept {
  VkDescriptorSetLayoutBinding bindings[most_bindings]{};
  for (std::uint32_t i = 0; i < count; ++i)
    bindings[i] = {i, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1, VK_SHADER_STAGE_COMPUTE_BIT, nullptr};
  VkDescriptorSetLayoutCreateInfo set{};
  set.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
  set.bindingCount = count;
  set.pBindings = bindings;
  VkDescriptorSetLayout& made = model.set_layouts[count - 1];
  const VkResult result = model.device.vk.CreateDescriptorSetLayout(model.device.device, &set, nullptr, &made);
  if (result != VK_SUCCESS) return status_of(result);
  VkPipelineLayoutCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  info.setLayoutCount = 1;
  info.pSetLayouts = &made;
  return status_of(
      model.device.vk.CreatePipelineLayout(model.device.device, &info, nullptr, &model.layouts[count - 1]));
}

static Status make_pipeline(ModelShared& model, const ShaderInfo& shader, VkPipeline& pipeline) noexcept {
  const DeviceState& device = model.device;
  VkShaderModuleCreateInfo code{};
  code.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  code.codeSize = shader.bytes;
  code.pCode = shader.words;
  VkShaderModule module = VK_NULL_HANDLE;
  VkResult result = device.vk.CreateShaderModule(device.device, &code, nullptr, &module);
  if (result != VK_SUCCESS) return status_of(result);
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = module;
  info.stage.pName = "main";
  info.layout = model.layouts[shader.bindings - 1];
  result = device.vk.CreateComputePipelines(device.device, device.pipeline_cache, 1, &info, nullptr, &pipeline);
  device.vk.DestroyShaderModule(device.device, module, nullptr);  // the pipeline has what it needs
  return status_of(result);
}

static Status make_pipelines(ModelShared& model, const Program& program) noexcept {
  for (int count = 1; count <= most_bindings; ++count)
    if (const Status status = make_layout(model, static_cast<std::uint32_t>(count)); status != Status::ok)
      return status;
  model.pipelines.reset(new (std::nothrow) VkPipeline[static_cast<std::size_t>(program.shader_count) + 1]());
  if (!model.pipelines) return Status::out_of_memory;
  model.pipeline_count = program.shader_count;
  for (int i = 0; i < program.shader_count; ++i)
    if (const Status status = make_pipeline(model, program.shaders[i], model.pipelines.get()[i]); status != Status::ok)
      return status;
  return Status::ok;
}

//===-- weights ---------------------------------------------------------------------------------------------------===//

static Status upload_through(Commands& commands, Buffer& staging, std::size_t staging_bytes, const std::byte* weights,
                             std::size_t bytes, VkBuffer to) noexcept {
  for (std::size_t begin = 0; begin < bytes; begin += staging_bytes) {
    const std::size_t piece = bytes - begin < staging_bytes ? bytes - begin : staging_bytes;
    std::memcpy(staging.mapped(), weights + begin, piece);
    Status status = commands.begin();
    if (status != Status::ok) return status;
    commands.copy(staging.handle(), 0, to, begin, piece);
    status = commands.end();
    if (status == Status::ok) status = commands.run();
    if (status != Status::ok) return status;
  }
  return Status::ok;
}

static Status upload(ModelShared& model, const std::byte* weights, std::size_t bytes) noexcept {
  constexpr std::size_t most_staged = std::size_t{64} << 20;  // bytes of the host's that a large model takes meanwhile
  const std::size_t staged = bytes < most_staged ? bytes : most_staged;
  Commands commands;
  Buffer staging;
  Status status = commands.make(model.device);
  if (status == Status::ok) status = staging.allocate(model.device, staged, Placement::staging);
  if (status == Status::ok) status = upload_through(commands, staging, staged, weights, bytes, model.weights.handle());
  return status;
}

static Status make_weights(ModelShared& model, const std::byte* weights, std::size_t bytes) noexcept {
  if (bytes == 0) return Status::ok;
  const DeviceState& device = model.device;
  Status status = Status::out_of_memory;
  if (device.maps_memory) status = model.weights.allocate(device, bytes, Placement::shared);
  if (status == Status::ok) std::memcpy(model.weights.mapped(), weights, bytes);
  if (status != Status::out_of_memory) return status;
  // The part of the memory that the host sees may be the smaller one.
  status = model.weights.allocate(device, bytes, Placement::device);
  return status == Status::ok ? upload(model, weights, bytes) : status;
}

//===-- ModelState ------------------------------------------------------------------------------------------------===//

ModelState::ModelState(const DeviceChoice& device, const ModelInfo& info, const Program& program,
                       const std::byte* weights, Status weights_status) noexcept
    : device_(device.device(program.requirements)),
      info_(info),
      program_(program),
      weights_(weights),
      status_(weights_status == Status::ok ? device_.status() : weights_status),
      missing_(device_.status() == Status::ok ? device_.missing(program.requirements) : device_.missing()),
      shared_(status_ == Status::ok && !missing_ ? new (std::nothrow) ModelShared(*device_.state()) : nullptr) {
  if (status_ != Status::ok) return;
  if (missing_)
    status_ = Status::feature_missing;
  else if (!shared_)
    status_ = Status::out_of_memory;
  else
    status_ = make_pipelines(*shared_, program);
  if (status_ == Status::ok) status_ = make_weights(*shared_, weights, info.weights_bytes);
  if (status_ != Status::ok) shared_.reset();
}
ModelState::ModelState(const ModelState& other) noexcept = default;
ModelState::~ModelState() = default;

}  // namespace vulkan
AOTC_RUNTIME_END
