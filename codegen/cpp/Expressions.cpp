// Two passes: count how often each value is used, patterns such as relu seen as one op, then render the ops in order.
// What is used once goes where it is used, the rest into locals; so do the longest operands of what would be too long.
#include "codegen/cpp/Expressions.h"

#include "codegen/cpp/Elements.h"
#include "codegen/cpp/ExpressionPatterns.h"
#include "codegen/cpp/OperatorTable.h"
#include "ir/kern/Dialect.h"
#include "ir/kern/Literal.h"
#include "ir/kern/Vectors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using llvm::StringRef;

namespace aotc::codegen {

// Operands that make an expression longer are put in locals of their own.
static constexpr size_t longestExpression = 88;

static bool isNarrowFloat(Type type) { return isa<FloatType>(type) && type.getIntOrFloatBitWidth() < 32; }

//===-- the two passes --------------------------------------------------------------------------------------------===//

void ExpressionPrinter::bind(Value value, Expression expression, StringRef function) {
  bindings[value] = {std::move(expression), function.str()};
}

void ExpressionPrinter::bindLoad(BlockArgument argument, Expression expression, StringRef function) {
  if (isVector() && isNarrowFloat(argument.getType())) // a load of halves gives floats
    for (Operation *user : argument.getUsers())
      bind(user->getResult(0), expression, function);
  if (!isVector() || !argument.getType().isInteger(8))
    return bind(argument, std::move(expression), function);
  for (Operation *user : argument.getUsers()) {
    std::string typed = (function + (isa<arith::UIToFPOp>(user) ? "_u8" : "_i8")).str();
    bind(user->getResult(0), {typed + expression.text.substr(function.size())}, typed);
  }
}

void ExpressionPrinter::countUses(Value value) {
  if (useCounts[value]++ > 0 || bindings.count(value))
    return;
  Operation *op = value.getDefiningOp();
  if (!op)
    return;
  if (std::optional<CallPattern> pattern = findPattern(op))
    return countUses(pattern->operand);
  for (Value operand : op->getOperands())
    countUses(operand);
}

// A name or a literal: as short as a local would be.
static bool isShort(const Expression &expression) {
  return expression.precedence == Precedence::Primary && expression.text.find_first_of("( [") == std::string::npos;
}

static bool isLiteral(Value value) { return value.getDefiningOp<arith::ConstantOp>() != nullptr; }

// Whether the value is that of a byte, as it is or less a number: a count of steps of a scale.
static bool isSteps(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  std::optional<CallPattern> pattern = findPattern(op);
  bool isMoved = isa<arith::AddFOp, arith::SubFOp>(op) && isLiteral(op->getOperand(1));
  return kern::isFloatOfByte(op) || (pattern && pattern->function == "quantized_steps") ||
         (isMoved && isSteps(op->getOperand(0)));
}

// What to call a local that holds `value`. A dequantized number is the real one that its steps stand for.
static StringRef nounOf(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return "value";
  if (isSteps(value))
    return "steps";
  if (isa<arith::MulFOp>(op) && isLiteral(op->getOperand(1)) && isSteps(op->getOperand(0)))
    return "real";
  if (isa<kern::QuantizeOp>(op))
    return "byte";
  const OperatorRow *row = findOperator(op->getName().getStringRef());
  return findPattern(op)            ? StringRef("active")
         : row                      ? StringRef(row->noun)
         : isa<arith::SelectOp>(op) ? "choice"
                                    : "value";
}

void ExpressionPrinter::makeLocal(Value value, ExpressionBody &body) {
  Expression &expression = rendered[value];
  if (isShort(expression) || value.getDefiningOp<arith::ConstantOp>()) // a literal is written out at each use
    return;
  std::string name = locals.addIdentifier(nounOf(value));
  body.statements.push_back("const auto " + name + " = " + expression.text + ";");
  expression = {name};
}

void ExpressionPrinter::define(Value value, Expression expression, ExpressionBody &body) {
  rendered[value] = std::move(expression);
  if (useCounts.lookup(value) > 1)
    makeLocal(value, body);
}

void ExpressionPrinter::shortenOperands(Operation *op, ExpressionBody &body) {
  SmallVector<Value> operands = llvm::to_vector(op->getOperands());
  if (std::optional<CallPattern> pattern = findPattern(op))
    operands = {pattern->operand};
  llvm::erase_if(operands, [&](Value value) { return !rendered.count(value) || isShort(rendered[value]); });
  auto lengthOf = [&](Value value) { return rendered[value].text.size(); };
  llvm::stable_sort(operands, [&](Value a, Value b) { return lengthOf(a) > lengthOf(b); });
  size_t length = op->getName().stripDialect().size() + 2;
  for (Value value : op->getOperands())
    length += rendered.count(value) ? lengthOf(value) + 3 : 8;
  for (Value value : operands) {
    if (length <= longestExpression)
      return;
    length -= lengthOf(value);
    makeLocal(value, body);
    length += lengthOf(value);
  }
}

FailureOr<ExpressionBody> ExpressionPrinter::print(Block &block) {
  Operation *terminator = block.getTerminator();
  for (Value result : terminator->getOperands())
    countUses(result);
  ExpressionBody body;
  for (BlockArgument arg : block.getArguments()) {
    auto binding = bindings.find(arg);
    if (!useCounts.lookup(arg) || binding == bindings.end())
      continue;
    if (!binding->second.function.empty())
      uses.insert(binding->second.function);
    define(arg, binding->second.expression, body);
  }
  for (Operation &op : block.without_terminator()) {
    if (llvm::none_of(op.getResults(), [&](Value result) { return useCounts.lookup(result) > 0; }))
      continue;
    if (auto binding = bindings.find(op.getResult(0)); binding != bindings.end()) {
      uses.insert(binding->second.function);
      define(op.getResult(0), binding->second.expression, body);
      continue;
    }
    shortenOperands(&op, body);
    FailureOr<Expression> expression = render(&op);
    if (failed(expression))
      return failure();
    define(op.getResult(0), *expression, body);
  }
  for (Value result : terminator->getOperands())
    body.results.push_back(operand(result, true));
  return body;
}

//===-- rendering -------------------------------------------------------------------------------------------------===//

static Expression literalExpression(TypedAttr value) {
  std::string text = kern::literal(value).value_or("");
  return {text, text.empty() || text[0] != '-' ? Precedence::Primary : Precedence::Unary};
}

Expression ExpressionPrinter::operand(Value value, bool typed) {
  // Constants may stand outside of the region.
  auto constant = value.getDefiningOp<arith::ConstantOp>();
  if (!constant || bindings.count(value)) {
    auto binding = bindings.find(value);
    return binding != bindings.end() && !rendered.count(value) ? binding->second.expression : rendered.lookup(value);
  }
  Expression text = literalExpression(constant.getValue());
  if (!typed || !isVector() || value.getType().isInteger(1))
    return text;
  return {vectorType + "(" + text.text + ")"};
}

Expression ExpressionPrinter::call(StringRef function, ArrayRef<Value> operands) {
  uses.insert(function.str());
  std::string text = function.str() + "(";
  for (auto [i, value] : llvm::enumerate(operands))
    text += (i ? ", " : "") + operand(value, true).text;
  return {text + ")"};
}

Expression ExpressionPrinter::renderPattern(const CallPattern &pattern) {
  uses.insert(pattern.function.str());
  std::string text = pattern.function.str() + "(" + operand(pattern.operand, true).text;
  for (TypedAttr number : pattern.numbers)
    text += ", " + literalExpression(number).text;
  return {text + ")"};
}

Expression ExpressionPrinter::infix(Value left, StringRef symbol, Precedence precedence, Value right) {
  // Of two literals one must be a vector, or the result would be none.
  Expression l = operand(left, isLiteral(right)), r = operand(right, false);
  auto tighter = static_cast<Precedence>(static_cast<int>(precedence) + 1);
  // a + (b + c) reads better as b + c + a; both round alike.
  if ((symbol == "+" || symbol == "*") && r.precedence == precedence && l.precedence > precedence)
    std::swap(l, r);
  return {l.in(precedence) + " " + symbol.str() + " " + r.in(tighter), precedence};
}

static LogicalResult unprintable(Operation *op, bool onVectors) {
  return op->emitError() << "'" << op->getName() << "' has no C++ form"
                         << (onVectors ? " on vectors, which this epilogue works on" : "") << " for "
                         << op->getOperandTypes() << " -> " << op->getResultTypes();
}

// Narrow floats are only converted and passed on; integers of 4 bits fill a byte.
static bool hasForm(Operation *op) {
  bool takesNarrow =
      isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp, arith::SelectOp, arith::ConstantOp>(op);
  auto isKnown = [&](Type type) {
    return type.isIndex() || type.isInteger(4) || kern::hasArithmetic(type) || (takesNarrow && isNarrowFloat(type));
  };
  return op->getNumResults() == 1 && llvm::all_of(op->getOperandTypes(), isKnown) &&
         llvm::all_of(op->getResultTypes(), isKnown);
}

FailureOr<Expression> ExpressionPrinter::render(Operation *op) {
  if (!hasForm(op))
    return unprintable(op, false);
  if (std::optional<CallPattern> pattern = findPattern(op))
    return renderPattern(*pattern);
  if (isVector() && kern::isHalfOfFloat(op)) // the store rounds
    return operand(op->getOperand(0), true);
  if (isVector() && kern::isFloatOfByte(op)) // of a quantized one: in registers, bytes are integers of 32 bits
    return call("to_float", op->getOperand(0));
  if (isVector() && llvm::none_of(op->getOperandTypes(), [](Type type) { return type.isF32() || type.isF64(); }) &&
      !op->getResult(0).getType().isInteger(1) && !isa<arith::ConstantOp>(op))
    return unprintable(op, true);
  FailureOr<Expression> expression = findOperator(op->getName().getStringRef()) ? renderRow(op) : renderSpecial(op);
  if (failed(expression))
    return unprintable(op, isVector());
  return expression;
}

FailureOr<Expression> ExpressionPrinter::renderRow(Operation *op) {
  const OperatorRow &row = *findOperator(op->getName().getStringRef());
  Type type = op->getResult(0).getType();
  switch (row.form) {
  case OperatorRow::Infix:
    return infix(op->getOperand(0), row.text, row.precedence, op->getOperand(1));
  case OperatorRow::Prefix: {
    std::string inner = operand(op->getOperand(0), true).in(Precedence::Unary);
    return Expression{row.text + (inner[0] == '-' ? "(" + inner + ")" : inner), row.precedence};
  }
  case OperatorRow::Call: {
    if (type.isInteger(1))
      return failure(); // bool is no number
    return call(row.text, llvm::to_vector(op->getOperands()));
  }
  }
  llvm_unreachable("every form is handled");
}

FailureOr<Expression> ExpressionPrinter::renderSpecial(Operation *op) {
  if (isa<arith::ConstantOp>(op))
    return renderConstant(op);
  if (isa<arith::CmpFOp>(op))
    return renderCompareFloat(op);
  if (isa<arith::CmpIOp>(op) && !isVector())
    return renderCompareInteger(op);
  if (isa<arith::SelectOp>(op))
    return renderSelect(op);
  if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op))
    return renderLogic(op);
  if (auto index = dyn_cast<linalg::IndexOp>(op)) {
    if (index.getDim() < indices.size())
      return Expression{indices[index.getDim()]};
    return failure();
  }
  if (isa<kern::QuantizeOp>(op))
    return renderQuantize(op);
  if (isVector())
    return failure();
  return renderCast(op);
}

FailureOr<Expression> ExpressionPrinter::renderQuantize(Operation *op) {
  auto quantize = cast<kern::QuantizeOp>(op);
  uses.insert("quantized");
  FloatAttr zero;
  std::string text = "quantized(" + operand(quantize.getValue(), true).text + ", ";
  text += matchPattern(quantize.getZeroPoint(), m_Constant(&zero))
              ? std::to_string(static_cast<int>(zero.getValueAsDouble()))
              : operand(quantize.getZeroPoint(), true).text;
  for (uint64_t number : {quantize.getLow(), quantize.getHigh()})
    text += ", " + std::to_string(static_cast<int64_t>(number));
  text += ")";
  return Expression{isVector() ? text : "static_cast<" + cppType(op->getResult(0).getType()) + ">(" + text + ")"};
}

FailureOr<Expression> ExpressionPrinter::renderConstant(Operation *op) {
  TypedAttr value = cast<arith::ConstantOp>(op).getValue();
  if (!kern::literal(value))
    return failure();
  return literalExpression(value);
}

//===-- comparisons and selections --------------------------------------------------------------------------------===//

// The comparison of a predicate: a vector function and an operator, and whether the result is inverted. "unordered or
// less" is the opposite of "ordered and not less".
struct CompareRow {
  arith::CmpFPredicate predicate;
  const char *function, *symbol;
  bool inverted;
};
static constexpr CompareRow compareTable[] = {
    {arith::CmpFPredicate::OEQ, "eq", "==", false}, {arith::CmpFPredicate::UNE, "ne", "!=", false},
    {arith::CmpFPredicate::OLT, "lt", "<", false},  {arith::CmpFPredicate::OLE, "le", "<=", false},
    {arith::CmpFPredicate::OGT, "gt", ">", false},  {arith::CmpFPredicate::OGE, "ge", ">=", false},
    {arith::CmpFPredicate::ULT, "ge", ">=", true},  {arith::CmpFPredicate::ULE, "gt", ">", true},
    {arith::CmpFPredicate::UGT, "le", "<=", true},  {arith::CmpFPredicate::UGE, "lt", "<", true},
};

static Precedence comparisonPrecedence(StringRef symbol) {
  return symbol == "==" || symbol == "!=" ? Precedence::Equality : Precedence::Relational;
}

FailureOr<Expression> ExpressionPrinter::renderCompareFloat(Operation *op) {
  auto compare = cast<arith::CmpFOp>(op);
  const CompareRow *row =
      llvm::find_if(compareTable, [&](const CompareRow &entry) { return entry.predicate == compare.getPredicate(); });
  if (row == std::end(compareTable))
    return failure();
  if (isVector()) {
    Expression mask = call(row->function, {compare.getLhs(), compare.getRhs()});
    if (!row->inverted)
      return mask;
    uses.insert("invert");
    return Expression{"invert(" + mask.text + ")"};
  }
  Expression truth = infix(compare.getLhs(), row->symbol, comparisonPrecedence(row->symbol), compare.getRhs());
  return row->inverted ? Expression{"!(" + truth.text + ")", Precedence::Unary} : truth;
}

FailureOr<Expression> ExpressionPrinter::renderCompareInteger(Operation *op) {
  auto compare = cast<arith::CmpIOp>(op);
  static constexpr const char *symbols[] = {"==", "!=", "<", "<=", ">", ">=", "<", "<=", ">", ">="};
  StringRef symbol = symbols[static_cast<int>(compare.getPredicate())];
  Precedence precedence = comparisonPrecedence(symbol);
  bool isUnsigned = compare.getPredicate() >= arith::CmpIPredicate::ult;
  if (!isUnsigned || compare.getLhs().getType().isInteger(1))
    return infix(compare.getLhs(), symbol, precedence, compare.getRhs());
  return Expression{call("as_unsigned", {compare.getLhs()}).text + " " + symbol.str() + " " +
                        call("as_unsigned", {compare.getRhs()}).text,
                    precedence};
}

FailureOr<Expression> ExpressionPrinter::renderSelect(Operation *op) {
  if (isVector())
    return call("select", llvm::to_vector(op->getOperands()));
  return Expression{operand(op->getOperand(0), false).in(Precedence::Or) + " ? " +
                        operand(op->getOperand(1), false).in(Precedence::Or) + " : " +
                        operand(op->getOperand(2), false).in(Precedence::Or),
                    Precedence::Conditional};
}

// and, or, xor: on masks, on bools, on the bits of integers. Operands that are expressions of another kind get
// parentheses, as compilers ask for.
FailureOr<Expression> ExpressionPrinter::renderLogic(Operation *op) {
  Value left = op->getOperand(0), right = op->getOperand(1);
  bool isBool = left.getType().isInteger(1);
  if (kern::isNot(op)) {
    if (isVector())
      return call("invert", {left});
    return Expression{"!" + operand(left, false).in(Precedence::Unary), Precedence::Unary};
  }
  int row = isa<arith::AndIOp>(op) ? 0 : isa<arith::OrIOp>(op) ? 1 : 2;
  if (isVector()) {
    static constexpr const char *masks[] = {"both", "either", "differ"};
    return call(masks[row], {left, right});
  }
  static constexpr const char *symbols[2][3] = {{"&", "|", "^"}, {"&&", "||", "!="}};
  static constexpr Precedence precedences[2][3] = {{Precedence::BitAnd, Precedence::BitOr, Precedence::BitXor},
                                                   {Precedence::And, Precedence::Or, Precedence::Equality}};
  const Precedence least = isBool && row < 2 ? Precedence::Equality : Precedence::Unary;
  Expression text{operand(left, false).in(least) + " " + symbols[isBool][row] + " " + operand(right, false).in(least),
                  precedences[isBool][row]};
  if (isBool || left.getType().isIndex() || left.getType().getIntOrFloatBitWidth() >= 32)
    return text;
  return Expression{"static_cast<" + cppType(left.getType()) + ">(" + text.text + ")"};
}

//===-- conversions -----------------------------------------------------------------------------------------------===//

FailureOr<Expression> ExpressionPrinter::renderCast(Operation *op) {
  if (op->getNumOperands() != 1)
    return failure();
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  std::string inner = operand(op->getOperand(0), false).text;
  auto castTo = [&](const std::string &text) {
    if (!isNarrowFloat(to))
      return Expression{"static_cast<" + cppType(to) + ">(" + text + ")"};
    uses.insert("narrow");
    bool isInteger = isa<IntegerType>(from); // exact as a double, so that it is rounded once
    return Expression{"narrow<" + cppType(to) + ">(" + (isInteger ? "static_cast<double>(" + text + ")" : text) + ")"};
  };
  if (isNarrowFloat(from)) {
    Expression wide = call("widen", {op->getOperand(0)});
    return to.isF32() ? wide : castTo(wide.text);
  }
  if (isa<arith::ExtFOp, arith::TruncFOp, arith::SIToFPOp, arith::IndexCastOp>(op))
    return castTo(inner);
  if (isa<arith::UIToFPOp, arith::ExtUIOp, arith::IndexCastUIOp>(op))
    return castTo(from.isInteger(1) || from.isIndex() ? inner : call("as_unsigned", {op->getOperand(0)}).text);
  if (isa<arith::ExtSIOp>(op))
    return castTo(from.isInteger(1) ? operand(op->getOperand(0), false).in(Precedence::Or) + " ? -1 : 0" : inner);
  if (isa<arith::TruncIOp>(op)) {
    if (!to.isInteger(1))
      return castTo(inner);
    return Expression{"(" + operand(op->getOperand(0), false).in(Precedence::Unary) + " & 1) != 0",
                      Precedence::Equality};
  }
  if (isa<arith::FPToSIOp, arith::FPToUIOp>(op) && !to.isInteger(1)) {
    const std::string function = isa<arith::FPToUIOp>(op) ? "to_unsigned" : "to_integer";
    uses.insert(function);
    return Expression{function + "<" + cppType(to) + ">(" + inner + ")"};
  }
  return failure();
}

} // namespace aotc::codegen
