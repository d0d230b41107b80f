// Prints the bodies of epilogues and element-wise ops, regions of arith and math ops, as C++ expressions in the
// vocabulary of templates/kernels/{vec,math,scalar}.hpp. Prints no loops, and knows nothing of memory: what block
// arguments stand for is bound from outside.
#ifndef AOTC_CODEGEN_CPP_EXPRESSIONS_H
#define AOTC_CODEGEN_CPP_EXPRESSIONS_H

#include "codegen/cpp/Names.h"

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"

#include <set>

namespace aotc::codegen {

struct CallPattern;

/// How tightly an expression binds, as in C++.
enum class Precedence {
  Conditional,
  Or,
  And,
  BitOr,
  BitXor,
  BitAnd,
  Equality,
  Relational,
  Sum,
  Product,
  Unary,
  Primary
};

struct Expression {
  std::string text;
  Precedence precedence = Precedence::Primary;

  /// The text, in parentheses where it binds less tightly than `least`.
  std::string in(Precedence least) const { return precedence < least ? "(" + text + ")" : text; }
};

/// Statements, one a line, and what the terminator's operands become.
struct ExpressionBody {
  std::vector<std::string> statements;
  std::vector<Expression> results;
};

class ExpressionPrinter {
public:
  /// vectorType: C++ type of a vector, such as "Vec<float>", or empty for a body on scalars. Names of locals are taken
  /// from `locals`; functions of namespace aotc that the text calls go to `uses`.
  ExpressionPrinter(std::string vectorType, NameTable &locals, std::set<std::string> &uses)
      : vectorType(std::move(vectorType)), locals(locals), uses(uses) {}

  /// What a block argument, or a value from outside, stands for. Whatever is no plain name is put in a local where it
  /// is used twice. A function of namespace aotc that the text calls is `function`, noted where the value is used.
  void bind(mlir::Value value, Expression expression, llvm::StringRef function = "");
  /// The same for an element in memory: on vectors, halves are read as floats, and bytes by the function of their kind.
  void bindLoad(mlir::BlockArgument argument, Expression expression, llvm::StringRef function);
  /// The results of linalg.index, by dimension.
  void bindIndices(std::vector<std::string> names) { indices = std::move(names); }

  /// Fails with a diagnostic at an op that has no C++ form.
  mlir::FailureOr<ExpressionBody> print(mlir::Block &block);

private:
  struct Binding {
    Expression expression;
    std::string function;
  };

  bool isVector() const { return !vectorType.empty(); }
  void countUses(mlir::Value value);
  /// Records what `value` is printed as: in a local where it is used more than once.
  void define(mlir::Value value, Expression expression, ExpressionBody &body);
  void makeLocal(mlir::Value value, ExpressionBody &body);
  void shortenOperands(mlir::Operation *op, ExpressionBody &body);
  mlir::FailureOr<Expression> render(mlir::Operation *op);
  mlir::FailureOr<Expression> renderRow(mlir::Operation *op);
  mlir::FailureOr<Expression> renderSpecial(mlir::Operation *op);
  mlir::FailureOr<Expression> renderCompareFloat(mlir::Operation *op);
  mlir::FailureOr<Expression> renderCompareInteger(mlir::Operation *op);
  mlir::FailureOr<Expression> renderSelect(mlir::Operation *op);
  mlir::FailureOr<Expression> renderLogic(mlir::Operation *op);
  mlir::FailureOr<Expression> renderQuantize(mlir::Operation *op);
  mlir::FailureOr<Expression> renderCast(mlir::Operation *op);
  mlir::FailureOr<Expression> renderConstant(mlir::Operation *op);

  Expression call(llvm::StringRef function, llvm::ArrayRef<mlir::Value> operands);
  Expression renderPattern(const CallPattern &pattern);
  Expression infix(mlir::Value left, llvm::StringRef symbol, Precedence precedence, mlir::Value right);
  /// The operand as it is, constants as literals; `typed` makes a vector of a literal where the body is on vectors.
  Expression operand(mlir::Value value, bool typed);

  std::string vectorType;
  NameTable &locals;
  std::set<std::string> &uses;
  std::vector<std::string> indices;
  llvm::DenseMap<mlir::Value, Binding> bindings;
  llvm::DenseMap<mlir::Value, Expression> rendered;
  llvm::DenseMap<mlir::Value, unsigned> useCounts;
};

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_EXPRESSIONS_H
