// Which op is printed how, and what all kinds of steps share.
#include "codegen/cpp/Steps.h"

#include "codegen/cpp/Elements.h"
#include "codegen/cpp/StepKinds.h"
#include "ir/kern/Dialect.h"
#include "ir/kern/Literal.h"
#include "ir/kern/Vectors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using llvm::SmallVector;
using llvm::StringRef;

namespace aotc::codegen {

bool isStep(Operation &op) { return isa<kern::KernelOp, linalg::LinalgOp, memref::CopyOp>(op); }

SmallVector<Value> memrefsOf(Operation *op) {
  SmallVector<Value> memrefs;
  for (Value operand : op->getOperands())
    if (isa<MemRefType>(operand.getType()))
      memrefs.push_back(operand);
  return memrefs;
}

// Whether the step is a map: one result, or several that its kernel can take.
static bool isMap(linalg::LinalgOp op) {
  Type element = cast<MemRefType>(op.getDpsInits().front().getType()).getElementType();
  auto hasElement = [&](Value init) { return cast<MemRefType>(init.getType()).getElementType() == element; };
  bool canBeSeveral = isa<FloatType>(element) && llvm::all_of(op.getDpsInits(), hasElement);
  return op.getNumParallelLoops() == op.getNumLoops() && (op.getNumDpsInits() == 1 || canBeSeveral);
}

static LogicalResult printAnyStep(PrintedStep &step, BufferTable &buffers, LayoutTable &layouts) {
  if (isa<kern::KernelOp>(step.op))
    return printKernel(step, buffers, layouts);
  if (isa<memref::CopyOp>(step.op))
    return printCopy(step, buffers, layouts);
  auto op = dyn_cast<linalg::LinalgOp>(step.op);
  if (!op)
    return step.op->emitError("'") << step.op->getName() << "' is no step that can be printed";
  if (isMap(op))
    return printMap(step, buffers, layouts);
  return printLoops(step, buffers);
}

LogicalResult StepPrinter::print(PrintedStep &step) {
  if (failed(printAnyStep(step, buffers, layouts)))
    return failure();
  for (StringRef name : {"infinity", "not_a_number", "Vec", "Sum", "Product", "Max", "Min"})
    if (mentions(step.definition, name))
      step.uses.insert(name.str());
  return success();
}

//===-- units -----------------------------------------------------------------------------------------------------===//

void setUnits(PrintedStep &step, std::string atBound, const std::string &actual, const BufferTable &buffers,
              const std::string &isEmpty) {
  step.units = std::move(atBound);
  if (step.units == actual && isEmpty.empty())
    return;
  std::string extents = extentDeclarations(buffers, isEmpty + " " + actual, "  ", "\n");
  std::string guard = isEmpty.empty() ? "" : "  if (" + isEmpty + ") return 0;\n";
  if (!extents.empty())
    step.countUnits = extents + guard + "  return " + actual + ";\n";
}

void setUnits(PrintedStep &step, StringRef kernel, const LayoutUse &layout, const BufferTable &buffers,
              const std::string &isEmpty) {
  std::string function = ("aotc::" + kernel + "_units(").str();
  setUnits(step, function + layout.atBound + ")", function + layout.object + ")", buffers, isEmpty);
}

//===-- names in bodies -------------------------------------------------------------------------------------------===//

static bool isNumber(Value value) { return value.getDefiningOp<arith::ConstantOp>() != nullptr; }

// Where the value goes: a half once it is an f32, a byte once it is a real number, which some numbers make of it.
static OpOperand &tellingUse(BlockArgument argument) {
  OpOperand *use = &*argument.use_begin();
  bool isOfByte = false;
  while (true) {
    Operation *user = use->getOwner();
    isOfByte |= kern::isFloatOfByte(user);
    bool isConverted = kern::isFloatOfByte(user) || kern::isFloatOfHalf(user);
    bool isDequantized = isOfByte && isa<arith::AddFOp, arith::SubFOp, arith::MulFOp>(user) &&
                         use->getOperandNumber() == 0 && isNumber(user->getOperand(1));
    if ((!isConverted && !isDequantized) || user->use_empty())
      return *use;
    use = &*user->use_begin();
  }
}

static bool isSingle(const Buffer &buffer) { return buffer.type.hasStaticShape() && buffer.type.getNumElements() == 1; }

std::string roleName(BlockArgument argument, const Buffer &buffer, StringRef other) {
  if (argument.use_empty())
    return other.str();
  const bool isWeight = buffer.kind == Buffer::Kind::Weight, hasRole = isWeight || other == "extra";
  OpOperand &use = tellingUse(argument);
  Operation *user = use.getOwner();
  const bool isSecond = use.getOperandNumber() == 1;
  if (hasRole && isa<arith::AddFOp, arith::AddIOp>(user))
    return isWeight ? "bias" : "skip";
  if (hasRole && isa<arith::MulFOp, arith::MulIOp>(user))
    return isWeight || isSingle(buffer) ? "scale" : "gate";
  if (hasRole && isa<arith::DivFOp, arith::DivSIOp>(user))
    return isSecond ? "divisor" : "dividend";
  if (isWeight && isSecond && isa<arith::SubFOp, arith::SubIOp>(user))
    return "shift";
  return isWeight ? "constant" : other.str();
}

std::vector<std::string> loopNames(size_t count, NameTable &locals) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i)
    names.push_back(locals.addIdentifier(std::string(1, static_cast<char>('i' + i % 14))));
  return names;
}

//===-- loads -----------------------------------------------------------------------------------------------------===//

static std::string scalarLoad(StringRef pointer, const std::string &offset) {
  return offset == "0" ? ("*" + pointer).str() : (pointer + "[" + offset + "]").str();
}

std::string loadText(StringRef pointer, ArrayRef<std::string> loops, ArrayRef<Count> strides, bool isVector,
                     std::string &function) {
  std::string offset = linearText(loops, strides);
  if (!isVector)
    return scalarLoad(pointer, offset);
  const Count inner = strides.empty() ? Count(0) : strides.back();
  function = inner.is(1) ? "load" : inner.is(0) ? "broadcast" : "load_strided";
  std::string text = function + "(" + pointer.str();
  if (offset != "0")
    text += StringRef(offset).starts_with("-") ? " - " + offset.substr(1) : " + " + offset;
  if (function == "load_strided")
    text += ", " + inner.text();
  return text + ", lanes)";
}

// "x" where there is no other input, else a, b, c and so on.
static std::string inputName(size_t position, bool isOnly) {
  return isOnly ? "x" : std::string(1, static_cast<char>('a' + position % 8));
}

LogicalResult bindOperands(PrintedStep &step, const LoopNest &nest, ArrayRef<std::string> loops, StringRef vectorType,
                           StepFunction &function, ExpressionPrinter &printer) {
  auto op = cast<linalg::LinalgOp>(step.op);
  bool isOnly = llvm::count_if(nest.operands, [](const NestOperand &operand) {
                  return operand.place.buffer->kind != Buffer::Kind::Weight;
                }) <= 1 + op.getNumDpsInits();
  size_t position = 0;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument argument = op.getMatchingBlockArgument(&operand);
    if (!isa<MemRefType>(operand.get().getType())) {
      auto constant = operand.get().getDefiningOp<arith::ConstantOp>();
      std::optional<std::string> text = constant ? kern::literal(constant.getValue()) : std::nullopt;
      if (!text)
        return op->emitError("a scalar operand must be a constant that C++ has a literal for");
      printer.bind(argument, {vectorType.empty() ? *text : (vectorType + "(" + *text + ")").str()});
      continue;
    }
    const NestOperand &steps = nest.operands[position];
    std::string wanted = inputName(position, isOnly);
    ++position;
    if (argument.use_empty())
      continue;
    std::string pointer = function.pointer(steps.place, roleName(argument, *steps.place.buffer, wanted));
    std::string load;
    std::string text = loadText(pointer, loops, steps.strides, !vectorType.empty(), load);
    printer.bindLoad(argument, {text, text[0] == '*' ? Precedence::Unary : Precedence::Primary}, load);
  }
  return success();
}

} // namespace aotc::codegen
