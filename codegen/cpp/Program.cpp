// What a planned module looks like:
//
//     func.func @main(%arena: memref<152448xi8>, %in0: memref<1x32x32x3xf32> {aotc.name = "input_1"},
//                     %batch: index {aotc.dim = "batch", aotc.minimum = 1, aotc.maximum = 8})
//         -> (memref<1x10xf32> {aotc.name = "Identity"})
//         attributes {aotc.arena_bytes = 152448, aotc.bound_bytes = 131072, aotc.input_offsets = array<i64: 87856>} {
//       %0 = memref.view %arena[%c0][] : ...      buffers of the arena, and views of views
//       %1 = memref.get_global @conv1 : ...       weights
//       kern.conv2d ..., linalg.generic ..., memref.copy ...         the steps
//       scf.if %condition { steps } else { steps }                   %condition: a memref.load of an i1
//       scf.while { %condition } do { steps }
//       return %k
//     }
//
// The steps are collected and named by PlannedProgram; here they become functions, and run() calls them in order.
#include "codegen/cpp/Program.h"

#include "codegen/cpp/ApiHeader.h"
#include "codegen/cpp/CHeader.h"
#include "codegen/cpp/Conditions.h"
#include "codegen/cpp/PlannedProgram.h"
#include "codegen/cpp/SessionSource.h"
#include "codegen/cpp/SourceFiles.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using llvm::StringRef;

namespace aotc::codegen {

namespace {

// One model on its way from steps to files.
class ProgramPrinter {
public:
  explicit ProgramPrinter(PlannedProgram program)
      : program(std::move(program)), code(*this->program.code), buffers(this->program.buffers),
        steps(this->program.steps) {}

  FailureOr<std::unique_ptr<GeneratedCode>> print();

private:
  LogicalResult printSteps();
  void printFiles(StringRef run);
  LogicalResult printRunBody(llvm::raw_ostream &os, Block &block, unsigned depth);
  LogicalResult printBranch(llvm::raw_ostream &os, scf::IfOp branch, unsigned depth);
  LogicalResult printLoop(llvm::raw_ostream &os, scf::WhileOp loop, unsigned depth);

  PlannedProgram program;
  GeneratedCode &code;
  BufferTable &buffers;
  std::vector<PrintedStep> &steps;
  std::optional<LayoutTable> layouts;
};

} // namespace

LogicalResult ProgramPrinter::printSteps() {
  layouts.emplace(takenNames(code.model));
  StepPrinter printer(buffers, *layouts);
  for (PrintedStep &step : steps)
    if (failed(printer.print(step)))
      return failure();
  return success();
}

//===-- run() -----------------------------------------------------------------------------------------------------===//

LogicalResult ProgramPrinter::printBranch(llvm::raw_ostream &os, scf::IfOp branch, unsigned depth) {
  FailureOr<std::string> condition = conditionText(branch, branch.getCondition(), buffers);
  if (failed(condition))
    return failure();
  os.indent(2 * depth) << "if (" << *condition << ") {\n";
  if (failed(printRunBody(os, branch.getThenRegion().front(), depth + 1)))
    return failure();
  if (!branch.getElseRegion().empty()) {
    os.indent(2 * depth) << "} else {\n";
    if (failed(printRunBody(os, branch.getElseRegion().front(), depth + 1)))
      return failure();
  }
  os.indent(2 * depth) << "}\n" << (depth == 1 ? "\n" : "");
  return success();
}

// A step that failed may be the one that was to end the loop.
LogicalResult ProgramPrinter::printLoop(llvm::raw_ostream &os, scf::WhileOp loop, unsigned depth) {
  FailureOr<std::string> condition = conditionText(loop, conditionOf(loop), buffers);
  if (failed(condition))
    return failure();
  os.indent(2 * depth) << "while (" << *condition << " && !frame.failed()) {\n";
  if (failed(printRunBody(os, loop.getAfter().front(), depth + 1)))
    return failure();
  os.indent(2 * depth) << "}\n" << (depth == 1 ? "\n" : "");
  return success();
}

LogicalResult ProgramPrinter::printRunBody(llvm::raw_ostream &os, Block &block, unsigned depth) {
  for (Operation &op : block.without_terminator()) {
    if (auto step = program.indexOfStep.find(&op); step != program.indexOfStep.end()) {
      printStepComment(os, code.model, step->second, 2 * depth);
      os.indent(2 * depth) << "pool.run(steps[" << step->second << "], frame);\n";
      os << (depth == 1 ? "\n" : "");
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (failed(printBranch(os, branch, depth)))
        return failure();
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      if (failed(printLoop(os, loop, depth)))
        return failure();
    }
  }
  return success();
}

//===-- files -----------------------------------------------------------------------------------------------------===//

void ProgramPrinter::printFiles(StringRef run) {
  const ModelDescription &model = code.model;
  const std::string include = "include/" + model.name + "/" + model.name, source = "src/" + model.name;
  program.addFile(include + ".hpp", [&](auto &os) { printApiHeader(os, model); });
  program.addFile(include + ".h", [&](auto &os) { printCHeader(os, model); });
  program.addFile(source + ".cpp", [&](auto &os) { printSessionSource(os, model, [&](auto &body) { body << run; }); });
  program.addFile(source + "_layers.hpp", [&](auto &os) { printLayers(os, model, buffers, *layouts, steps); });
  program.addFile(source + "_checked.hpp", [&](auto &os) { printArenaUses(os, model, buffers); });
  std::vector<size_t> begins = splitIntoShards(llvm::map_to_vector(steps, [](const PrintedStep &s) { return s.cost; }));
  for (int shard = 0; shard < shardCount; ++shard)
    program.addFile(source + "_kernels_" + std::to_string(shard) + ".cpp", [&](auto &os) {
      printShard(os, model, steps, begins[static_cast<size_t>(shard)], begins[static_cast<size_t>(shard) + 1],
                 shard == 0);
    });
  code.files[source + "_weights.S"] = code.weights.assembly(model.name, model.weightsMode == WeightsMode::Embed);
}

FailureOr<std::unique_ptr<GeneratedCode>> ProgramPrinter::print() {
  if (failed(program.collect()) || failed(printSteps()))
    return failure();
  program.describe();
  program.describeHeaders({"c_object", "checked", "element", "session", "step"});
  std::string run;
  llvm::raw_string_ostream runStream(run);
  if (failed(printRunBody(runStream, program.function.front(), 1)))
    return failure();
  printFiles(run);
  return std::move(program.code);
}

FailureOr<std::unique_ptr<GeneratedCode>> printCpp(ModuleOp module, const CppOptions &options) {
  FailureOr<PlannedProgram> program = PlannedProgram::read(module, options);
  if (failed(program))
    return failure();
  return ProgramPrinter(std::move(*program)).print();
}

} // namespace aotc::codegen
