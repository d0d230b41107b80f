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

} // namespace aotc

#endif
