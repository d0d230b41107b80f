#include "aotc/vulkan/recorder.hpp"

#include "aotc/vulkan/device_state.hpp"
#include "aotc/vulkan/model_shared.hpp"
#include "aotc/vulkan/session.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

void Recorder::dispatch(int shader, const Groups& groups, std::initializer_list<Range> ranges) noexcept {
  if (session_ && status_ == Status::ok) status_ = write(shader, groups, ranges);
  ++dispatches_;
  bindings_ += static_cast<int>(ranges.size());
  for (const Range& range : ranges) can_fail_ |= range.memory == Range::Memory::status;
}

Status Recorder::write(int shader, const Groups& groups, std::initializer_list<Range> ranges) noexcept {
  const ModelShared& model = *session_->model_.shared();
  const Functions& vk = model.device.vk;
  VkDescriptorBufferInfo buffers[most_bindings];
  int count = 0;
  for (const Range& range : ranges) buffers[count++] = session_->resolve(range);
  VkDescriptorSet set = VK_NULL_HANDLE;
  const Status status = session_->sets_.take(model.set_layouts[count - 1], buffers, count, set);
  if (status != Status::ok) return status;

  const VkCommandBuffer commands = session_->commands_.handle();
  session_->timer_.reach(commands, dispatches_);
  if (shader != bound_shader_)
    vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, model.pipelines.get()[shader]);
  bound_shader_ = shader;
  vk.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, model.layouts[count - 1], 0, 1, &set, 0, nullptr);
  vk.CmdDispatch(commands, groups.x, groups.y, groups.z);
  return Status::ok;
}

void Recorder::wait() noexcept {
  if (session_)
    session_->commands_.barrier(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                                VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT,
                                VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
  ++barriers_;
}

}  // namespace vulkan
AOTC_RUNTIME_END
