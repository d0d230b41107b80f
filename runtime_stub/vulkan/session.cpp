#include "aotc/vulkan/session.hpp"

#include <cstring>
#include <new>

#include "aotc/vulkan/device_state.hpp"
#include "aotc/vulkan/model_shared.hpp"
#include "aotc/vulkan/result.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

// Every range of a buffer begins at a multiple of what the devices demand at most.
static constexpr VkDeviceSize alignment = 256;
static constexpr VkDeviceSize round_up(VkDeviceSize bytes) noexcept {
  return (bytes + alignment - 1) / alignment * alignment;
}

//===-- slots -----------------------------------------------------------------------------------------------------===//

// Inputs and outputs without a place in the arena get one behind it: a host buffer that is bound is copied there.
void SessionCore::place_slots(VkDeviceSize& arena_bytes, VkDeviceSize& staged_bytes) noexcept {
  arena_bytes = round_up(model_.info().arena_bytes_shared);
  staged_bytes = 0;
  for (Slot* slot = inputs(); slot != end(); ++slot) {
    const TensorInfo& of = tensor(*slot);
    const VkDeviceSize bytes = round_up(of.bytes());
    *slot = initial(*slot);
    slot->place = of.arena_offset == no_offset ? arena_bytes : of.arena_offset;
    slot->staged = staged_bytes;
    staged_bytes += bytes;
    if (of.arena_offset == no_offset) arena_bytes += bytes;
  }
  failure_.place = arena_bytes;
  failure_.staged = staged_bytes;
  arena_bytes += alignment;
  staged_bytes += alignment;
  host_place_ = staged_bytes;
  if (model_.program().host) staged_bytes += arena_bytes;
}

// Where a slot is while nothing is bound to it.
Slot SessionCore::initial(const Slot& slot) const noexcept {
  const TensorInfo& of = tensor(slot);
  Slot result;
  result.place = slot.place;
  result.staged = slot.staged;
  result.direct = slot.direct;
  if (of.default_offset != no_offset)
    result.source = Slot::Source::weights;
  else if (of.arena_offset != no_offset)
    result.source = Slot::Source::own;
  return result;
}

const TensorInfo& SessionCore::tensor(const Slot& slot) const noexcept {
  if (&slot < outputs()) return model_.info().inputs[&slot - inputs()];
  if (&slot < states()) return model_.info().outputs[&slot - outputs()];
  return model_.info().states[&slot - states()];
}

std::byte* SessionCore::host_side(const Slot& slot) const noexcept {
  if (staging_.mapped()) return staging_.mapped() + slot.staged;
  return arena_.mapped() ? arena_.mapped() + slot.place : nullptr;
}

// The arena as steps of the host see it.
std::byte* SessionCore::host_arena() const noexcept {
  return staging_.mapped() ? staging_.mapped() + host_place_ : arena_.mapped();
}

VkDescriptorBufferInfo SessionCore::resolve(const Range& range) noexcept {
  const VkBuffer weights = model_.shared()->weights.handle();
  if (range.memory == Range::Memory::arena) return {arena_.handle(), range.offset, range.bytes};
  if (range.memory == Range::Memory::weights) return {weights, range.offset, range.bytes};
  if (range.memory == Range::Memory::status) return {arena_.handle(), failure_.place, range.bytes};
  Slot& slot = (range.memory == Range::Memory::input ? inputs() : outputs())[range.index];
  // Once for all: no other binding changes what the commands refer to. The host does not see the caller's VkBuffers.
  slot.direct = !model_.program().host;
  if (slot.source == Slot::Source::buffer && slot.direct) return {slot.buffer, slot.offset + range.offset, range.bytes};
  if (slot.source == Slot::Source::weights) return {weights, tensor(slot).default_offset + range.offset, range.bytes};
  return {arena_.handle(), slot.place + range.offset, range.bytes};
}

//===-- construction ----------------------------------------------------------------------------------------------===//

SessionCore::SessionCore(const ModelState& model, const SessionOptions& options, const SessionTables& tables) noexcept
    : model_(model), profiler_(options.profiler), tables_(tables), status_(model.status()) {}

void SessionCore::construct() noexcept {
  for (int i = 0; i < info().dim_count; ++i) tables_.extents[i] = info().dims[i].maximum;
  if (info().derive_extents) info().derive_extents(tables_.extents);
  if (status_ == Status::ok) status_ = make_memory();
  if (status_ == Status::ok) status_ = make_objects();
  if (status_ == Status::ok) status_ = record();
  if (status_ == Status::ok) reset();
}

Status SessionCore::make_memory() noexcept {
  const DeviceState& device = *model_.device().state();
  VkDeviceSize arena_bytes = 0, staged_bytes = 0;
  place_slots(arena_bytes, staged_bytes);
  Status status = Status::out_of_memory;
  if (device.maps_memory) status = arena_.allocate(device, arena_bytes, Placement::shared);
  if (status != Status::out_of_memory) return status;
  // The part of the memory that the host sees may be the smaller one.
  status = arena_.allocate(device, arena_bytes, Placement::device);
  if (status != Status::ok) return status;
  return staging_.allocate(device, staged_bytes, Placement::staging);
}

Status SessionCore::make_objects() noexcept {
  const DeviceState& device = *model_.device().state();
  const int submissions = model_.submission_count();
  Recorder counter;
  for (int i = 0; i < submissions; ++i) counter.record(model_, i);
  dispatches_ = counter.dispatches();
  barriers_ = counter.barriers();
  can_fail_ = counter.can_fail();
  commands_.reset(new (std::nothrow) Commands[static_cast<std::size_t>(submissions)]);
  Status status = commands_ ? sets_.make(device, dispatches_, counter.bindings()) : Status::out_of_memory;
  for (int i = 0; i < submissions && status == Status::ok; ++i) status = commands_[i].make(device);
  if (status == Status::ok && is_staged() && states() != end()) status = transfers_.make(device);
  if (status == Status::ok && profiler_ && profiler_->elapsed)
    status = timer_.make(device, info().step_count, submissions, model_.program().first_dispatch);
  return status;
}

// What the device may be using is neither changed nor destroyed.
void SessionCore::settle() noexcept {
  if (is_under_way_) model_.device().state()->wait_idle();
  is_under_way_ = false;
}

Status SessionCore::record() noexcept {
  settle();
  const Status status = sets_.reset();
  if (status != Status::ok) return status;
  Recorder recorder(*this);
  for (int i = 0; i < model_.submission_count(); ++i) recorder.record(model_, i);
  return recorder.status();
}

//===-- inputs and outputs ----------------------------------------------------------------------------------------===//

static Slot* at(Slot* first, Slot* last, int index) noexcept {
  return index >= 0 && index < last - first ? first + index : nullptr;
}

void* SessionCore::input(int index) const noexcept {
  const Slot* slot = at(inputs(), outputs(), index);
  return slot && tensor(*slot).arena_offset != no_offset ? host_side(*slot) : nullptr;
}

void* SessionCore::output(int index) const noexcept {
  const Slot* slot = at(outputs(), states(), index);
  if (!slot) return nullptr;
  if (slot->source == Slot::Source::own) return host_side(*slot);
  return slot->source == Slot::Source::host ? slot->host : nullptr;
}

Status SessionCore::bind_input(int index, const void* buffer) noexcept {
  return bind_host(at(inputs(), outputs(), index), const_cast<void*>(buffer));
}
Status SessionCore::bind_output(int index, void* buffer) noexcept {
  return bind_host(at(outputs(), states(), index), buffer);
}
Status SessionCore::bind_input(int index, VkBuffer buffer, VkDeviceSize offset) noexcept {
  return bind_buffer(at(inputs(), outputs(), index), buffer, offset);
}
Status SessionCore::bind_output(int index, VkBuffer buffer, VkDeviceSize offset) noexcept {
  return bind_buffer(at(outputs(), states(), index), buffer, offset);
}

Status SessionCore::bind_host(Slot* slot, void* buffer) noexcept {
  if (!slot) return Status::index_out_of_range;
  Slot bound = initial(*slot);
  if (buffer) {
    bound.source = Slot::Source::host;
    bound.host = static_cast<std::byte*>(buffer);
  }
  return bind(*slot, bound);
}

Status SessionCore::bind_buffer(Slot* slot, VkBuffer buffer, VkDeviceSize offset) noexcept {
  if (!slot) return Status::index_out_of_range;
  Slot bound = initial(*slot);
  if (buffer) {
    const DeviceState* device = model_.device().state();
    if (device && offset % device->properties.limits.minStorageBufferOffsetAlignment) return Status::buffer_misaligned;
    bound.source = Slot::Source::buffer;
    bound.buffer = buffer;
    bound.offset = offset;
  }
  return bind(*slot, bound);
}

// Host buffers are copied to and from the same place, so the commands for one are those for all.
Status SessionCore::bind(Slot& slot, const Slot& bound) noexcept {
  if (status_ != Status::ok) return status_;
  const bool same = is_in_place(slot) && is_in_place(bound);
  slot = bound;
  return same ? Status::ok : status_ = record();
}

Status SessionCore::set_dim(int index, std::int64_t extent) noexcept {
  if (index < 0 || index >= info().dim_count || !info().dims[index].settable) return Status::index_out_of_range;
  if (extent < info().dims[index].minimum || extent > info().dims[index].maximum) return Status::extent_out_of_range;
  tables_.extents[index] = extent;
  if (info().derive_extents) info().derive_extents(tables_.extents);
  return Status::ok;
}

std::int64_t SessionCore::extent(const TensorInfo& tensor, int d) const noexcept {
  if (d < 0 || d >= tensor.rank) return 0;
  return tensor.shape[d].dim < 0 ? tensor.shape[d].extent : tables_.extents[tensor.shape[d].dim];
}
std::size_t SessionCore::actual_bytes(const Slot& slot) const noexcept {
  const TensorInfo& of = tensor(slot);
  std::size_t bytes = element_bytes(of.element);
  for (int d = 0; d < of.rank; ++d) bytes *= static_cast<std::size_t>(extent(of, d));
  return bytes;
}

std::int64_t SessionCore::input_extent(int index, int d) const noexcept {
  const Slot* slot = at(inputs(), outputs(), index);
  return slot ? extent(tensor(*slot), d) : 0;
}
std::int64_t SessionCore::output_extent(int index, int d) const noexcept {
  const Slot* slot = at(outputs(), states(), index);
  return slot ? extent(tensor(*slot), d) : 0;
}

//===-- states ----------------------------------------------------------------------------------------------------===//

void* SessionCore::state(int index) noexcept {
  Slot* const slot = at(states(), end(), index);
  if (!slot || status_ != Status::ok) return nullptr;
  if (is_staged() && !slot->newer && copy_states(slot, slot + 1, false) != Status::ok) return nullptr;
  slot->newer = is_staged();
  return host_side(*slot);
}

void SessionCore::reset() noexcept {
  if (status_ != Status::ok) return;
  for (Slot* slot = states(); slot != end(); ++slot) {
    std::memset(host_side(*slot), 0, tensor(*slot).bytes());
    slot->newer = is_staged();
  }
}

Status SessionCore::copy_states(Slot* first, Slot* last, bool to_device) noexcept {
  Status status = transfers_.begin();
  if (status != Status::ok) return status;
  transfers_.barrier(VK_PIPELINE_STAGE_ALL_COMMANDS_BIT, VK_ACCESS_MEMORY_WRITE_BIT, VK_PIPELINE_STAGE_TRANSFER_BIT,
                     VK_ACCESS_TRANSFER_READ_BIT | VK_ACCESS_TRANSFER_WRITE_BIT);
  for (Slot* slot = first; slot != last; ++slot) {
    const VkDeviceSize bytes = tensor(*slot).bytes();
    if (!to_device)
      transfers_.copy(arena_.handle(), slot->place, staging_.handle(), slot->staged, bytes);
    else if (slot->newer)
      transfers_.copy(staging_.handle(), slot->staged, arena_.handle(), slot->place, bytes);
  }
  transfers_.barrier(VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT, VK_PIPELINE_STAGE_HOST_BIT,
                     VK_ACCESS_HOST_READ_BIT);
  status = transfers_.end();
  if (status == Status::ok) status = transfers_.run();
  for (Slot* slot = first; slot != last && status == Status::ok; ++slot) slot->newer = false;
  return status;
}

//===-- runs ------------------------------------------------------------------------------------------------------===//

// Where the steps of the host find everything.
void SessionCore::show_host() noexcept {
  frame_ = {host_arena(), model_.weights(), tables_.inputs, tables_.outputs, tables_.extents, &host_failure_};
  host_failure_ = 0;
  for (const Slot* slot = inputs(); slot != outputs(); ++slot)
    tables_.inputs[slot - inputs()] = slot->source == Slot::Source::weights
                                          ? model_.weights() + tensor(*slot).default_offset
                                          : frame_.arena + slot->place;
  for (const Slot* slot = outputs(); slot != states(); ++slot)
    tables_.outputs[slot - outputs()] = frame_.arena + slot->place;
}

Status SessionCore::begin() noexcept { return begin({}); }

// Where the host has steps, it is the first submission that comes after `after`, else the last.
Status SessionCore::begin(const TimelinePoint& after) noexcept {
  if (status_ != Status::ok) return status_;
  for (const Slot* slot = inputs(); slot != states(); ++slot)
    if (slot->source == Slot::Source::unbound) return Status::null_buffer;
  for (const Slot* slot = inputs(); slot != outputs(); ++slot)
    if (slot->source == Slot::Source::host) std::memcpy(host_side(*slot), slot->host, actual_bytes(*slot));
  Status status = Status::ok;
  for (const Slot* slot = states(); slot != end(); ++slot)
    if (slot->newer) {
      status = copy_states(states(), end(), true);
      break;
    }
  if (!model_.program().host || status != Status::ok) return status;
  show_host();
  after_ = after;
  HostRun run(*this);
  model_.program().host->run(run);
  return run.status();
}

StepRange SessionCore::steps_of(int submission) const noexcept {
  const Submission what = model_.submission(submission);
  return {submission, what.first_step, what.step_count};
}

// Of a submission that is not the last one.
Status SessionCore::submit_and_wait(int submission) noexcept {
  const TimelinePoint after = submission == 0 ? after_ : TimelinePoint{};
  if (!commands_[submission].has_work() && !after.semaphore) return Status::ok;
  const Status status = commands_[submission].run(after);
  return status == Status::ok && profiler_ ? timer_.report(*profiler_, steps_of(submission)) : status;
}

Status SessionCore::submit(VkFence fence, const TimelinePoint& after, const TimelinePoint& signal) noexcept {
  if (status_ != Status::ok) return status_;
  const DeviceState& device = *model_.device().state();
  const char* const timelines = "timelineSemaphore";
  if ((after.semaphore || signal.semaphore) && !(device.features & features_named(&timelines, 1)))
    return Status::feature_missing;
  const Status status = begin(after);
  if (status != Status::ok) return status;
  const bool has_waited = model_.program().host;
  const VkResult result = device.submit(last_commands().handle(), fence, has_waited ? TimelinePoint{} : after, signal);
  is_under_way_ = result == VK_SUCCESS;
  return status_of(result);
}

Status SessionCore::run() noexcept {
  Status status = begin();
  if (status == Status::ok) status = last_commands().run();
  return status == Status::ok ? finish() : status;
}

Status SessionCore::finish() noexcept {
  is_under_way_ = false;
  if (status_ != Status::ok) return status_;
  for (const Slot* slot = outputs(); slot != states(); ++slot)
    if (slot->source == Slot::Source::host) std::memcpy(slot->host, host_side(*slot), actual_bytes(*slot));
  const Status status = profiler_ ? timer_.report(*profiler_, steps_of(model_.submission_count() - 1)) : Status::ok;
  return status == Status::ok ? failure() : status;
}

// What a shader reported, or a step of the host.
Status SessionCore::failure() const noexcept {
  std::uint32_t number = 0;
  if (can_fail_) std::memcpy(&number, host_side(failure_), sizeof number);
  return static_cast<Status>(number ? number : host_failure_);
}

}  // namespace vulkan
AOTC_RUNTIME_END
