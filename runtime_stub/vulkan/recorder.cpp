#include "aotc/vulkan/recorder.hpp"

#include "aotc/vulkan/device_state.hpp"
#include "aotc/vulkan/model_shared.hpp"
#include "aotc/vulkan/session.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

static constexpr VkAccessFlags reads_and_writes = VK_ACCESS_MEMORY_READ_BIT | VK_ACCESS_MEMORY_WRITE_BIT;

//===-- a submission ----------------------------------------------------------------------------------------------===//

void Recorder::record(const ModelState& model, int submission) noexcept {
  if (session_ && status_ == Status::ok) {
    commands_ = &session_->commands_[submission];
    bound_shader_ = -1;
    status_ = commands_->begin();
  }
  const bool writes = session_ && status_ == Status::ok;
  if (writes) start(submission == 0);
  if (writes) session_->timer_.start(commands_->handle(), session_->steps_of(submission));
  model.submission(submission).record(*this);
  if (!writes) return;
  session_->timer_.stop(commands_->handle());
  stop(submission + 1 == model.submission_count());
  const Status status = commands_->end();
  if (status_ == Status::ok) status_ = status;
}

// What the queue did before is done, be it the run before or the application's work on buffers that it bound.
void Recorder::start(bool is_first) noexcept {
  commands_->barrier(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                     reads_and_writes);
  if (is_first) take_inputs();
}

// The host sees the results, as does what the application submits next.
void Recorder::stop(bool is_last) noexcept {
  if (is_last) hand_outputs();
  const bool stages_failure = session_->can_fail_ && session_->is_staged();
  if (stages_failure) {
    commands_->barrier(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                       VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
                       VK_ACCESS_TRANSFER_READ_BIT);
    commands_->copy(session_->arena_.handle(), session_->failure_.place, session_->staging_.handle(),
                    session_->failure_.staged, sizeof(std::uint32_t));
  }
  commands_->barrier(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT,
                     VK_PIPELINE_STAGE_ALL_COMMANDS_BIT | VK_PIPELINE_STAGE_HOST_BIT,
                     VK_ACCESS_HOST_READ_BIT | reads_and_writes);
}

//===-- the ends of a run -----------------------------------------------------------------------------------------===//

// Whether the commands copy it between the caller's VkBuffer and its place.
static bool is_copied(const Slot& slot) noexcept { return slot.source == Slot::Source::buffer && !slot.direct; }

void Recorder::take_inputs() noexcept {
  SessionCore& session = *session_;
  const VkBuffer arena = session.arena_.handle();
  bool copies = session.can_fail_;
  if (copies) commands_->clear(arena, session.failure_.place, sizeof(std::uint32_t));
  for (const Slot* slot = session.inputs(); slot != session.outputs(); ++slot) {
    const VkDeviceSize bytes = session.tensor(*slot).bytes();
    const bool is_staged = session.is_staged() && is_in_place(*slot);
    copies |= is_copied(*slot) || is_staged;
    if (is_copied(*slot))
      commands_->copy(slot->buffer, slot->offset, arena, slot->place, bytes);
    else if (is_staged)
      commands_->copy(session.staging_.handle(), slot->staged, arena, slot->place, bytes);
  }
  if (copies)
    commands_->barrier(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                       reads_and_writes);
}

void Recorder::hand_outputs() noexcept {
  SessionCore& session = *session_;
  const VkBuffer arena = session.arena_.handle();
  bool waits = false;
  for (const Slot* slot = session.outputs(); slot != session.states(); ++slot) {
    const bool is_staged = session.is_staged() && is_in_place(*slot);
    if (!is_copied(*slot) && !is_staged) continue;
    if (!waits)
      commands_->barrier(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                         VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
                         VK_ACCESS_TRANSFER_READ_BIT);
    waits = true;
    const VkDeviceSize bytes = session.tensor(*slot).bytes();
    if (is_copied(*slot))
      commands_->copy(arena, slot->place, slot->buffer, slot->offset, bytes);
    else
      commands_->copy(arena, slot->place, session.staging_.handle(), slot->staged, bytes);
  }
}

//===-- steps of the host -----------------------------------------------------------------------------------------===//

// Where memory is mapped, both sides see the same, and submitting is all that there is to do.
void Recorder::fetch(std::initializer_list<Range> ranges) noexcept {
  if (!session_ || status_ != Status::ok || !session_->is_staged()) return;
  commands_->barrier(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT,
                     VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
                     VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
  for (const Range& range : ranges) {
    const VkDescriptorBufferInfo from = session_->resolve(range);
    if (from.buffer == session_->arena_.handle())  // a default among the weights is there already
      commands_->copy(from.buffer, from.offset, session_->staging_.handle(), session_->host_place_ + from.offset,
                      range.bytes);
  }
}

void Recorder::put(std::initializer_list<Range> ranges) noexcept {
  if (!session_ || status_ != Status::ok || !session_->is_staged()) return;
  for (const Range& range : ranges) {
    const VkDeviceSize place = session_->resolve(range).offset;
    commands_->copy(session_->staging_.handle(), session_->host_place_ + place, session_->arena_.handle(), place,
                    range.bytes);
  }
  commands_->barrier(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_ALL_COMMANDS_BIT,
                     reads_and_writes);
}

//===-- dispatches ------------------------------------------------------------------------------------------------===//

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

  const VkCommandBuffer commands = commands_->handle();
  session_->timer_.reach(commands, dispatches_);
  if (shader != bound_shader_)
    vk.CmdBindPipeline(commands, VK_PIPELINE_BIND_POINT_COMPUTE, model.pipelines.get()[shader]);
  bound_shader_ = shader;
  vk.CmdBindDescriptorSets(commands, VK_PIPELINE_BIND_POINT_COMPUTE, model.layouts[count - 1], 0, 1, &set, 0, nullptr);
  vk.CmdDispatch(commands, groups.x, groups.y, groups.z);
  commands_->note_work();
  return Status::ok;
}

void Recorder::wait() noexcept {
  if (session_ && status_ == Status::ok)
    commands_->barrier(VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_WRITE_BIT,
                       VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT, VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT);
  ++barriers_;
}

}  // namespace vulkan
AOTC_RUNTIME_END
