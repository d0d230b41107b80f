// The threads of one session, and the split of a step's units among them.
//
// The calling thread takes part, so a pool of N starts N - 1 workers; a pool of one starts nothing, has no lock and no
// atomic operation. Workers wait for the next step by spinning for some tens of microseconds, then sleep until they are
// woken; the caller computes the part of a worker that has not begun with it. Allocates nothing after construction, and
// shares nothing with other pools. -DAOTC_NO_THREADS leaves only the caller.
//
// One thread at a time calls run(). After fork() the child's copy of a pool has no workers: it must not be used there.
#pragma once
#include "aotc/profiler.hpp"
#include "aotc/status.hpp"
#include "aotc/step.hpp"

#ifndef AOTC_NO_THREADS
#include <pthread.h>

#include <atomic>
#include <cstdint>
#endif

AOTC_RUNTIME_BEGIN

// The share of `thread` (0 <= thread < threads): contiguous, in order, of sizes that differ by at most one.
constexpr Part part_of(int units, int threads, int thread) noexcept {
  const int each = units / threads;
  const int rest = units % threads;  // the first `rest` threads take one more
  const int begin = thread * each + (thread < rest ? thread : rest);
  return {begin, begin + each + (thread < rest ? 1 : 0), thread};
}

#ifdef AOTC_NO_THREADS

inline namespace single_threaded {

constexpr int max_pool_threads = 1;

class ThreadPool {
 public:
  explicit ThreadPool(int /*threads*/ = 1) noexcept {}

  Status status() const noexcept { return Status::ok; }
  int threads() const noexcept { return 1; }
  void profile(const Profiler* profiler, const Step* steps) noexcept { profiled_ = {profiler, steps}; }
  AOTC_RUNTIME_INLINE void run(const Step& step, const Frame& frame) noexcept {
    const ProfiledStep profiled(profiled_, step);
    if (const int units = units_of(step, frame); units > 0) step.run(frame, Part{0, units, 0});
  }

 private:
  ProfiledSteps profiled_;
};

}  // namespace single_threaded

#else

inline namespace multi_threaded {

constexpr int max_pool_threads = 128;

class ThreadPool {
 public:
  // Starts threads - 1 workers, 1 <= threads <= max_pool_threads (other numbers are taken as the nearest of these). If
  // one cannot be started, none stays, status() is thread_start_failed, and run() works on the caller alone.
  explicit ThreadPool(int threads = 1) noexcept;
  ~ThreadPool();

  Status status() const noexcept { return status_; }
  int threads() const noexcept { return threads_; }

  // From now on `profiler` (null: none) hears of every step, as its index in `steps`. Both outlive the pool.
  void profile(const Profiler* profiler, const Step* steps) noexcept { profiled_ = {profiler, steps}; }

  // Computes all units of the step and returns when the last one is done. A step of one unit runs on the caller; one of
  // none, whose results are empty, does not.
  AOTC_RUNTIME_INLINE void run(const Step& step, const Frame& frame) noexcept {
    const ProfiledStep profiled(profiled_, step);
    const int units = units_of(step, frame);
    if (units <= 0) return;
    if (threads_ == 1 || units == 1)
      step.run(frame, Part{0, units, 0});
    else
      run_on_all(step.run, units, frame);
  }

 private:
  struct Worker {
    ThreadPool* pool;
    pthread_t thread;
    std::atomic<std::uint32_t> claimed{0};  // the last step whose part somebody has taken
  };

  // A counter that threads wait on, on a cache line of its own.
  struct alignas(64) Signal {
    std::atomic<std::uint32_t> value{0};
    std::atomic<std::uint32_t> sleepers{0};
#if !defined(__linux__) || defined(AOTC_NO_FUTEX)
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
#endif
  };

  static void* worker_main(void* worker) noexcept;
  static void sleep_while(Signal& signal, std::uint32_t value) noexcept;
  static void wake_sleepers(Signal& signal) noexcept;
  static void wake(Signal& signal) noexcept;
  void wait_while(Signal& signal, std::uint32_t value) const noexcept;
  void run_on_all(StepFunction function, int units, const Frame& frame) noexcept;
  bool claim(int thread, std::uint32_t step) noexcept;
  void work(int thread) noexcept;
  bool start_workers(int threads) noexcept;
  void stop_workers() noexcept;

  Signal published_;  // counts the steps given to the workers
  // Written before published_ rises, read by whoever has claimed a part of that step.
  StepFunction function_ = nullptr;
  const Frame* frame_ = nullptr;
  int units_ = 0;
  std::atomic<bool> stop_{false};

  Signal unfinished_;  // parts of the step that are not done, the caller's own aside

  alignas(64) int threads_ = 1;
  int spins_ = 0;
  Status status_ = Status::ok;
  ProfiledSteps profiled_;
  Worker workers_[max_pool_threads - 1];
};

}  // namespace multi_threaded

#endif  // AOTC_NO_THREADS

AOTC_RUNTIME_END
