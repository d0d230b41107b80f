// When each step is due follows from those before it that it conflicts with, by their bindings; a stable sort by that
// is the order. Looks at every pair of steps.
#include "codegen/spirv/Levels.h"

#include "codegen/spirv/Bindings.h"
#include "codegen/spirv/ErrorOf.h"

using namespace mlir;

namespace aotc::codegen {

namespace {

// When a step is due: in which turn of the device (even) or of the host (odd), and how far in it.
struct Due {
  size_t turn = 0, level = 0;

  friend bool operator<(const Due &a, const Due &b) { return std::tie(a.turn, a.level) < std::tie(b.turn, b.level); }
};

// What each step uses, as a dispatch without a shader, and who computes it as far as is known before shaders are built.
struct Uses {
  std::vector<DispatchDescription> ofStep;
  std::vector<bool> isForHost;

  LogicalResult add(Binder &binder, Operation *step) {
    DispatchDescription &use = ofStep.emplace_back();
    const bool isBound = hasShader(step) && errorOf(step->getContext(), [&]() -> LogicalResult {
                                              FailureOr<StepBindings> bound = binder.bind(step);
                                              if (succeeded(bound))
                                                use.bindings = std::move(bound->bindings);
                                              return bound;
                                            }).empty();
    isForHost.push_back(!isBound);
    if (isBound)
      return success();
    FailureOr<SmallVector<BindingDescription>> ranges = binder.usesOf(step);
    if (succeeded(ranges))
      use.bindings.assign(ranges->begin(), ranges->end());
    return ranges;
  }

  // Steps of the host keep their order: one may find the extents of another.
  bool waits(size_t step, size_t earlier) const {
    return (isForHost[step] && isForHost[earlier]) || conflict(ofStep[earlier], ofStep[step]);
  }
};

} // namespace

static FailureOr<Uses> usesOf(ArrayRef<PrintedStep> steps, BufferTable &buffers, const GpuOptions &options) {
  Binder binder(buffers, options);
  Uses uses;
  for (const PrintedStep &step : steps)
    if (hasShader(step.op))
      errorOf(step.op->getContext(), [&] { return binder.note(step.op); });
  for (const PrintedStep &step : steps)
    if (failed(uses.add(binder, step.op)))
      return failure();
  return uses;
}

static std::vector<Due> whenDue(const Uses &uses) {
  std::vector<Due> due;
  for (size_t i = 0; i < uses.ofStep.size(); ++i) {
    Due when{uses.isForHost[i], 0};
    for (size_t earlier = 0; earlier < i; ++earlier) {
      const Due &before = due[earlier];
      const bool isSameSide = uses.isForHost[earlier] == uses.isForHost[i];
      const Due behind = isSameSide ? Due{before.turn, before.level + 1} : Due{before.turn + 1, 0};
      if (when < behind && uses.waits(i, earlier))
        when = behind;
    }
    due.push_back(when);
  }
  return due;
}

FailureOr<bool> orderByLevels(ArrayRef<PrintedStep> steps, BufferTable &buffers, const GpuOptions &options) {
  const auto isInBranch = [](const PrintedStep &step) { return !isa<func::FuncOp>(step.op->getParentOp()); };
  if (llvm::any_of(steps, isInBranch))
    return false;
  FailureOr<Uses> uses = usesOf(steps, buffers, options);
  if (failed(uses))
    return failure();
  const std::vector<Due> due = whenDue(*uses);
  if (llvm::is_sorted(due))
    return false;
  auto order = llvm::to_vector(llvm::seq<size_t>(0, steps.size()));
  llvm::stable_sort(order, [&](size_t a, size_t b) { return due[a] < due[b]; });
  for (size_t step : order) // behind all views
    steps[step].op->moveBefore(steps[step].op->getBlock()->getTerminator());
  return true;
}

} // namespace aotc::codegen
