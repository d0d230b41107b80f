// The walk collects steps; then they are named, since names depend on all of them.
#include "codegen/cpp/PlannedProgram.h"

#include "codegen/cpp/ApiHeader.h"
#include "codegen/cpp/Elements.h"
#include "codegen/cpp/Lines.h"
#include "codegen/cpp/ModuleFacts.h"
#include "codegen/cpp/Naming.h"
#include "codegen/cpp/SessionSource.h"
#include "codegen/cpp/SourceFiles.h"
#include "codegen/cpp/Text.h"
#include "ir/nn/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;

namespace aotc::codegen {

FailureOr<PlannedProgram> PlannedProgram::read(ModuleOp module, const CppOptions &options, WeightsFile weights) {
  FailureOr<func::FuncOp> function = plannedFunction(module);
  if (failed(function))
    return failure();
  FailureOr<ModelDescription> model = describeModule(*function, options);
  if (failed(model))
    return failure();
  PlannedProgram program;
  program.module = module;
  program.function = *function;
  program.code->model = std::move(*model);
  program.code->weights = std::move(weights);
  return program;
}

//===-- steps -----------------------------------------------------------------------------------------------------===//

// Ops that only name memory or numbers, and are printed where they are used.
static bool isAddressing(Operation &op) {
  return isa<ViewLikeOpInterface, memref::GetGlobalOp, memref::LoadOp, memref::DimOp, arith::ConstantOp>(op) ||
         (isa<arith::AddIOp, arith::MulIOp, arith::DivUIOp>(op) && op.getResult(0).getType().isIndex());
}

Value conditionOf(scf::WhileOp loop) { return loop.getConditionOp().getCondition(); }

LogicalResult PlannedProgram::collectCondition(Operation *op, Value condition) {
  if (op->getNumResults())
    return op->emitError("a planned '") << op->getName() << "' has no results";
  if (auto load = condition.getDefiningOp<memref::LoadOp>())
    conditionReads.emplace_back(load.getMemref(), static_cast<int>(steps.size()));
  return success();
}

LogicalResult PlannedProgram::collectSteps(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (isStep(op)) {
      indexOfStep[&op] = steps.size();
      buffers.addScratch(&op);
      steps.emplace_back().op = &op;
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (failed(collectCondition(branch, branch.getCondition())))
        return failure();
      for (Region *region : {&branch.getThenRegion(), &branch.getElseRegion()})
        if (!region->empty() && failed(collectSteps(region->front())))
          return failure();
    } else if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      if (failed(collectCondition(loop, conditionOf(loop))) || failed(collectSteps(loop.getAfter().front())))
        return failure();
    } else if (!isAddressing(op)) {
      return op.emitError("'") << op.getName() << "' is no step that can be printed";
    }
  }
  return success();
}

LogicalResult PlannedProgram::placeWeights() {
  for (Buffer &buffer : buffers.all()) {
    if (buffer.kind != Buffer::Kind::Weight)
      continue;
    FailureOr<uint64_t> offset = appendGlobal(module, buffer.symbol, code->weights, function);
    if (failed(offset))
      return failure();
    buffer.offsetBytes = *offset;
  }
  if (failed(appendDefaults(function, code->model, code->weights)))
    return failure();
  code->model.weightsBytes = code->weights.sizeBytes();
  code->model.weightsHash = code->model.weightsBytes ? code->weights.sha256() : "";
  return success();
}

LogicalResult PlannedProgram::collect() {
  auto tables = llvm::map_to_vector(code->model.levels, [](const Level &level) { return "steps_" + level.name; });
  if (failed(buffers.collect(function, code->model)) || failed(collectSteps(function.front())) ||
      failed(nameSteps(steps, buffers, tables)) || failed(noteUses(steps, conditionReads, buffers)) ||
      failed(nameBuffers(steps, buffers)))
    return failure();
  return placeWeights();
}

//===-- what there is ---------------------------------------------------------------------------------------------===//

void PlannedProgram::describeWeights() {
  std::vector<uint64_t> most(steps.size(), 0);
  for (const Buffer &buffer : buffers.all())
    for (int step : buffer.kind == Buffer::Kind::Weight ? ArrayRef<int>(buffer.steps) : ArrayRef<int>()) {
      auto index = static_cast<size_t>(step);
      std::optional<ElementType> element = elementTypeOf(buffer.type.getElementType(), false);
      if (buffer.bytes <= most[index] || !element)
        continue;
      most[index] = buffer.bytes;
      code->steps[index].weights = elementText(*element).comment;
    }
}

void PlannedProgram::describeBuffers() {
  for (const Buffer &buffer : buffers.all()) {
    if (buffer.kind == Buffer::Kind::Weight)
      continue;
    if (buffer.kind == Buffer::Kind::Output)
      code->model.outputs[static_cast<size_t>(buffer.index)].arenaOffsetBytes = buffer.offsetBytes;
    BufferFact::Kind kind = buffer.kind == Buffer::Kind::Input    ? BufferFact::Kind::Input
                            : buffer.kind == Buffer::Kind::Output ? BufferFact::Kind::Output
                                                                  : BufferFact::Kind::Arena;
    code->buffers.push_back(
        {kind, buffer.identifier, buffer.shape, buffer.offsetBytes, buffer.bytes, buffer.firstStep, buffer.lastStep});
  }
}

void PlannedProgram::describe() {
  for (PrintedStep &step : steps) {
    code->model.steps.push_back(step.description);
    StepFact &fact = code->steps.emplace_back();
    for (nn::NodeAttr node : nn::nodesOf(step.op->getLoc()))
      fact.nodes.push_back({node.getName().str(), node.getOp().str()});
    fact.kernel = step.function.empty() ? "loops" : step.function;
  }
  describeWeights();
  describeBuffers();
}

void PlannedProgram::describeHeaders(ArrayRef<llvm::StringRef> runtime) {
  std::set<std::string> headers = {"aotc/kernels/config.hpp"};
  for (llvm::StringRef name : runtime)
    headers.insert(("aotc/" + name + ".hpp").str());
  for (const PrintedStep &step : steps)
    headers.merge(headersOf(step));
  if (hasWeightsFile(code->model)) {
    headers.insert("aotc/weights_file.hpp");
    code->weightsHeader = weightsFileHeader(code->model);
  }
  code->shippedHeaders.assign(headers.begin(), headers.end());
}

void PlannedProgram::addFile(const std::string &path, llvm::function_ref<void(llvm::raw_ostream &)> print) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(os);
  code->files[path] = foldLines(text);
}

} // namespace aotc::codegen
