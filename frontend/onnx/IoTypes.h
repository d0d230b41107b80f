// Element types that a command line gives to inputs and outputs, in place of those that the model declares.
#pragma once

#include "frontend/onnx/Diagnostics.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/ArrayRef.h"

#include <map>
#include <optional>
#include <string>

namespace mlir {
class OpBuilder;
} // namespace mlir

namespace aotc::frontend {

/// "NAME=fp16" as on the command line: the name, and fp32, fp16 or bf16; nothing where it is otherwise.
std::optional<std::pair<std::string, std::string>> splitIoType(llvm::StringRef flag);

/// The models' own floats of 16 and 32 bits and those that callers see are converted where they meet.
class IoTypes {
public:
  /// Of flags that splitIoType() takes.
  explicit IoTypes(llvm::ArrayRef<std::string> flags);

  /// The element type that callers see of an input or output: `declared` where no flag names it.
  mlir::Type find(const std::string &name, mlir::Type declared, Diagnostics &diagnostics) const;
  /// `value` with elements of that type.
  static mlir::Value convert(mlir::OpBuilder &builder, mlir::Value value, mlir::Type element);
  /// A usage error for each flag that names no input and no output. False if there is one.
  bool checkAllUsed(Diagnostics &diagnostics) const;

private:
  struct Wanted {
    std::string type;
    mutable bool isUsed = false;
  };
  std::map<std::string, Wanted> types;
};

} // namespace aotc::frontend
