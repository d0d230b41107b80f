// What is submitted as a whole, and what the host does in between, in programs with steps that have no shader.
//
//     shaders of 0 to 11 ─ fetch what 12 uses ─► step 12 on the host ─► put what 12 wrote ─ shaders of 13 to 20
//     └──────────── submission 0 ────────────┘                         └──────────── submission 1 ────────────┘
//
// Between submissions the device's memory is what counts: the host has a copy of all that its next steps use while they
// run, and what they may have written is copied back whole. That is right whatever branches and loops do.
#ifndef AOTC_CODEGEN_SPIRV_SUBMISSIONS_H
#define AOTC_CODEGEN_SPIRV_SUBMISSIONS_H

#include "codegen/cpp/PlannedProgram.h"
#include "codegen/spirv/GpuProgram.h"

namespace aotc::codegen {

/// A part of memory that the host uses: an input, or a range of the arena.
struct HostRange {
  std::optional<uint64_t> arenaOffset; ///< in bytes; none: of an input without a place there
  uint64_t bytes = 0;
  const Buffer *buffer = nullptr; ///< null for several that overlap
};
using HostRanges = std::vector<HostRange>; ///< none overlap

struct SubmissionDescription {
  size_t firstStep = 0, stepCount = 0;
  HostRanges put;   ///< what the host may have written since the submission before
  HostRanges fetch; ///< what the host uses before the next one
};

/// A run from its start to the last submission, which ends it, in order.
struct FlowItem {
  enum class Kind { Submit, Compute, If, Else, While, End };
  Kind kind;
  size_t index = 0;           ///< of the submission, or the step
  std::string condition = {}; ///< C++ on `frame`
};

struct HostFlow {
  std::vector<SubmissionDescription> submissions; ///< at least one
  std::vector<FlowItem> items;

  /// Whether one submission is the whole run: every step has a shader, and the run decides about nothing.
  bool isPlain() const { return items.empty(); }
};

/// How many barriers are recorded in front of dispatches: none at the start of a submission, which is one.
size_t barriersOf(const GpuProgram &gpu, const HostFlow &flow);

/// Fails with a diagnostic on a condition that has no C++ form. Places of buffers are settled.
mlir::FailureOr<HostFlow> splitIntoSubmissions(PlannedProgram &program, const GpuProgram &gpu);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_SPIRV_SUBMISSIONS_H
