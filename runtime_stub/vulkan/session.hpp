// What the sessions of all models have in common on a device: the arena, inputs and outputs on both sides, the recorded
// commands. A generated Session is this. Must not know any model.
//
// Where the host sees device memory (integrated GPUs, software), inputs and outputs are mapped. Elsewhere the host
// writes and reads staging memory, and the recorded commands copy at both ends, and around steps of the host.
#pragma once
#include <vulkan/vulkan_core.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "aotc/info.hpp"
#include "aotc/profiler.hpp"
#include "aotc/session_options.hpp"
#include "aotc/status.hpp"
#include "aotc/tensor.hpp"
#include "aotc/vulkan/commands.hpp"
#include "aotc/vulkan/descriptor_sets.hpp"
#include "aotc/vulkan/host_run.hpp"
#include "aotc/vulkan/memory.hpp"
#include "aotc/vulkan/model.hpp"
#include "aotc/vulkan/recorder.hpp"
#include "aotc/vulkan/step_timer.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

// An input, an output or a state as a session sees it.
struct Slot {
  enum class Source : std::uint8_t {
    unbound,  // the caller has to bind a buffer
    own,      // its place; the host's side of that is the caller's to write or read
    host,     // its place; `host` is copied to or from it around the run
    weights,  // an input's default
    buffer,   // the caller's VkBuffer
  };
  Source source = Source::unbound;
  VkDeviceSize place = 0;   // in the arena buffer, in bytes
  VkDeviceSize staged = 0;  // in the staging buffer, where there is one
  std::byte* host = nullptr;
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceSize offset = 0;  // in `buffer`, in bytes
  bool direct = false;      // shaders see it at a binding of its own; else only in its place
  bool newer = false;       // a state whose staged side the device has not seen
};

// Whether the commands use its place in the arena: what the host writes or reads goes through there.
inline bool is_in_place(const Slot& slot) noexcept {
  return slot.source != Slot::Source::weights && slot.source != Slot::Source::buffer;
}

// The memory of a session whose size depends on the model.
struct SessionTables {
  Slot* slots;          // of inputs, outputs and states, in this order
  const void** inputs;  // as steps of the host see them, one for each
  void** outputs;
  std::int64_t* extents;  // of the bounded dimensions
};

// Everything that does not depend on how many inputs and outputs there are; the tables are the template's below.
class SessionCore {
 public:
  SessionCore(const SessionCore&) = delete;
  SessionCore& operator=(const SessionCore&) = delete;

  // ok, what the Model's status says, out_of_memory or device_failed.
  Status status() const noexcept { return status_; }
  int threads() const noexcept { return 1; }

  // Where the host writes an input; null where it has no place in the arena, or there is no such input.
  void* input(int index) const noexcept;
  // Where the host finds an output after run(): in memory of the session or in the buffer bound last; null where there
  // is neither, or it is in a VkBuffer.
  void* output(int index) const noexcept;

  // Makes run() copy from or to a buffer of the host's; null takes the binding back. The buffer of an input is never
  // written.
  Status bind_input(int index, const void* buffer) noexcept;
  Status bind_output(int index, void* buffer) noexcept;
  // Makes run() read or write a buffer of the same device, from `offset` (in bytes, a multiple of the device's
  // minStorageBufferOffsetAlignment) on; VK_NULL_HANDLE takes the binding back. The buffer belongs to the queue's
  // family or is shared, and outlives the binding. Its usage is STORAGE_BUFFER with TRANSFER_SRC for an input and
  // TRANSFER_DST for an output: where a step has too many operands for a binding of each, or the host has steps,
  // shaders see a copy. From `offset` on there are as many bytes as the tensor has at its bounds, rounded up to a
  // multiple of 4; those behind the tensor are not the caller's. Records the commands again, once a run that is under
  // way is done; if that fails, status() and run() say so from then on.
  Status bind_input(int index, VkBuffer buffer, VkDeviceSize offset) noexcept;
  Status bind_output(int index, VkBuffer buffer, VkDeviceSize offset) noexcept;

  // Decides how dense inputs lie from now on; as on other targets.
  Status set_dim(int index, std::int64_t extent) noexcept;
  // The actual extent of dimension d of an input or output; 0 where there is no such thing.
  std::int64_t input_extent(int index, int d) const noexcept;
  std::int64_t output_extent(int index, int d) const noexcept;

  // What is kept from run to run; null where there is no such state, or the device failed. Where memory is staged, this
  // fetches it from the device, and the next run() brings it back: to be called again after each run().
  void* state(int index) noexcept;
  // All of it is zero again, as at the start.
  void reset() noexcept;

  // Submits and waits. Allocates nothing and makes no object of Vulkan's.
  Status run() noexcept;

  // The same in two halves. submit() returns at once; `fence` (unsignaled, may be null) and `signal` are signaled when
  // all is done. Nothing else may be called until then; finish() then hands bound host buffers and the profiler what is
  // theirs. The destructor waits for the queue where finish() was not called. The device begins once `after` has come;
  // the host copies its buffers before. Points are for devices with the feature timelineSemaphore: others return
  // feature_missing.
  Status submit(VkFence fence, const TimelinePoint& after = {}, const TimelinePoint& signal = {}) noexcept;
  Status finish() noexcept;
  // For callers who submit by themselves, with semaphores: what submit() submits. Of theirs are then to call begin(),
  // which submits what comes before, if the host has steps, and then the lock of the queue (Device::lock).
  Status begin() noexcept;
  VkCommandBuffer commands() const noexcept { return commands_ ? last_commands().handle() : VK_NULL_HANDLE; }

  // Of one run, without those at its ends.
  int dispatches() const noexcept { return dispatches_; }
  int barriers() const noexcept { return barriers_; }

 protected:
  SessionCore(const ModelState& model, const SessionOptions& options, const SessionTables& tables) noexcept;
  ~SessionCore() { settle(); }

  // Makes all objects and records; once, by the class that has the tables.
  void construct() noexcept;

  // Views at the actual extents. T and Rank are those of the tensor.
  template <class T, int Rank>
  BoundedTensor<T, Rank> view(void* data, const TensorInfo& tensor) const noexcept {
    BoundedTensor<T, Rank> result{static_cast<T*>(data), {}, 1};
    for (int d = 0; d < Rank; ++d) {
      result.shape[static_cast<std::size_t>(d)] = extent(tensor, d);
      result.size *= static_cast<std::size_t>(extent(tensor, d));
    }
    return result;
  }
  const ModelInfo& info() const noexcept { return model_.info(); }

 private:
  friend class HostRun;
  friend class Recorder;

  Slot* inputs() const noexcept { return tables_.slots; }
  Slot* outputs() const noexcept { return tables_.slots + model_.info().input_count; }
  Slot* states() const noexcept { return outputs() + model_.info().output_count; }
  Slot* end() const noexcept { return states() + model_.info().state_count; }
  const TensorInfo& tensor(const Slot& slot) const noexcept;
  Slot initial(const Slot& slot) const noexcept;
  std::int64_t extent(const TensorInfo& tensor, int d) const noexcept;
  std::size_t actual_bytes(const Slot& slot) const noexcept;
  std::byte* host_side(const Slot& slot) const noexcept;
  std::byte* host_arena() const noexcept;
  VkDescriptorBufferInfo resolve(const Range& range) noexcept;
  bool is_staged() const noexcept { return staging_.handle() != VK_NULL_HANDLE; }
  StepRange steps_of(int submission) const noexcept;
  Commands& last_commands() const noexcept { return commands_[model_.submission_count() - 1]; }

  void place_slots(VkDeviceSize& arena_bytes, VkDeviceSize& staged_bytes) noexcept;
  Status make_memory() noexcept;
  Status make_objects() noexcept;
  Status record() noexcept;
  void settle() noexcept;
  void show_host() noexcept;
  Status begin(const TimelinePoint& after) noexcept;
  Status submit_and_wait(int submission) noexcept;
  Status failure() const noexcept;
  Status bind_host(Slot* slot, void* buffer) noexcept;
  Status bind_buffer(Slot* slot, VkBuffer buffer, VkDeviceSize offset) noexcept;
  Status bind(Slot& slot, const Slot& bound) noexcept;
  Status copy_states(Slot* first, Slot* last, bool to_device) noexcept;

  ModelState model_;  // goes last
  const Profiler* profiler_;
  SessionTables tables_;
  Status status_;
  int dispatches_ = 0, barriers_ = 0;
  bool can_fail_ = false;  // there is a status of the device's
  Slot failure_;           // where that is
  Buffer arena_;
  Buffer staging_;                        // only where the arena is not mapped
  VkDeviceSize host_place_ = 0;           // in that, of the host's own arena, if it has steps
  std::unique_ptr<Commands[]> commands_;  // of each submission
  Commands transfers_;                    // of states, where they are staged
  DescriptorSets sets_;
  StepTimer timer_;
  Frame frame_{};                  // of the host's steps
  std::uint8_t host_failure_ = 0;  // what they report
  TimelinePoint after_;            // of the run that is under way, if the host has steps
  bool is_under_way_ = false;      // submitted, and not known to be done
};

// Inputs, Outputs, States, Dims: how many there are. One thread at a time may use a session.
template <int Inputs, int Outputs, int States = 0, int Dims = 0>
class SessionState : public SessionCore {
 public:
  SessionState(const ModelState& model, const SessionOptions& options) noexcept
      : SessionCore(model, options, {slots_, inputs_, outputs_, extents_}) {
    construct();
  }

  template <class T, int Rank>
  BoundedTensor<T, Rank> input_view(int index) const noexcept {
    return view<T, Rank>(input(index), info().inputs[index]);
  }
  template <class T, int Rank>
  BoundedTensor<T, Rank> output_view(int index) const noexcept {
    return view<T, Rank>(output(index), info().outputs[index]);
  }

 private:
  static constexpr int at_least_one(int count) noexcept { return count > 0 ? count : 1; }

  Slot slots_[at_least_one(Inputs + Outputs + States)];
  const void* inputs_[at_least_one(Inputs)];
  void* outputs_[at_least_one(Outputs)];
  std::int64_t extents_[at_least_one(Dims)];
};

}  // namespace vulkan
AOTC_RUNTIME_END
