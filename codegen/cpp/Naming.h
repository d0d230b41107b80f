// Names of steps, buffers and weights in generated code, from the ONNX nodes that they stand for.
#ifndef AOTC_CODEGEN_CPP_NAMING_H
#define AOTC_CODEGEN_CPP_NAMING_H

#include "codegen/cpp/Steps.h"

namespace aotc::codegen {

/// Names every step after the first node that it stands for, describes it, and counts its work. tables: names of the
/// tables of steps. Fails with a diagnostic on unknown memory.
mlir::LogicalResult nameSteps(std::vector<PrintedStep> &steps, BufferTable &buffers,
                              llvm::ArrayRef<std::string> tables);

/// Notes which steps use each buffer. reads: what is read before a step, not by it, such as conditions. Fails with a
/// diagnostic on unknown memory.
mlir::LogicalResult noteUses(const std::vector<PrintedStep> &steps, llvm::ArrayRef<std::pair<mlir::Value, int>> reads,
                             BufferTable &buffers);

/// Names buffers after the last node of the step that writes them, or after the step itself where it only prepares
/// memory for one; weights after the step that reads them and what they are to it: conv2d_2_weights, conv2d_2_bias.
/// Fails with a diagnostic on unknown memory.
mlir::LogicalResult nameBuffers(const std::vector<PrintedStep> &steps, BufferTable &buffers);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_NAMING_H
