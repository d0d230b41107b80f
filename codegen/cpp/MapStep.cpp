// Element-wise ops and copies as calls of map, map_several, their forms on single elements, and copy.
#include "codegen/cpp/StepKinds.h"

#include "codegen/cpp/Elements.h"
#include "ir/kern/Dialect.h"
#include "ir/kern/Vectors.h"

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
  LayoutUse layout = layouts.use(std::move(fields), step.description.identifier, "Copy");
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
  if (op.getNumDpsInits() != 1)
    return -1;
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

static LayoutUse mapLayout(const LoopNest &nest, ArrayRef<NestOperand> targets, StringRef step, LayoutTable &layouts) {
  std::vector<LayoutField> fields = {rankField(nest.extents.size())};
  if (!nest.extents.empty()) {
    fields.push_back({"extent", valuesOf(nest.extents), true});
    fields.push_back({"y_stride", {}, true});
    for (const NestOperand &target : targets)
      llvm::append_range(fields.back().values, target.strides);
  }
  return layouts.use(std::move(fields), step, "Map");
}

// "x" of one, "several(x, y)" of more.
static std::string joined(ArrayRef<std::string> texts, StepFunction &function) {
  if (texts.size() == 1)
    return texts.front();
  function.uses.insert("several");
  return callText("several", texts, ")");
}

static std::string pointerTexts(ArrayRef<NestOperand> targets, StepFunction &function) {
  std::vector<std::string> texts;
  for (const NestOperand &target : targets)
    texts.push_back(pointerText(target.place));
  return joined(texts, function);
}

// The results of the body as one.
static void joinResults(ExpressionBody &body, StepFunction &function) {
  std::vector<std::string> texts;
  for (const Expression &result : body.results)
    texts.push_back(result.text);
  body.results = {{joined(texts, function)}};
}

// What the vectors hold that are computed; null where single elements are. One result is stored with a kernel that
// wants it contiguous; several are not made of bytes or halves.
static Type vectorOf(linalg::LinalgOp op, ArrayRef<NestOperand> targets) {
  Block &body = *op.getBlock();
  Type element = targets.front().place.element;
  bool isStorable = targets.size() > 1 ? element.getIntOrFloatBitWidth() >= 32 : targets.front().strides.back().is(1);
  Operation *last = body.getTerminator()->getOperand(0).getDefiningOp();
  if (last && (isa<kern::QuantizeOp>(last) || kern::isHalfOfFloat(last)))
    element = Float32Type::get(op->getContext());
  bool isVector = isStorable && !op.hasIndexSemantics() && kern::isVectorBody(body, element);
  return isVector ? element : Type();
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
  auto targets = ArrayRef<NestOperand>(nest->operands).take_back(static_cast<size_t>(op.getNumDpsInits()));
  Type vector = nest->extents.empty() ? Type() : vectorOf(op, targets);
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
  joinResults(*body, function);
  std::vector<std::pair<std::string, std::string>> parameters = {{"auto", lanes}};
  for (const std::string &loop : loops)
    parameters.emplace_back("int", loop);
  LayoutUse layout = mapLayout(*nest, targets, step.description.identifier, layouts);
  std::string kernel = std::string("map") + (targets.size() > 1 ? "_several" : "") + (vector ? "" : "_scalar");
  function.add(
      callText(kernel, {layout.object, pointerTexts(targets, function), "part", lambdaText(parameters, *body)}));
  finish(step, function, kernel, "map", layout, buffers);
  step.cost = 1 + static_cast<int>(op.getBlock()->getOperations().size()) / 4;
  return success();
}

} // namespace aotc::codegen
