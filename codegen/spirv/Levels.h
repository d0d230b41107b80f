// Which steps need not wait for each other.
#ifndef AOTC_CODEGEN_SPIRV_LEVELS_H
#define AOTC_CODEGEN_SPIRV_LEVELS_H

#include "codegen/spirv/GpuProgram.h"

namespace aotc::codegen {

/// Moves the steps of a planned function so that those of one dependency level stand together: a step's level is one
/// more than that of any earlier step that writes what it uses, or uses what it writes. So there are no more barriers
/// than levels, and memory that is used twice keeps its order. Where some steps have no shader, they come in turns with
/// the others, as few as that order allows. Branches and loops stay as they are. Returns whether any step moved: `steps`
/// and `buffers` then have to be read again. Fails with a diagnostic on memory that cannot be bound.
mlir::FailureOr<bool> orderByLevels(llvm::ArrayRef<PrintedStep> steps, BufferTable &buffers, const GpuOptions &options);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_SPIRV_LEVELS_H
