// What a step sees of its session: where the arena, the weights and the bound buffers are. Owns nothing.
#pragma once
#include <cstddef>
#include <cstdint>

#include "aotc/status.hpp"

AOTC_RUNTIME_BEGIN

// All pointers belong to the session. The same frame is given to every step and to all threads of a step at once.
struct Frame {
  std::byte* arena;           // aligned to the model's arena alignment
  const std::byte* weights;   // aligned to 64 bytes; null in a model without weights
  const void* const* inputs;  // one pointer per input: its place in the arena or the caller's own buffer; never written
  void* const* outputs;       // one pointer per output, likewise
  std::int64_t* extents;      // actual extents of the bounded dims; only a step that finds one out writes it
  std::uint8_t* failure = nullptr;    // see fail()
  std::byte* more_scratch = nullptr;  // scratch memory of the threads after the first, one after the other
  std::size_t scratch_bytes = 0;      // of each of them

  template <class T>
  AOTC_RUNTIME_INLINE T* at(std::size_t offset_bytes) const noexcept {
    return reinterpret_cast<T*>(arena + offset_bytes);
  }
  template <class T>
  AOTC_RUNTIME_INLINE const T* weight(std::size_t offset_bytes) const noexcept {
    return reinterpret_cast<const T*>(weights + offset_bytes);
  }
  template <class T>
  AOTC_RUNTIME_INLINE const T* input(int index) const noexcept {
    return static_cast<const T*>(inputs[index]);
  }
  template <class T>
  AOTC_RUNTIME_INLINE T* output(int index) const noexcept {
    return static_cast<T*>(outputs[index]);
  }

  // Memory that `thread` has to itself during the step: the first thread's is a part of the arena like all others.
  AOTC_RUNTIME_INLINE void* scratch(std::size_t offset_bytes, int thread) const noexcept {
    return thread == 0 ? arena + offset_bytes : more_scratch + static_cast<std::size_t>(thread - 1) * scratch_bytes;
  }

  // An extent that a step found: as it is where it lies between 0 and `most`, else the nearest of these, and the run
  // fails.
  AOTC_RUNTIME_INLINE std::int64_t bounded(std::int64_t extent, std::int64_t most) const noexcept {
    if (extent >= 0 && extent <= most) return extent;
    fail(Status::bound_exceeded);
    return extent < 0 ? 0 : most;
  }

  // Makes run() return `status` once all steps are done; any thread may call it. Of several statuses one is reported.
  AOTC_RUNTIME_INLINE void fail(Status status) const noexcept {
    if (failure) __atomic_store_n(failure, static_cast<std::uint8_t>(status), __ATOMIC_RELAXED);
  }
  // Whether a step has failed so far: a loop then ends.
  AOTC_RUNTIME_INLINE bool failed() const noexcept {
    return failure && __atomic_load_n(failure, __ATOMIC_RELAXED) != 0;
  }
};

AOTC_RUNTIME_END
