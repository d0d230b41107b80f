// What the sessions of all models have in common: the arena (owned or the caller's), the pointers to inputs and
// outputs, the actual extents, the threads. A generated Session is this and the list of its steps. Must not know any
// model.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>

#include "aotc/info.hpp"
#include "aotc/session_options.hpp"
#include "aotc/status.hpp"
#include "aotc/step.hpp"
#include "aotc/tensor.hpp"
#include "aotc/thread_pool.hpp"

AOTC_RUNTIME_BEGIN

// What a Model hands to its sessions.
struct ModelParts {
  const std::byte* weights;
  const Step* steps;
  Status status;
};

// Inputs, Outputs, Dims: how many there are. One thread at a time may use a session. The pool is a parameter so that
// sessions with and without threads have different symbols.
template <int Inputs, int Outputs, int Dims, class Pool = ThreadPool>
class SessionState {
 public:
#ifndef AOTC_NO_HEAP
  // Allocates the arena; it is freed with the session.
  SessionState(const ModelInfo& info, const ModelParts& model, const SessionOptions& options) noexcept
      : SessionState(info, model, nullptr, 0, options, true) {}
  ~SessionState() {
    if (owned_) ::operator delete (owned_, std::align_val_t{info_.arena_alignment});
  }
#endif
  // Uses the caller's arena: `bytes` of memory that live as long as the session.
  SessionState(const ModelInfo& info, const ModelParts& model, void* arena, std::size_t bytes,
               const SessionOptions& options) noexcept
      : SessionState(info, model, arena, bytes, options, false) {}
  SessionState(const SessionState&) = delete;
  SessionState& operator=(const SessionState&) = delete;

  Status status() const noexcept { return status_ == Status::ok ? pool_.status() : status_; }
  int threads() const noexcept { return pool_.threads(); }

  // The place of an input in the arena; null where there is none, or no such input.
  void* input(int index) const noexcept {
    return valid(index, Inputs) ? place(info_.inputs[index].arena_offset) : nullptr;
  }
  // Where run() leaves an output: in the arena or in the buffer bound last; null where there is neither.
  void* output(int index) const noexcept { return valid(index, Outputs) ? outputs_[index] : nullptr; }

  // Makes run() read the caller's buffer in place; null takes the binding back. The buffer is never written.
  Status bind_input(int index, const void* buffer) noexcept {
    if (!valid(index, Inputs)) return Status::index_out_of_range;
    if (!aligned(buffer, info_.inputs[index])) return Status::buffer_misaligned;
    inputs_[index] = buffer ? buffer : initial_input(index);
    return Status::ok;
  }
  Status bind_output(int index, void* buffer) noexcept {
    if (!valid(index, Outputs)) return Status::index_out_of_range;
    if (!aligned(buffer, info_.outputs[index])) return Status::buffer_misaligned;
    outputs_[index] = buffer ? buffer : place(info_.outputs[index].arena_offset);
    return Status::ok;
  }

  Status set_dim(int index, std::int64_t extent) noexcept {
    if (!valid(index, Dims) || !info_.dims[index].settable) return Status::index_out_of_range;
    if (extent < info_.dims[index].minimum || extent > info_.dims[index].maximum) return Status::extent_out_of_range;
    extents_[index] = extent;
    if (info_.derive_extents) info_.derive_extents(extents_);
    return Status::ok;
  }
  // The actual extent of dimension d of an input or output; 0 where there is no such thing.
  std::int64_t input_extent(int index, int d) const noexcept {
    return valid(index, Inputs) ? extent(info_.inputs[index], d) : 0;
  }
  std::int64_t output_extent(int index, int d) const noexcept {
    return valid(index, Outputs) ? extent(info_.outputs[index], d) : 0;
  }

  // Views at the actual extents. T and Rank are those of the tensor.
  template <class T, int Rank>
  BoundedTensor<T, Rank> input_view(int index) const noexcept {
    return view(info_.inputs[index], BoundedTensor<T, Rank>{static_cast<T*>(input(index)), {}, 1});
  }
  template <class T, int Rank>
  BoundedTensor<T, Rank> output_view(int index) const noexcept {
    return view(info_.outputs[index], BoundedTensor<T, Rank>{static_cast<T*>(output(index)), {}, 1});
  }

  // What is kept from run to run; null where there is no such state.
  void* state(int index) const noexcept {
    return valid(index, info_.state_count) ? place(info_.states[index].arena_offset) : nullptr;
  }
  // All of it is zero again, as at the start.
  void reset() noexcept {
    for (int i = 0; i < info_.state_count; ++i)
      if (void* const memory = state(i)) std::memset(memory, 0, info_.states[i].bytes());
  }

  // Opens a run: ok if the session is sound and every buffer is there.
  Status begin_run() noexcept {
    if (status() != Status::ok) return status();
    for (int i = 0; i < Inputs; ++i)
      if (!inputs_[i]) return Status::null_buffer;
    for (int i = 0; i < Outputs; ++i)
      if (!outputs_[i]) return Status::null_buffer;
    failure_ = 0;
    return Status::ok;
  }
  // Closes it: what a step reported, or ok.
  Status end_run() const noexcept { return static_cast<Status>(failure_); }

  // What the steps of a run need.
  Pool& pool() noexcept { return pool_; }
  const Step* steps() const noexcept { return steps_; }
  const Frame& frame() const noexcept { return frame_; }

 private:
  SessionState(const ModelInfo& info, const ModelParts& model, void* arena, std::size_t bytes,
               const SessionOptions& options, bool own) noexcept
      : info_(info),
        steps_(model.steps),
        frame_{nullptr, model.weights, inputs_, outputs_, extents_, &failure_, nullptr, info.arena_bytes_per_thread},
        status_(model.status == Status::ok ? take_arena(arena, bytes, info.arena_bytes(options.threads), own)
                                           : model.status),
        pool_(status_ == Status::ok ? usable_threads(options.threads, info.max_threads) : 1) {
    for (int i = 0; i < Inputs; ++i) inputs_[i] = initial_input(i);
    for (int i = 0; i < Outputs; ++i) outputs_[i] = place(info.outputs[i].arena_offset);
    for (int i = 0; i < Dims; ++i) extents_[i] = info.dims[i].maximum;
    if (info.derive_extents) info.derive_extents(extents_);
    reset();
    pool_.profile(options.profiler, steps_);
  }

  Status take_arena(void* arena, std::size_t bytes, std::size_t needed, [[maybe_unused]] bool own) noexcept {
#ifndef AOTC_NO_HEAP
    if (own) {
      arena = owned_ = ::operator new (needed, std::align_val_t{info_.arena_alignment}, std::nothrow);
      if (!arena) return Status::out_of_memory;
      bytes = needed;
    }
#endif
    if (bytes < needed || !arena) return Status::arena_too_small;
    if (reinterpret_cast<std::uintptr_t>(arena) % info_.arena_alignment != 0) return Status::arena_misaligned;
    frame_.arena = static_cast<std::byte*>(arena);
    frame_.more_scratch = frame_.arena + info_.arena_bytes_shared;
    return Status::ok;
  }

  std::int64_t extent(const TensorInfo& tensor, int d) const noexcept {
    if (!valid(d, tensor.rank)) return 0;
    return tensor.shape[d].dim < 0 ? tensor.shape[d].extent : extents_[tensor.shape[d].dim];
  }
  template <class View>
  View view(const TensorInfo& tensor, View result) const noexcept {
    for (int d = 0; d < View::rank; ++d) {
      result.shape[static_cast<std::size_t>(d)] = extent(tensor, d);
      result.size *= static_cast<std::size_t>(extent(tensor, d));
    }
    return result;
  }

  static constexpr bool valid(int index, int count) noexcept { return index >= 0 && index < count; }
  static bool aligned(const void* buffer, const TensorInfo& tensor) noexcept {
    return reinterpret_cast<std::uintptr_t>(buffer) % element_bytes(tensor.element) == 0;
  }
  void* place(std::size_t arena_offset) const noexcept {
    return arena_offset == no_offset || !frame_.arena ? nullptr : frame_.arena + arena_offset;
  }
  const void* initial_input(int index) const noexcept {
    const TensorInfo& tensor = info_.inputs[index];
    if (tensor.default_offset == no_offset) return place(tensor.arena_offset);
    return frame_.weights ? frame_.weights + tensor.default_offset : nullptr;
  }

  const ModelInfo& info_;
  const Step* steps_;
  void* owned_ = nullptr;  // the arena, if it is ours
  std::uint8_t failure_ = 0;
  const void* inputs_[Inputs > 0 ? Inputs : 1];
  void* outputs_[Outputs > 0 ? Outputs : 1];
  std::int64_t extents_[Dims > 0 ? Dims : 1];
  Frame frame_;
  Status status_;
  Pool pool_;
};

AOTC_RUNTIME_END
