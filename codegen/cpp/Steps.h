// Prints the steps of a planned module: for each kern or linalg op, and each copy, a function and an entry of the step
// table. Does not put them into files.
#ifndef AOTC_CODEGEN_CPP_STEPS_H
#define AOTC_CODEGEN_CPP_STEPS_H

#include "codegen/cpp/Layouts.h"
#include "codegen/cpp/Values.h"

#include <set>

namespace aotc::codegen {

/// What is printed for one op, and what is known of it. `description.identifier` is the function's name.
struct PrintedStep {
  mlir::Operation *op = nullptr;
  StepDescription description;
  std::string definition;     ///< of the function
  std::string units;          ///< a constant expression: how many units, bounded dims at their bounds
  std::string countUnits;     ///< body of a function of the frame where that depends on actual extents, else empty
  std::string header;         ///< "conv2d" for aotc/kernels/conv2d.hpp; empty for plain loops
  std::string function;       ///< of namespace aotc, or empty
  std::set<std::string> uses; ///< names of namespace aotc in `definition`
  int cost = 1;               ///< of compiling it, in units of a copy
};

/// True for the ops that become steps.
bool isStep(mlir::Operation &op);

/// The memrefs that a step reads and writes. What it writes comes last, and may be several.
llvm::SmallVector<mlir::Value> memrefsOf(mlir::Operation *op);

/// Prints steps whose names are settled: identifiers of functions and buffers.
class StepPrinter {
public:
  StepPrinter(BufferTable &buffers, LayoutTable &layouts) : buffers(buffers), layouts(layouts) {}

  /// Fills in everything but the description of `step`. Fails with a diagnostic at an op that has no C++ form.
  mlir::LogicalResult print(PrintedStep &step);

private:
  BufferTable &buffers;
  LayoutTable &layouts;
};

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_STEPS_H
