// The passes of lowering/, one record each in Passes.td.
#ifndef AOTC_LOWERING_PASSES_H
#define AOTC_LOWERING_PASSES_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace aotc {

#define GEN_PASS_DECL
#include "lowering/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "lowering/Passes.h.inc"

// Kernels without a shader keep what they need on a processor.
std::unique_ptr<mlir::Pass> createArrangeForGpu(bool (*hasShader)(mlir::Operation *step));

} // namespace aotc

#endif
