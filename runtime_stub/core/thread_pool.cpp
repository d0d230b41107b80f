// How workers start, wait, share a step and stop. The only source file of the runtime; empty with -DAOTC_NO_THREADS.
//
// A step is published by raising `published_`, and is over when `unfinished_` has fallen to 0; both wake whoever sleeps
// on them. A worker's part is computed by whoever claims it first, the worker or the caller once it is through with its
// own: to wake up takes longer than many a step. So workers may miss steps; `claimed` is the last one whose part is
// taken, and can only be raised from the step before.
//
// Whoever changes a counter looks at `sleepers` afterwards, whoever goes to sleep raises `sleepers` and then
// looks at the counter again, all sequentially consistent: one of the two sees the other, so no wake-up is lost.
#include "aotc/thread_pool.hpp"

#ifndef AOTC_NO_THREADS

#include <sched.h>
#include <signal.h>

#if defined(__linux__)
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#endif

AOTC_RUNTIME_BEGIN
inline namespace multi_threaded {
namespace {

constexpr int busy_spins = 100;  // some 5 microseconds: a pause is 10 to 60 ns, by processor
constexpr int yields = 100;      // some 30 more on an idle processor; lets others run on a crowded one

// Tells the processor that this is a waiting loop.
void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  __asm__ volatile("isb" ::: "memory");
#else
  __asm__ volatile("" ::: "memory");
#endif
}

// The processors this process may run on; 0 where that cannot be found out.
int available_processors() noexcept {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0) return CPU_COUNT(&set);
#endif
  return 0;
}

}  // namespace

#if defined(__linux__) && !defined(AOTC_NO_FUTEX)
// The kernel reads the counter as a plain 32-bit word.
static_assert(sizeof(std::atomic<std::uint32_t>) == 4 && std::atomic<std::uint32_t>::is_always_lock_free);

void ThreadPool::sleep_while(Signal& signal, std::uint32_t value) noexcept {
  while (signal.value.load() == value) syscall(SYS_futex, &signal.value, FUTEX_WAIT_PRIVATE, value, nullptr);
}
void ThreadPool::wake_sleepers(Signal& signal) noexcept {
  syscall(SYS_futex, &signal.value, FUTEX_WAKE_PRIVATE, INT_MAX);
}

#else

void ThreadPool::sleep_while(Signal& signal, std::uint32_t value) noexcept {
  pthread_mutex_lock(&signal.mutex);
  while (signal.value.load() == value) pthread_cond_wait(&signal.changed, &signal.mutex);
  pthread_mutex_unlock(&signal.mutex);
}
void ThreadPool::wake_sleepers(Signal& signal) noexcept {
  pthread_mutex_lock(&signal.mutex);  // whoever has seen the old value sleeps by now
  pthread_cond_broadcast(&signal.changed);
  pthread_mutex_unlock(&signal.mutex);
}

#endif

void ThreadPool::wake(Signal& signal) noexcept {
  if (signal.sleepers.load() != 0) wake_sleepers(signal);
}

void ThreadPool::wait_while(Signal& signal, std::uint32_t value) const noexcept {
  for (int i = 0; i < spins_ + yields; ++i) {
    if (signal.value.load(std::memory_order_acquire) != value) return;
    if (i < spins_)
      pause();
    else
      sched_yield();
  }
  signal.sleepers.fetch_add(1);
  sleep_while(signal, value);
  signal.sleepers.fetch_sub(1);
}

ThreadPool::ThreadPool(int threads) noexcept {
  if (threads > max_pool_threads) threads = max_pool_threads;
  if (threads <= 1) return;
  // Where threads must share processors, a spinning one only keeps another from its work.
  const int processors = available_processors();
  spins_ = processors == 0 || threads <= processors ? busy_spins : 0;
  if (!start_workers(threads)) status_ = Status::thread_start_failed;
}

ThreadPool::~ThreadPool() { stop_workers(); }

// Signals of the application are for its own threads: workers start with all of them blocked.
bool ThreadPool::start_workers(int threads) noexcept {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  // threads_ counts what is running, so that a failure half-way stops just these; workers do not read it before a step.
  while (threads_ < threads) {
    Worker& worker = workers_[threads_ - 1];
    worker.pool = this;
    if (pthread_create(&worker.thread, nullptr, worker_main, &worker) != 0) break;
    ++threads_;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  if (threads_ == threads) return true;
  stop_workers();
  return false;
}

void ThreadPool::stop_workers() noexcept {
  if (threads_ == 1) return;
  stop_.store(true, std::memory_order_relaxed);
  published_.value.fetch_add(1);
  wake(published_);
  for (int i = 0; i < threads_ - 1; ++i) pthread_join(workers_[i].thread, nullptr);
  threads_ = 1;
}

void* ThreadPool::worker_main(void* argument) noexcept {
  const Worker* worker = static_cast<const Worker*>(argument);
  ThreadPool& pool = *worker->pool;
  const int thread = static_cast<int>(worker - pool.workers_) + 1;
  for (std::uint32_t seen = 0;;) {
    pool.wait_while(pool.published_, seen);
    seen = pool.published_.value.load(std::memory_order_acquire);
    if (pool.stop_.load(std::memory_order_relaxed)) return nullptr;
    if (!pool.claim(thread, seen)) continue;
    pool.work(thread);
    if (pool.unfinished_.value.fetch_sub(1) == 1) wake(pool.unfinished_);
  }
}

bool ThreadPool::claim(int thread, std::uint32_t step) noexcept {
  std::uint32_t before = step - 1;
  return workers_[thread - 1].claimed.compare_exchange_strong(before, step, std::memory_order_acq_rel);
}

void ThreadPool::work(int thread) noexcept { function_(*frame_, part_of(units_, threads_, thread)); }

void ThreadPool::run_on_all(StepFunction function, int units, const Frame& frame) noexcept {
  function_ = function;
  frame_ = &frame;
  units_ = units;
  unfinished_.value.store(static_cast<std::uint32_t>(threads_ - 1), std::memory_order_relaxed);
  const std::uint32_t step = published_.value.fetch_add(1) + 1;
  wake(published_);
  work(0);
  for (int thread = 1; thread < threads_; ++thread) {
    if (!claim(thread, step)) continue;
    work(thread);
    unfinished_.value.fetch_sub(1);
  }
  for (std::uint32_t left; (left = unfinished_.value.load()) != 0;) wait_while(unfinished_, left);
}

}  // namespace multi_threaded
AOTC_RUNTIME_END

#endif  // AOTC_NO_THREADS
