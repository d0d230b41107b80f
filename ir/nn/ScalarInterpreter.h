// Runs a scalar body (see Scalar.h) on constants. One definition of an op's arithmetic serves lowering and folding.
#ifndef AOTC_IR_NN_SCALAR_INTERPRETER_H
#define AOTC_IR_NN_SCALAR_INTERPRETER_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Value.h"
#include <vector>

namespace llvm {
struct fltSemantics;
}

namespace aotc::scalar {

// One scalar: `f` for float types (already rounded to them), `i` for integers (sign- or zero-extended as stored).
struct Number {
  double f = 0;
  int64_t i = 0;
};

// A straight-line body, decoded once and run for many elements.
class Interpreter {
public:
  // Decodes the ops of `block`, whose arguments are the inputs; nothing where it holds an op that is not known here.
  static std::optional<Interpreter> decode(mlir::Block &block, mlir::Value result);

  Number run(llvm::ArrayRef<Number> args);

private:
  struct Instruction {
    Number (*apply)(const Number *const *operands, unsigned bits);
    int target;
    int operands[3];
    unsigned bits;                     // of the result type; for comparisons, of the operands'
    const llvm::fltSemantics *rounded; // the format of a float result that double is too wide for; null elsewhere
  };
  std::vector<Instruction> code;
  std::vector<Number> registers;
  int resultRegister = 0;
  size_t argCount = 0;
};

} // namespace aotc::scalar

#endif
