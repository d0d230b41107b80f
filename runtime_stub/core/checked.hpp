// The checked build: while a step runs, the arena is closed to all but the buffers of that step, so that
// AddressSanitizer, which sees one block, tells of a read of what is dead and of a write past the end. Included only
// with AOTC_CHECKED; without a sanitizer it costs a little and finds nothing. Must not change what is computed.
#pragma once
#include <cstddef>

#include "aotc/info.hpp"
#include "aotc/step.hpp"

#if defined(__SANITIZE_ADDRESS__)
#define AOTC_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define AOTC_HAS_ASAN 1
#endif
#endif
#ifdef AOTC_HAS_ASAN
#include <sanitizer/asan_interface.h>
#endif

AOTC_RUNTIME_BEGIN

// A buffer of the arena that a step reads or writes.
struct ArenaUse {
  int step;
  std::size_t offset, bytes;  // bounded dimensions at their bounds
  bool is_scratch = false;    // the first thread's; all others have as much behind the shared arena
};

inline void close_memory([[maybe_unused]] const std::byte* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef AOTC_HAS_ASAN
  __asan_poison_memory_region(begin, bytes);
#endif
}
inline void open_memory([[maybe_unused]] const std::byte* begin, [[maybe_unused]] std::size_t bytes) noexcept {
#ifdef AOTC_HAS_ASAN
  __asan_unpoison_memory_region(begin, bytes);
#endif
}

// Stands for the session's pool during one run(). Between steps and after the run all of the arena is open: it is the
// caller's then, who may use it for other things.
template <class Pool>
class CheckedPool {
 public:
  // `uses` counts steps as they stand in the table `steps`.
  template <std::size_t Count>
  CheckedPool(Pool& pool, const Step* steps, const ModelInfo& info, const ArenaUse (&uses)[Count]) noexcept
      : pool_(pool), steps_(steps), uses_(uses), use_count_(Count), arena_bytes_(info.arena_bytes(pool.threads())) {}

  AOTC_RUNTIME_INLINE void run(const Step& step, const Frame& frame) noexcept {
    close_memory(frame.arena, arena_bytes_);
    for (std::size_t i = 0; i < use_count_; ++i)
      if (uses_[i].step == &step - steps_) open_use(uses_[i], frame);
    pool_.run(step, frame);
    open_memory(frame.arena, arena_bytes_);
  }

 private:
  void open_use(const ArenaUse& use, const Frame& frame) noexcept {
    open_memory(frame.arena + use.offset, use.bytes);
    for (int thread = 1; use.is_scratch && thread < pool_.threads(); ++thread)
      open_memory(static_cast<const std::byte*>(frame.scratch(use.offset, thread)), use.bytes);
  }

  Pool& pool_;
  const Step* steps_;
  const ArenaUse* uses_;
  std::size_t use_count_;
  std::size_t arena_bytes_;
};

AOTC_RUNTIME_END
