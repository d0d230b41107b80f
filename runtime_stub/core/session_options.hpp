// What a caller chooses when it makes a session, of whatever target. Holds no code.
#pragma once
#include "aotc/profiler.hpp"

AOTC_RUNTIME_BEGIN

struct SessionOptions {
  int threads = 1;  // 1 to the model's max_threads (what is outside is taken as the nearest of these)
  const Profiler* profiler = nullptr;  // outlives the session
};

AOTC_RUNTIME_END
