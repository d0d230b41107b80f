// The text of one step function as it grows: pointers, names, the call. Knows C++, not MLIR ops.
#ifndef AOTC_CODEGEN_CPP_STEPFUNCTION_H
#define AOTC_CODEGEN_CPP_STEPFUNCTION_H

#include "codegen/cpp/Expressions.h"
#include "codegen/cpp/Values.h"

#include <set>

namespace aotc::codegen {

class StepFunction {
public:
  explicit StepFunction(const BufferTable &buffers);

  /// A pointer to the first element of `place` in a local named like `wanted`; the same place gets the same local.
  std::string pointer(const Place &place, llvm::StringRef wanted, bool isConst = true);

  /// Adds a statement of one or more lines, none of them indented, the function's own indent excepted.
  void add(std::string statement) { statements.push_back(std::move(statement)); }

  /// The whole definition.
  std::string text(llvm::StringRef identifier) const;

  NameTable locals{{"f", "part"}};
  std::set<std::string> uses; ///< names of namespace aotc

private:
  struct Pointer {
    Place place;
    std::string name, declaration;
  };
  const BufferTable &buffers;
  std::vector<Pointer> pointers;
  std::vector<std::string> statements;
};

/// `function(a, b, c` in as few lines as fit behind `indent` columns, continued below the first argument, and closed by
/// `end`. A last argument of several lines, a lambda, may open on the line of the call.
std::string callText(llvm::StringRef function, llvm::ArrayRef<std::string> arguments, llvm::StringRef end = ");",
                     unsigned indent = 2);

/// `[=](auto sum, auto lanes, int c) { return ...; }`, on one line where it is short and has no statements of its own.
/// Parameters that the body does not name lose their names.
std::string lambdaText(llvm::ArrayRef<std::pair<std::string, std::string>> parameters, const ExpressionBody &body);

/// `const int batch = static_cast<int>(f.extents[0]);` for each bounded dim that `text` names, each behind `indent` and
/// followed by `end`.
std::string extentDeclarations(const BufferTable &buffers, llvm::StringRef text, llvm::StringRef indent,
                               llvm::StringRef end);

/// True if `text` contains `name` as a whole word.
bool mentions(llvm::StringRef text, llvm::StringRef name);

} // namespace aotc::codegen

#endif // AOTC_CODEGEN_CPP_STEPFUNCTION_H
