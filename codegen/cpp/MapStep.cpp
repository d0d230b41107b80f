// Element-wise ops as calls of map, map_scalar and copy.
#include "codegen/cpp/StepKinds.h"

#include "codegen/cpp/Elements.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using llvm::StringRef;

namespace aotc::codegen {

static std::vector<Count> valuesOf(ArrayRef<Count> counts) { return {counts.begin(), counts.end()}; }

static LayoutField rankField(size_t rank) { return {"rank", {static_cast<int64_t>(rank)}}; }

static void finish(PrintedStep &step, const StepFunction &function, StringRef kernel, StringRef header,
                   const LayoutUse &layout, const BufferTable &buffers) {
  step.definition = function.text(step.description.identifier);
  step.header = header.str();
  step.function = kernel.str();
  step.uses = function.uses;
  step.uses.insert(kernel.str());
  setUnits(step, kernel, layout, buffers);
}

//===-- copies ----------------------------------------------------------------------------------------------------===//

// nest: source, destination.
static void printCopyNest(PrintedStep &step, LoopNest nest, BufferTable &buffers, LayoutTable &layouts) {
  simplify(nest);
  const NestOperand &source = nest.operands[0], &target = nest.operands[1];
  std::vector<LayoutField> fields = {rankField(nest.extents.size())};
  if (!nest.extents.empty()) {
    fields.push_back({"extent", valuesOf(nest.extents), true});
    fields.push_back({"x_stride", valuesOf(source.strides), true});
    fields.push_back({"y_stride", valuesOf(target.strides), true});
  }
  LayoutUse layout = layouts.use(std::move(fields), step.description.identifier);
  StepFunction function(buffers);
  function.add(callText("copy", {layout.object, pointerText(source.place), pointerText(target.place), "part"}));
  finish(step, function, "copy", "copy", layout, buffers);
}

LogicalResult printCopy(PrintedStep &step, BufferTable &buffers, LayoutTable &layouts) {
  auto op = cast<memref::CopyOp>(step.op);
  FailureOr<Place> source = buffers.placeOf(op.getSource(), op), target = buffers.placeOf(op.getTarget(), op);
  if (failed(source) || failed(target))
    return failure();
  printCopyNest(step, copyNest(*source, *target), buffers, layouts);
  return success();
}

// The memref operand that a body passes on unchanged, by its position in the nest; -1 if it computes something.
static int copiedOperand(linalg::LinalgOp op) {
  auto argument = dyn_cast<BlockArgument>(op.getBlock()->getTerminator()->getOperand(0));
  if (!argument || argument.getOwner() != op.getBlock())
    return -1;
  int position = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    bool isMemref = isa<MemRefType>(operand.get().getType());
    if (op.getMatchingBlockArgument(&operand) == argument)
      return isMemref && op.isDpsInput(&operand) ? position : -1;
    position += isMemref;
  }
  return -1;
}

//===-- maps ------------------------------------------------------------------------------------------------------===//

static LayoutUse mapLayout(const LoopNest &nest, StringRef step, LayoutTable &layouts) {
  std::vector<LayoutField> fields = {rankField(nest.extents.size())};
  if (!nest.extents.empty()) {
    fields.push_back({"extent", valuesOf(nest.extents), true});
    fields.push_back({"y_stride", valuesOf(nest.operands.back().strides), true});
  }
  return layouts.use(std::move(fields), step);
}

static std::vector<std::string> indexTexts(const LoopNest &nest, ArrayRef<std::string> loops) {
  std::vector<std::string> texts;
  for (int loop : nest.loopOfDim)
    texts.push_back(loop < 0 ? "0" : loops[static_cast<size_t>(loop)]);
  return texts;
}

LogicalResult printMap(PrintedStep &step, BufferTable &buffers, LayoutTable &layouts) {
  auto op = cast<linalg::LinalgOp>(step.op);
  FailureOr<LoopNest> nest = loopNestOf(op, buffers);
  if (failed(nest))
    return failure();
  if (int source = copiedOperand(op); source >= 0) {
    nest->operands = {nest->operands[static_cast<size_t>(source)], nest->operands.back()};
    printCopyNest(step, *nest, buffers, layouts);
    return success();
  }
  simplify(*nest, op.hasIndexSemantics());
  Type element = nest->operands.back().place.element;
  Type vector;
  if (!nest->extents.empty() && nest->operands.back().strides.back().is(1) && !op.hasIndexSemantics())
    vector = vectorElement(*op.getBlock(), element);
  std::string vectorType = vector ? "Vec<" + cppType(vector) + ">" : "";

  StepFunction function(buffers);
  std::string lanes = function.locals.addIdentifier("lanes");
  std::vector<std::string> loops = loopNames(nest->extents.size(), function.locals);
  ExpressionPrinter printer(vectorType, function.locals, function.uses);
  printer.bindIndices(indexTexts(*nest, loops));
  if (failed(bindOperands(step, *nest, loops, vectorType, function, printer)))
    return failure();
  FailureOr<ExpressionBody> body = printer.print(*op.getBlock());
  if (failed(body))
    return failure();
  std::vector<std::pair<std::string, std::string>> parameters = {{"auto", lanes}};
  for (const std::string &loop : loops)
    parameters.emplace_back("int", loop);
  LayoutUse layout = mapLayout(*nest, step.description.identifier, layouts);
  StringRef kernel = vector ? "map" : "map_scalar";
  function.add(callText(
      kernel, {layout.object, pointerText(nest->operands.back().place), "part", lambdaText(parameters, *body)}));
  finish(step, function, kernel, "map", layout, buffers);
  step.cost = 1 + static_cast<int>(op.getBlock()->getOperations().size()) / 4;
  return success();
}

} // namespace aotc::codegen
