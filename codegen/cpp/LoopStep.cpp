// Linalg ops that fold, or that have several results, as plain loops on scalars. The first parallel loop runs over the
// units of `part`; what is folded is kept in locals through the reduction loops.
#include "codegen/cpp/StepKinds.h"

#include "codegen/cpp/Elements.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace aotc::codegen {

namespace {

// The loops as text, grown from the outside in.
class LoopText {
public:
  void open(const std::string &index, const std::string &begin, const std::string &end, bool withBrace) {
    line("for (int " + index + " = " + begin + "; " + index + " < " + end + "; ++" + index + ")" +
         (withBrace ? " {" : ""));
    closers.push_back(withBrace);
  }
  void close() {
    bool withBrace = closers.back();
    closers.pop_back();
    if (withBrace)
      line("}");
  }
  void line(const std::string &statement) {
    text += (text.empty() ? "" : "\n") + std::string(2 * closers.size(), ' ') + statement;
  }
  std::string text;

private:
  std::vector<bool> closers;
};

// A destination: its pointer, and what the body's argument for it is called.
struct Target {
  std::string element; ///< y[i * 16 + j]
  std::string local;   ///< total
  std::string type;
  bool isRead;
};

} // namespace

static std::string elementText(const std::string &pointer, ArrayRef<std::string> loops, const NestOperand &operand) {
  std::string unused;
  return loadText(pointer, loops, operand.strides, false, unused);
}

// The first statements are the values, so that no destination changes before all of them are computed.
static std::vector<std::string> bodyStatements(const ExpressionBody &body, ArrayRef<std::string> targets,
                                               NameTable &locals) {
  std::vector<std::string> statements = body.statements, stores;
  for (auto [target, result] : llvm::zip(targets, body.results)) {
    if (body.results.size() == 1) {
      stores.push_back(target + " = " + result.text + ";");
      continue;
    }
    std::string next = locals.addIdentifier("next");
    statements.push_back("const auto " + next + " = " + result.text + ";");
    stores.push_back(target + " = " + next + ";");
  }
  llvm::append_range(statements, stores);
  return statements;
}

static std::vector<Target> declareTargets(linalg::LinalgOp op, const LoopNest &nest, ArrayRef<std::string> loops,
                                          StepFunction &function) {
  std::vector<Target> targets;
  size_t first = nest.operands.size() - static_cast<size_t>(op.getNumDpsInits());
  for (auto [i, operand] : llvm::enumerate(ArrayRef(nest.operands).drop_front(first))) {
    BlockArgument argument = op.getRegionOutputArgs()[i];
    std::string pointer = function.pointer(operand.place, "y", false);
    targets.push_back(
        {elementText(pointer, loops, operand), "", cppType(operand.place.element), !argument.use_empty()});
  }
  return targets;
}

LogicalResult printLoops(PrintedStep &step, BufferTable &buffers) {
  auto op = cast<linalg::LinalgOp>(step.op);
  FailureOr<LoopNest> nest = loopNestOf(op, buffers);
  if (failed(nest))
    return failure();
  simplify(*nest, op.hasIndexSemantics());
  size_t parallel = static_cast<size_t>(llvm::count(nest->isReduction, false)), depth = nest->extents.size();

  StepFunction function(buffers);
  std::vector<std::string> loops = loopNames(depth, function.locals);
  std::vector<Target> targets = declareTargets(op, *nest, loops, function);
  ExpressionPrinter printer("", function.locals, function.uses);
  std::vector<std::string> indices, destinations;
  for (int loop : nest->loopOfDim)
    indices.push_back(loop < 0 ? "0" : loops[static_cast<size_t>(loop)]);
  printer.bindIndices(indices);
  if (failed(bindOperands(step, *nest, loops, "", function, printer)))
    return failure();
  bool folds = parallel < depth;
  for (auto [target, argument] : llvm::zip(targets, op.getRegionOutputArgs())) {
    target.local = folds ? function.locals.addIdentifier("total") : target.element;
    destinations.push_back(target.local);
    printer.bind(argument, {target.local});
  }
  FailureOr<ExpressionBody> body = printer.print(*op.getBlock());
  if (failed(body))
    return failure();
  std::vector<std::string> statements = bodyStatements(*body, destinations, function.locals);

  LoopText text;
  for (size_t loop = 0; loop < parallel; ++loop)
    text.open(loops[loop], loop == 0 ? "part.begin" : "0", loop == 0 ? "part.end" : nest->extents[loop].text(true),
              loop + 1 == parallel && (folds || statements.size() > 1));
  for (const Target &target : targets)
    if (folds)
      text.line(target.type + " " + target.local + " = " + target.element + ";");
  for (size_t loop = parallel; loop < depth; ++loop)
    text.open(loops[loop], "0", nest->extents[loop].text(true), loop + 1 == depth && statements.size() > 1);
  for (const std::string &statement : statements)
    text.line(statement);
  for (size_t loop = parallel; loop < depth; ++loop)
    text.close();
  for (const Target &target : targets)
    if (folds)
      text.line(target.element + " = " + target.local + ";");
  for (size_t loop = 0; loop < parallel; ++loop)
    text.close();
  function.add(text.text);

  step.definition = function.text(step.description.identifier);
  step.uses = function.uses;
  Count units = parallel == 0 ? Count(1) : nest->extents[0];
  setUnits(step, std::to_string(units.bound()), units.text(), buffers);
  step.cost = 2;
  return success();
}

} // namespace aotc::codegen
