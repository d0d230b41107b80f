// Marks the layers that own quantization computes on integers; see Plan.h for what the marks are.
#include "lowering/Passes.h"
#include "lowering/precision/Plan.h"

namespace aotc {

#define GEN_PASS_DEF_PLANPRECISION
#include "lowering/Passes.h.inc"

namespace {

struct PlanPrecision : impl::PlanPrecisionBase<PlanPrecision> {
  using PlanPrecisionBase::PlanPrecisionBase;
  void runOnOperation() final {
    std::vector<std::string> patterns(keepFp32.begin(), keepFp32.end());
    precision::UnusedPatterns unused = precision::markLayers(getOperation(), precision, patterns);
    for (const std::string &pattern : unused.invalid)
      getOperation().emitError("'") << pattern << "' is no pattern";
    for (const std::string &pattern : unused.unmatched)
      getOperation().emitError("'") << pattern << "' matches no node";
    if (!unused.invalid.empty() || !unused.unmatched.empty())
      signalPassFailure();
  }
};

} // namespace

} // namespace aotc
