// One step of a model's plan: a function and how many pieces its work comes in.
#pragma once
#include "aotc/frame.hpp"
#include "aotc/part.hpp"

AOTC_RUNTIME_BEGIN

// Computes the units [part.begin, part.end). The same bits come out however the units are split.
using StepFunction = void (*)(const Frame&, Part);

struct Step {
  StepFunction run;
  int units;  // independent pieces; 1 where the work cannot or should not be split
  // Where the number depends on actual extents: counts them before each call, and `units` is the number at the bounds.
  int (*count_units)(const Frame&) = nullptr;
};

inline int units_of(const Step& step, const Frame& frame) noexcept {
  return step.count_units ? step.count_units(frame) : step.units;
}

AOTC_RUNTIME_END
