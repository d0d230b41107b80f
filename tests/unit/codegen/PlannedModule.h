// Planned modules written by hand, printed as C++.
#pragma once
#include "codegen/cpp/Program.h"
#include "ir/kern/Dialect.h"
#include "ir/nn/Dialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"

namespace aotc::test {

/// For EXPECT_PRED2, which shows both.
inline bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

class PlannedModule {
public:
  explicit PlannedModule(const std::string &text) : context(registry()) {
    mlir::ScopedDiagnosticHandler handler(&context, [&](mlir::Diagnostic &diagnostic) {
      llvm::raw_string_ostream(diagnostics) << diagnostic << "\n";
      return mlir::success();
    });
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    if (!module)
      return;
    codegen::CppOptions options;
    options.name = "net";
    options.toolVersion = "0.1.0";
    if (auto printed = codegen::printCpp(*module, options); mlir::succeeded(printed))
      code = std::move(*printed);
  }

  /// The four files of steps, one behind the other.
  std::string steps() const {
    std::string text;
    for (int shard = 0; shard < 4 && code; ++shard)
      text += code->files["src/net_kernels_" + std::to_string(shard) + ".cpp"];
    return text;
  }
  std::string layers() const { return code ? code->files["src/net_layers.hpp"] : ""; }

  std::unique_ptr<codegen::GeneratedCode> code; ///< null where printing failed
  std::string diagnostics;

  static mlir::DialectRegistry registry() {
    mlir::DialectRegistry dialects;
    dialects.insert<nn::NNDialect, kern::KERNDialect, mlir::arith::ArithDialect, mlir::func::FuncDialect,
                    mlir::linalg::LinalgDialect, mlir::math::MathDialect, mlir::memref::MemRefDialect,
                    mlir::scf::SCFDialect>();
    return dialects;
  }

private:
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// A location of one ONNX node.
inline std::string node(const std::string &name, const std::string &op) {
  return "loc(fused<#nn.node<\"" + name + "\", \"" + op + "\", 17>>[unknown])";
}

/// A module with one element-wise step over vectors of `size`: `inputs` and `output` are element types, `body` is its
/// region, whose arguments are %a, %b, %c.
inline std::string elementwise(const std::vector<std::string> &inputs, const std::string &output,
                               const std::string &body, const std::string &size = "64") {
  static const char *names[] = {"a", "b", "c"};
  std::string arguments, maps, values, types, region;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const std::string type = "memref<" + size + "x" + inputs[i] + ">", comma = i ? ", " : "";
    arguments += ", %in" + std::to_string(i) + ": " + type + " {aotc.name = \"in" + std::to_string(i) + "\"}";
    maps += "affine_map<(d) -> (d)>, ";
    values += comma + "%in" + std::to_string(i);
    types += comma + type;
    region += std::string("%") + names[i] + ": " + inputs[i] + ", ";
  }
  const std::string type = "memref<" + size + "x" + output + ">";
  return "func.func @main(%arena: memref<4096xi8>" + arguments + ") -> (" + type + " {aotc.name = \"out\"}) {\n" +
         "  %zero = arith.constant 0 : index\n  %out = memref.view %arena[%zero][] : memref<4096xi8> to " + type +
         "\n  linalg.generic {indexing_maps = [" + maps +
         "affine_map<(d) -> (d)>], iterator_types = [\"parallel\"]} ins(" + values + " : " + types +
         ") outs(%out : " + type + ") {\n  ^bb0(" + region + "%y: " + output + "):\n" + body + "  } " + node("g", "F") +
         "\n  return %out : " + type + "\n}\n";
}

} // namespace aotc::test
