// The kinds of steps, each printed by a file of its own. For Steps.cpp only.
#ifndef AOTC_CODEGEN_CPP_STEPKINDS_H
#define AOTC_CODEGEN_CPP_STEPKINDS_H

#include "codegen/cpp/LoopNest.h"
#include "codegen/cpp/StepFunction.h"
#include "codegen/cpp/Steps.h"

namespace aotc::codegen {

/// A kern op: one call of its kernel.
mlir::LogicalResult printKernel(PrintedStep &step, BufferTable &buffers, LayoutTable &layouts);
/// An element-wise linalg op: a call of map, map_several, their scalar forms, or copy.
mlir::LogicalResult printMap(PrintedStep &step, BufferTable &buffers, LayoutTable &layouts);
/// A memref.copy: a call of copy.
mlir::LogicalResult printCopy(PrintedStep &step, BufferTable &buffers, LayoutTable &layouts);
/// Any other linalg op: plain loops on scalars, the outermost parallel one split among threads.
mlir::LogicalResult printLoops(PrintedStep &step, BufferTable &buffers);

/// Notes how many units a step has: at the bounds, and, where that is not constant, at the actual extents.
void setUnits(PrintedStep &step, std::string atBound, const std::string &actual, const BufferTable &buffers,
              const std::string &isEmpty = "");
/// Likewise for a kernel and its layout. There are none where `isEmpty`, a condition in C++, holds; "" never does.
void setUnits(PrintedStep &step, llvm::StringRef kernel, const LayoutUse &layout, const BufferTable &buffers,
              const std::string &isEmpty = "");

/// What to call the memory behind a block argument: "bias" and "skip" are added, "scale" and "gate" multiply, "shift"
/// is subtracted, "divisor" and "dividend" tell their place; `other` is anything else. Weights get the first of each
/// pair.
std::string roleName(mlir::BlockArgument argument, const Buffer &buffer, llvm::StringRef other);

/// Names for the loops of a nest, i, j, k and so on, taken from `locals`.
std::vector<std::string> loopNames(size_t count, NameTable &locals);

/// Binds the arguments of `block` that stand for memref operands of `nest` to loads through pointers, and those that
/// stand for scalars to literals. `lanes` is empty on scalars. Fails, with a diagnostic, on a scalar that is no
/// constant.
mlir::LogicalResult bindOperands(PrintedStep &step, const LoopNest &nest, llvm::ArrayRef<std::string> loops,
                                 llvm::StringRef vectorType, StepFunction &function, ExpressionPrinter &printer);

/// The load of an element or vector of `pointer` at the loops' position.
std::string loadText(llvm::StringRef pointer, llvm::ArrayRef<std::string> loops, llvm::ArrayRef<Count> strides,
                     bool isVector, std::string &function);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_STEPKINDS_H
