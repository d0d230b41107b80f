// A planned module on its way to files, as far as the road is the same for every printer: finds its steps and buffers,
// names them, places the weights, and says for reports what there is. What a step is printed as is a printer's.
#ifndef AOTC_CODEGEN_CPP_PLANNEDPROGRAM_H
#define AOTC_CODEGEN_CPP_PLANNEDPROGRAM_H

#include "codegen/cpp/Program.h"
#include "codegen/cpp/Steps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace aotc::codegen {

class PlannedProgram {
public:
  /// The module's function and what its attributes tell. `weights` is empty, and decides how constants are aligned.
  /// Fails with a diagnostic on a module of another form.
  static mlir::FailureOr<PlannedProgram> read(mlir::ModuleOp module, const CppOptions &options,
                                              WeightsFile weights = WeightsFile());

  /// Steps in order, all names, and the offsets of constants. Fails with a diagnostic at what cannot be a step.
  mlir::LogicalResult collect();

  /// Tells code.model, code.steps and code.buffers of the steps, once they are printed.
  void describe();

  /// Tells code of the shipped headers that its files include, `runtime` ("session" is aotc/session.hpp) and those of
  /// steps and weights; and of the start of a weights file. After describe().
  void describeHeaders(llvm::ArrayRef<llvm::StringRef> runtime);

  /// Writes what `print` prints as one of the files, lines folded.
  void addFile(const std::string &path, llvm::function_ref<void(llvm::raw_ostream &)> print);

  mlir::func::FuncOp function;
  std::unique_ptr<GeneratedCode> code = std::make_unique<GeneratedCode>();
  BufferTable buffers;
  std::vector<PrintedStep> steps;
  llvm::DenseMap<mlir::Operation *, size_t> indexOfStep;

private:
  mlir::LogicalResult collectCondition(mlir::Operation *op, mlir::Value condition);
  mlir::LogicalResult collectSteps(mlir::Block &block);
  mlir::LogicalResult placeWeights();
  void describeWeights();
  void describeBuffers();

  mlir::ModuleOp module;
  std::vector<std::pair<mlir::Value, int>> conditionReads;
};

/// Whether there is one more iteration: what the loop's first region ends with.
mlir::Value conditionOf(mlir::scf::WhileOp loop);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_PLANNEDPROGRAM_H
