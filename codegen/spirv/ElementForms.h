// What shaders compute with.
#ifndef AOTC_CODEGEN_SPIRV_ELEMENTFORMS_H
#define AOTC_CODEGEN_SPIRV_ELEMENTFORMS_H

#include "mlir/IR/Operation.h"

namespace aotc::codegen {

/// What shaders have no form for: the element types of the step, be they of tensors or memrefs, or something that its
/// body does with them. Empty where they have.
llvm::StringRef missingForm(mlir::Operation *step);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_SPIRV_ELEMENTFORMS_H
