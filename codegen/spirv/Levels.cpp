#include "codegen/spirv/Levels.h"

#include "codegen/spirv/Bindings.h"

using namespace mlir;

namespace aotc::codegen {

// What each step is bound to, as dispatches without shaders.
static FailureOr<std::vector<DispatchDescription>> bindAll(ArrayRef<PrintedStep> steps, BufferTable &buffers,
                                                           const GpuOptions &options) {
  Binder binder(buffers, options);
  if (failed(binder.note(steps)))
    return failure();
  std::vector<DispatchDescription> dispatches;
  for (const PrintedStep &step : steps) {
    FailureOr<StepBindings> bound = binder.bind(step.op);
    if (failed(bound))
      return failure();
    dispatches.emplace_back().bindings = std::move(bound->bindings);
  }
  return dispatches;
}

static std::vector<size_t> levelsOf(ArrayRef<DispatchDescription> dispatches) {
  std::vector<size_t> levels(dispatches.size(), 0);
  for (size_t i = 0; i < dispatches.size(); ++i)
    for (size_t earlier = 0; earlier < i; ++earlier)
      if (levels[earlier] >= levels[i] && conflict(dispatches[earlier], dispatches[i]))
        levels[i] = levels[earlier] + 1;
  return levels;
}

FailureOr<bool> orderByLevels(ArrayRef<PrintedStep> steps, BufferTable &buffers, const GpuOptions &options) {
  FailureOr<std::vector<DispatchDescription>> dispatches = bindAll(steps, buffers, options);
  if (failed(dispatches))
    return failure();
  const std::vector<size_t> levels = levelsOf(*dispatches);
  if (llvm::is_sorted(levels))
    return false;
  auto order = llvm::to_vector(llvm::seq<size_t>(0, steps.size()));
  llvm::stable_sort(order, [&](size_t a, size_t b) { return levels[a] < levels[b]; });
  for (size_t step : order) // behind all views
    steps[step].op->moveBefore(steps[step].op->getBlock()->getTerminator());
  return true;
}

} // namespace aotc::codegen
