// The thread pool: every unit is computed exactly once, by the right thread, whatever the numbers of threads and units.
#include "aotc/thread_pool.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <thread>
#include <vector>

namespace {

using aotc::Frame;
using aotc::Part;
using aotc::Step;
using aotc::ThreadPool;

// A frame whose arena holds one counter per unit and whose second part says which thread computed it.
struct Work {
  explicit Work(int units) : counts(static_cast<std::size_t>(units)), threads(static_cast<std::size_t>(units), -1) {
    outputs[0] = counts.data();
    outputs[1] = threads.data();
    frame.outputs = outputs;
  }
  std::vector<int> counts, threads; // plain ints: ThreadSanitizer sees any unit that two threads compute
  void *outputs[2];
  Frame frame{};
};

void countUnits(const Frame &frame, Part part) {
  for (int unit = part.begin; unit < part.end; ++unit) {
    ++frame.output<int>(0)[unit];
    frame.output<int>(1)[unit] = part.thread;
  }
}

// What a pool that was asked for `threads` has.
int granted(int threads) { return threads < aotc::max_pool_threads ? threads : aotc::max_pool_threads; }

class ThreadPoolTest : public testing::TestWithParam<int> {};

INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolTest, testing::Values(1, 2, 5, 8));

TEST_P(ThreadPoolTest, ComputesEveryUnitOnce) {
  ThreadPool pool(GetParam());
  ASSERT_EQ(pool.status(), aotc::Status::ok);
  ASSERT_EQ(pool.threads(), granted(GetParam()));
  for (int units : {0, 1, 2, 3, 7, 8, 9, 64, 1000}) {
    Work work(units);
    const Step step{countUnits, units};
    for (int repeat = 1; repeat <= 20; ++repeat) {
      pool.run(step, work.frame);
      for (int unit = 0; unit < units; ++unit)
        ASSERT_EQ(work.counts[static_cast<std::size_t>(unit)], repeat) << "unit " << unit << " of " << units;
    }
  }
}

TEST_P(ThreadPoolTest, GivesThreadsContiguousRangesInOrder) {
  ThreadPool pool(GetParam());
  Work work(100);
  pool.run({countUnits, 100}, work.frame);
  EXPECT_EQ(work.threads.front(), 0) << "the caller takes part";
  EXPECT_EQ(work.threads.back(), granted(GetParam()) - 1);
  for (std::size_t unit = 1; unit < 100; ++unit)
    EXPECT_LE(work.threads[unit - 1], work.threads[unit]);
}

TEST_P(ThreadPoolTest, StepsSeeWhatEarlierStepsWrote) {
  ThreadPool pool(GetParam());
  constexpr int units = 37;
  std::vector<int> a(units, 1), b(units);
  void *outputs[] = {a.data(), b.data()};
  Frame frame{};
  frame.outputs = outputs;
  // Each step reads from units of other threads what the step before wrote.
  const Step forth{[](const Frame &f, Part part) {
                     for (int unit = part.begin; unit < part.end; ++unit)
                       f.output<int>(1)[unit] = f.output<int>(0)[units - 1 - unit] + 1;
                   },
                   units};
  const Step back{[](const Frame &f, Part part) {
                    for (int unit = part.begin; unit < part.end; ++unit)
                      f.output<int>(0)[unit] = f.output<int>(1)[units - 1 - unit] + 1;
                  },
                  units};
  for (int i = 0; i < 2000; ++i) {
    pool.run(forth, frame);
    pool.run(back, frame);
  }
  EXPECT_EQ(a, std::vector<int>(units, 4001));
}

TEST_P(ThreadPoolTest, WakesWorkersThatSleep) {
  ThreadPool pool(GetParam());
  Work work(GetParam());
  for (int i = 1; i <= 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    pool.run({countUnits, GetParam()}, work.frame);
    EXPECT_EQ(work.counts, std::vector<int>(work.counts.size(), i));
  }
}

TEST_P(ThreadPoolTest, CallerSleepsUntilASlowWorkerIsDone) {
  ThreadPool pool(GetParam());
  Work work(GetParam());
  const Step slow{[](const Frame &frame, Part part) {
                    if (part.thread > 0)
                      std::this_thread::sleep_for(std::chrono::milliseconds(10 * part.thread));
                    countUnits(frame, part);
                  },
                  GetParam()};
  for (int i = 1; i <= 3; ++i) {
    pool.run(slow, work.frame);
    EXPECT_EQ(work.counts, std::vector<int>(work.counts.size(), i));
  }
}

TEST_P(ThreadPoolTest, CountsUnitsAtRunTime) {
  ThreadPool pool(GetParam());
  Work work(50);
  std::int64_t extents[] = {20};
  work.frame.extents = extents;
  pool.run({countUnits, 50, [](const Frame &frame) { return static_cast<int>(frame.extents[0]); }}, work.frame);
  for (std::size_t unit = 0; unit < 50; ++unit)
    EXPECT_EQ(work.counts[unit], unit < 20 ? 1 : 0);
}

TEST_P(ThreadPoolTest, StartsAndStopsWithoutWork) {
  for (int i = 0; i < 50; ++i)
    ThreadPool pool(GetParam());
}

// Far more threads than processors, in many pools that run at once and know nothing of each other.
TEST(ThreadPoolsTest, RunAtTheSameTime) {
  constexpr int sessions = 6, units = 24, steps = 200;
  std::vector<std::thread> callers;
  std::atomic<int> wrong{0};
  for (int session = 0; session < sessions; ++session)
    callers.emplace_back([&wrong, session] {
      ThreadPool pool(1 + session);
      Work work(units);
      for (int i = 0; i < steps; ++i)
        pool.run({countUnits, units}, work.frame);
      for (int count : work.counts)
        wrong += count != steps;
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(ThreadPoolsTest, SurviveOversubscription) {
  ThreadPool pool(32);
  Work work(320);
  for (int i = 0; i < 200; ++i)
    pool.run({countUnits, 320}, work.frame);
  EXPECT_EQ(work.counts, std::vector<int>(320, 200));
}

TEST(ThreadPoolsTest, TakeNumbersOutsideTheLimitsAsTheNearest) {
  EXPECT_EQ(ThreadPool(0).threads(), 1);
  EXPECT_EQ(ThreadPool(-7).threads(), 1);
  EXPECT_EQ(ThreadPool(1 << 20).threads(), aotc::max_pool_threads);
}

TEST(PartOfTest, CoversAllUnitsOnceInSharesThatDifferByOne) {
  for (int threads = 1; threads <= 17; ++threads)
    for (int units = 0; units <= 100; ++units) {
      int next = 0;
      for (int thread = 0; thread < threads; ++thread) {
        const Part part = aotc::part_of(units, threads, thread);
        ASSERT_EQ(part.begin, next);
        ASSERT_EQ(part.thread, thread);
        ASSERT_GE(part.end - part.begin, units / threads);
        ASSERT_LE(part.end - part.begin, (units + threads - 1) / threads);
        next = part.end;
      }
      ASSERT_EQ(next, units);
    }
}

TEST(PartOfTest, DoesNotOverflow) {
  const Part last = aotc::part_of(2147483647, 128, 127);
  EXPECT_EQ(last.end, 2147483647);
  EXPECT_EQ(last.begin, 2147483647 - 16777215);
}

struct Heard {
  std::vector<int> begun, ended;
};

TEST(ProfilerTest, HearsOfEveryStepOnlyIfCompiledIn) {
  Heard heard;
  const aotc::Profiler profiler{[](void *user, int step) { static_cast<Heard *>(user)->begun.push_back(step); },
                                [](void *user, int step) { static_cast<Heard *>(user)->ended.push_back(step); },
                                &heard};
  const Step steps[] = {{countUnits, 1}, {countUnits, 8}};
  ThreadPool pool(2);
  pool.profile(&profiler, steps);
  Work work(8);
  pool.run(steps[1], work.frame);
  pool.run(steps[0], work.frame);
  const std::vector<int> expected = aotc::profile_enabled ? std::vector<int>{1, 0} : std::vector<int>{};
  EXPECT_EQ(heard.begun, expected);
  EXPECT_EQ(heard.ended, expected);
}

} // namespace
