// Hooks around every step of run(). The calls exist only in a library built with -DAOTC_PROFILE; otherwise a profiler
// given to a session is ignored and costs nothing. The types are the same in both builds, so that an application need
// not be rebuilt. A GPU's steps are timed by the device, in any build: see `elapsed`.
#pragma once
#include <cstdint>

#include "aotc/step.hpp"

AOTC_RUNTIME_BEGIN

// Called by the thread that calls run(), before and after each step; step counts from 0 as in report.json and in the
// comments of the generated source. `begin` and `end` may not be null; none may throw or call back into the session.
struct Profiler {
  void (*begin)(void* user, int step);
  void (*end)(void* user, int step);
  void* user;  // handed to all
  // In place of the other two where a device computes the steps: called when run() is done, for each step in order. May
  // be null.
  void (*elapsed)(void* user, int step, std::uint64_t nanoseconds) = nullptr;
};

// True in a library that calls the hooks.
#ifdef AOTC_PROFILE
constexpr bool profile_enabled = true;
#else
constexpr bool profile_enabled = false;
#endif

// A profiler and the table whose steps it hears of.
struct ProfiledSteps {
  const Profiler* profiler = nullptr;
  const Step* steps = nullptr;
};

// Reports one step for as long as it lives. Always inlined, as is what makes it: another model of the program may have
// been built without the hooks, and the linker would take one function for both.
class ProfiledStep {
 public:
  AOTC_RUNTIME_INLINE ProfiledStep(const ProfiledSteps& steps, const Step& step) noexcept : steps_(steps), step_(step) {
    if (profile_enabled && steps.profiler) steps.profiler->begin(steps.profiler->user, index());
  }
  AOTC_RUNTIME_INLINE ~ProfiledStep() {
    if (profile_enabled && steps_.profiler) steps_.profiler->end(steps_.profiler->user, index());
  }

 private:
  int index() const noexcept { return static_cast<int>(&step_ - steps_.steps); }

  const ProfiledSteps& steps_;
  const Step& step_;
};

AOTC_RUNTIME_END
