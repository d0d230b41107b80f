// The share of a step's work that one call does. Holds no code.
#pragma once
#include "aotc/version.hpp"

AOTC_RUNTIME_BEGIN

// A half-open range of the independent units of a step (rows of output, tiles, blocks of elements: the kernel says),
// and the thread that computes them. thread counts from 0, the caller of run(), and is below the session's number of
// threads: it picks scratch memory, and must not change what is computed.
struct Part {
  int begin, end;
  int thread;
};

AOTC_RUNTIME_END
