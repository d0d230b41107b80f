// Operators on numbers and along axes as nn ops: constant exponents, bits, reductions by type, losses; what is refused.
#include "ModelText.h"

#include "frontend/onnx/Importer.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

using namespace aotc::frontend;

namespace {

enum Element { f32 = 1, u8 = 2, i8 = 3, i32 = 6, i64 = 7, boolean = 9, f64 = 11, u64 = 13 };

std::string intText(const std::string &name, int64_t value) {
  return "attribute { name: \"" + name + "\" type: INT i: " + std::to_string(value) + " } ";
}
std::string stringText(const std::string &name, const std::string &value) {
  return "attribute { name: \"" + name + "\" type: STRING s: \"" + value + "\" } ";
}
std::string scalarText(const std::string &name, const std::string &value) {
  return "initializer { name: \"" + name + "\" data_type: 1 float_data: " + value + " } ";
}
std::string indexText(const std::string &name, int64_t value) {
  return "initializer { name: \"" + name + "\" data_type: 7 dims: 1 int64_data: " + std::to_string(value) + " } ";
}

struct ArithmeticTest : testing::Test, Messages {
  /// The module of one node, printed, with the inputs x and y (a second one of that type unless `more` defines y).
  std::string import(const std::string &op, int element, const std::string &attributes = "",
                     const std::string &more = "", bool isBinary = false, int opset = 18) {
    text.clear();
    std::string graph = valueText("input", "x", {"2", "3", "4"}, element) + more;
    if (isBinary && more.empty())
      graph += valueText("input", "y", {"2", "3", "4"}, element);
    std::vector<std::string> inputs{"x"};
    if (isBinary)
      inputs.push_back("y");
    graph += nodeText(op, inputs, {"z"}, attributes) + "output { name: \"z\" } ";
    onnx::ModelProto proto = modelFromText("graph { " + graph + " }", opset);
    imported = importModel(proto, testing::TempDir(), {}, context, diagnostics);
    if (!imported)
      return "";
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    imported->module->print(stream);
    return printed;
  }
  std::string importPower(const std::string &exponent) {
    return import("Pow", f32, "", scalarText("y", exponent), true);
  }

  int countOps(llvm::StringRef name) {
    int count = 0;
    imported->module->walk([&](mlir::Operation *op) { count += op->getName().getStringRef() == name; });
    return count;
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::optional<ImportedModel> imported;
};

TEST_F(ArithmeticTest, constantExponentsAreMultipliedOut) {
  EXPECT_CONTAINS(importPower("2"), "nn.mul %arg0, %arg0");
  importPower("3");
  EXPECT_EQ(countOps("nn.mul"), 2);
  EXPECT_CONTAINS(importPower("0.5"), "nn.sqrt");
  EXPECT_CONTAINS(importPower("-1"), "nn.div");
  importPower("1");
  EXPECT_EQ(countOps("nn.pow"), 0);
  EXPECT_CONTAINS(importPower("2.5"), "nn.pow");
  EXPECT_CONTAINS(import("Pow", i32, "", scalarText("y", "0.5"), true), "nn.pow"); // no root of an integer
  EXPECT_EQ(text, "");
}

TEST_F(ArithmeticTest, exponentsThatAddDimensionsStay) {
  std::string wide = "initializer { name: \"y\" data_type: 1 dims: 1 dims: 1 dims: 1 dims: 1 float_data: 2 } ";
  EXPECT_CONTAINS(import("Pow", f32, "", wide, true), "-> tensor<1x2x3x4xf32>");
  EXPECT_EQ(countOps("nn.pow"), 1);
}

TEST_F(ArithmeticTest, remaindersByTheirSign) {
  EXPECT_CONTAINS(import("Mod", i8, "", "", true), "nn.modulo");
  EXPECT_CONTAINS(import("Mod", i8, intText("fmod", 1), "", true), "nn.remainder");
  EXPECT_CONTAINS(import("Mod", f32, intText("fmod", 1), "", true), "nn.remainder");
  EXPECT_EQ(import("Mod", f32, "", "", true), "");
  EXPECT_CONTAINS(text, "'fmod' must be 1 for floats before opset 28, found 0");
  EXPECT_CONTAINS(import("Mod", f32, "", "", true, 28), "nn.modulo");
}

TEST_F(ArithmeticTest, bits) {
  EXPECT_CONTAINS(import("BitShift", u8, stringText("direction", "LEFT"), "", true), "nn.shift_left");
  EXPECT_CONTAINS(import("BitShift", u64, stringText("direction", "RIGHT"), "", true), "nn.shift_right");
  EXPECT_EQ(import("BitShift", u8, stringText("direction", "UP"), "", true), "");
  EXPECT_CONTAINS(text, "'direction' must be \"LEFT\" or \"RIGHT\", found \"UP\"");
  EXPECT_CONTAINS(import("BitShift", i8, stringText("direction", "RIGHT"), "", true, 28), "nn.shift_right");
  EXPECT_EQ(import("BitShift", f32, stringText("direction", "LEFT"), "", true), "");
  EXPECT_CONTAINS(import("BitwiseNot", i64), "nn.not");
  EXPECT_EQ(import("BitwiseAnd", f32, "", "", true), "");
}

TEST_F(ArithmeticTest, reductionsOfOtherTypes) {
  std::string one = indexText("y", 1);
  std::string printed = import("ReduceMax", boolean, "", one, true, 20);
  EXPECT_CONTAINS(printed, "nn.reduce max");
  EXPECT_CONTAINS(printed, "tensor<2x1x4xui8>) -> tensor<2x1x4xi1>");
  EXPECT_CONTAINS(import("ReduceMean", f32, "", one, true), "nn.reduce mean");
  printed = import("ReduceMean", i64, "", one, true);
  EXPECT_CONTAINS(printed, "nn.reduce sum");
  EXPECT_CONTAINS(printed, "dense<3> : tensor<i64>");
  EXPECT_CONTAINS(import("ReduceL2", i32, "", one, true), "tensor<2x1x4xf64>) -> tensor<2x1x4xi32>");
}

TEST_F(ArithmeticTest, placesOfExtrema) {
  EXPECT_CONTAINS(import("ArgMax", f32, intText("axis", -1) + intText("keepdims", 0)),
                  "nn.arg_reduce %arg0 {axis = 2 : i64, largest = true, last = false}");
  EXPECT_CONTAINS(import("ArgMin", u8, intText("select_last_index", 1)), "largest = false, last = true");
  EXPECT_CONTAINS(import("Hardmax", f64, intText("axis", 1)), "tensor<2x3x4xi1>) -> tensor<2x3x4xf64>");
  EXPECT_CONTAINS(import("Hardmax", f32, "", "", false, 11), "tensor<2x12xf32>"); // from axis 1 on together
}

TEST_F(ArithmeticTest, sumsAlongAnAxis) {
  EXPECT_CONTAINS(import("CumSum", i32, intText("exclusive", 1), indexText("y", -1), true),
                  "nn.cumulate sum %arg0 {axis = 2 : i64, exclusive = true, reverse = false}");
  EXPECT_EQ(import("CumSum", i32, "", indexText("y", 3), true), "");
  EXPECT_CONTAINS(text, "'axis' must be within the rank 3, found 3");
  EXPECT_EQ(import("CumSum", i64, "", valueText("input", "y", {}, i64), true), "");
  EXPECT_CONTAINS(text, "input 1 ('y') must be known when compiling");
}

TEST_F(ArithmeticTest, lossesNeedAClassForEachExample) {
  EXPECT_CONTAINS(import("NegativeLogLikelihoodLoss", f32, "", valueText("input", "y", {"2", "4"}, i64), true),
                  "-> tensor<f32>");
  EXPECT_EQ(import("NegativeLogLikelihoodLoss", f32, "", valueText("input", "y", {"2"}, i64), true), "");
  EXPECT_CONTAINS(text, "scores [N, C, …] and classes [N, …] must be given, found f32 [2,3,4] and i64 [2]");
}

} // namespace
