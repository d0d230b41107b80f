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
// The walk below collects steps; then they are named, since names depend on all of them, and printed.
#include "codegen/cpp/Program.h"

#include "codegen/cpp/ApiHeader.h"
#include "codegen/cpp/CHeader.h"
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
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using llvm::StringRef;

namespace aotc::codegen {

namespace {

// One model on its way from ops to files.
class ProgramPrinter {
public:
  ProgramPrinter(ModuleOp module, func::FuncOp function, ModelDescription model)
      : module(module), function(function), code(std::make_unique<GeneratedCode>()) {
    code->model = std::move(model);
  }

  FailureOr<std::unique_ptr<GeneratedCode>> print();

private:
  LogicalResult collectSteps(Block &block);
  LogicalResult placeWeights();
  LogicalResult printSteps();
  void describe();
  void describeWeights();
  void printFiles(StringRef run);
  LogicalResult printRunBody(llvm::raw_ostream &os, Block &block, unsigned depth);
  LogicalResult printBranch(llvm::raw_ostream &os, scf::IfOp branch, unsigned depth);
  LogicalResult printLoop(llvm::raw_ostream &os, scf::WhileOp loop, unsigned depth);
  LogicalResult collectCondition(Operation *op, Value condition);
  FailureOr<std::string> conditionText(Operation *op, Value condition);

  ModuleOp module;
  func::FuncOp function;
  std::unique_ptr<GeneratedCode> code;
  BufferTable buffers;
  std::optional<LayoutTable> layouts;
  std::vector<PrintedStep> steps;
  std::vector<std::pair<Value, int>> conditionReads;
  llvm::DenseMap<Operation *, size_t> indexOfStep;
};

} // namespace

//===-- steps -----------------------------------------------------------------------------------------------------===//

// Ops that only name memory or numbers, and are printed where they are used.
static bool isAddressing(Operation &op) {
  return isa<ViewLikeOpInterface, memref::GetGlobalOp, memref::LoadOp, memref::DimOp, arith::ConstantOp>(op) ||
         (isa<arith::AddIOp, arith::MulIOp, arith::DivUIOp>(op) && op.getResult(0).getType().isIndex());
}

// Whether there is one more iteration: what the loop's first region ends with.
static Value conditionOf(scf::WhileOp loop) { return loop.getConditionOp().getCondition(); }

LogicalResult ProgramPrinter::collectCondition(Operation *op, Value condition) {
  if (op->getNumResults())
    return op->emitError("a planned '") << op->getName() << "' has no results";
  if (auto load = condition.getDefiningOp<memref::LoadOp>())
    conditionReads.emplace_back(load.getMemref(), static_cast<int>(steps.size()));
  return success();
}

LogicalResult ProgramPrinter::collectSteps(Block &block) {
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

LogicalResult ProgramPrinter::placeWeights() {
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

LogicalResult ProgramPrinter::printSteps() {
  std::vector<StringRef> taken = {"Frame", "Part", "Step", "Model", "Session", "SessionOptions",
                                  "Vec",   "Sum",  "Max",  "Min",   "Product"};
  for (const std::vector<TensorDescription> *tensors : {&code->model.inputs, &code->model.outputs, &code->model.states})
    for (const TensorDescription &tensor : *tensors)
      taken.push_back(tensor.typeIdentifier);
  layouts.emplace(taken);
  StepPrinter printer(buffers, *layouts);
  for (PrintedStep &step : steps)
    if (failed(printer.print(step)))
      return failure();
  return success();
}

//===-- run() -----------------------------------------------------------------------------------------------------===//

// `*frame.at<bool>(4096)`: the session's file does not see the names of buffers.
FailureOr<std::string> ProgramPrinter::conditionText(Operation *op, Value condition) {
  auto load = condition.getDefiningOp<memref::LoadOp>();
  if (!load)
    return op->emitError("the condition of a planned '") << op->getName() << "' must be a 'memref.load'";
  FailureOr<Place> place = buffers.placeOf(load.getMemref(), load);
  if (failed(place))
    return failure();
  Count offset = place->offset;
  for (auto [index, stride] : llvm::zip(load.getIndices(), place->strides)) {
    FailureOr<Count> position = buffers.countOf(OpFoldResult(index), load);
    if (failed(position))
      return failure();
    offset = offset + *position * stride;
  }
  if (!offset.isConstant())
    return load.emitError("the place of a condition must be constant");
  const Buffer &buffer = *place->buffer;
  std::string more = offset.is(0) ? "" : "[" + offset.text() + "]";
  std::string star = more.empty() ? "*" : "";
  switch (buffer.kind) {
  case Buffer::Kind::Scratch: // no step leaves anything there
  case Buffer::Kind::Arena:
    return "*frame.at<bool>(" + std::to_string(buffer.offsetBytes + static_cast<uint64_t>(offset.bound())) + ")";
  case Buffer::Kind::Weight:
    return "*frame.weight<bool>(" + std::to_string(buffer.offsetBytes + static_cast<uint64_t>(offset.bound())) + ")";
  case Buffer::Kind::Input:
    return star + "frame.input<bool>(" + std::to_string(buffer.index) + ")" + more;
  case Buffer::Kind::Output:
    return star + "frame.output<bool>(" + std::to_string(buffer.index) + ")" + more;
  }
  llvm_unreachable("every kind of buffer is handled");
}

LogicalResult ProgramPrinter::printBranch(llvm::raw_ostream &os, scf::IfOp branch, unsigned depth) {
  FailureOr<std::string> condition = conditionText(branch, branch.getCondition());
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
  FailureOr<std::string> condition = conditionText(loop, conditionOf(loop));
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
    if (auto step = indexOfStep.find(&op); step != indexOfStep.end()) {
      printStepComment(os, code->model, step->second, 2 * depth);
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

void ProgramPrinter::describeWeights() {
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

void ProgramPrinter::describe() {
  for (PrintedStep &step : steps) {
    code->model.steps.push_back(step.description);
    StepFact &fact = code->steps.emplace_back();
    for (nn::NodeAttr node : nn::nodesOf(step.op->getLoc()))
      fact.nodes.push_back({node.getName().str(), node.getOp().str()});
    fact.kernel = step.function.empty() ? "loops" : step.function;
  }
  describeWeights();
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
  std::set<std::string> headers;
  for (const PrintedStep &step : steps)
    headers.merge(headersOf(step));
  headers.insert("aotc/kernels/config.hpp");
  for (const char *name : {"c_object", "checked", "element", "session", "step"})
    headers.insert(std::string("aotc/") + name + ".hpp");
  if (hasWeightsFile(code->model)) {
    headers.insert("aotc/weights_file.hpp");
    code->weightsHeader = weightsFileHeader(code->model);
  }
  code->shippedHeaders.assign(headers.begin(), headers.end());
}

void ProgramPrinter::printFiles(StringRef run) {
  const ModelDescription &model = code->model;
  auto file = [&](const std::string &path, llvm::function_ref<void(llvm::raw_ostream &)> print) {
    std::string text;
    llvm::raw_string_ostream os(text);
    print(os);
    code->files[path] = foldLines(text);
  };
  file("include/" + model.name + "/" + model.name + ".hpp", [&](auto &os) { printApiHeader(os, model); });
  file("include/" + model.name + "/" + model.name + ".h", [&](auto &os) { printCHeader(os, model); });
  std::string prefix = "src/" + model.name;
  file(prefix + ".cpp", [&](auto &os) { printSessionSource(os, model, [&](auto &body) { body << run; }); });
  file(prefix + "_layers.hpp", [&](auto &os) { printLayers(os, model, buffers, *layouts, steps); });
  file(prefix + "_checked.hpp", [&](auto &os) { printArenaUses(os, model, buffers); });
  std::vector<size_t> begins = splitIntoShards(llvm::map_to_vector(steps, [](const PrintedStep &s) { return s.cost; }));
  for (int shard = 0; shard < shardCount; ++shard)
    file(prefix + "_kernels_" + std::to_string(shard) + ".cpp", [&](auto &os) {
      printShard(os, model, steps, begins[static_cast<size_t>(shard)], begins[static_cast<size_t>(shard) + 1],
                 shard == 0);
    });
  code->files[prefix + "_weights.S"] = code->weights.assembly(model.name, model.weightsMode == WeightsMode::Embed);
}

FailureOr<std::unique_ptr<GeneratedCode>> ProgramPrinter::print() {
  Block &body = function.front();
  if (failed(buffers.collect(function, code->model)) || failed(collectSteps(body)))
    return failure();
  if (failed(nameSteps(steps, buffers)) || failed(noteUses(steps, conditionReads, buffers)) ||
      failed(nameBuffers(steps, buffers)) || failed(placeWeights()) || failed(printSteps()))
    return failure();
  describe();
  std::string run;
  llvm::raw_string_ostream runStream(run);
  if (failed(printRunBody(runStream, body, 1)))
    return failure();
  printFiles(run);
  return std::move(code);
}

FailureOr<std::unique_ptr<GeneratedCode>> printCpp(ModuleOp module, const CppOptions &options) {
  FailureOr<func::FuncOp> function = plannedFunction(module);
  if (failed(function))
    return failure();
  FailureOr<ModelDescription> model = describeModule(*function, options);
  if (failed(model))
    return failure();
  return ProgramPrinter(module, *function, std::move(*model)).print();
}

} // namespace aotc::codegen
