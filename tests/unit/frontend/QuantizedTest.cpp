// Quantized operators: which op they become, and what is refused. What they compute is tested by
// tests/e2e/run_quantized.py.
#include "ModelText.h"

#include "frontend/onnx/Importer.h"

#include "ir/nn/Dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

using namespace aotc::frontend;
namespace nn = aotc::nn;

namespace {

constexpr int uint8 = 2, int8 = 3, int32 = 6, float8 = 17;

std::string attribute(const std::string &name, int64_t value) {
  return "attribute { name: \"" + name + "\" type: INT i: " + std::to_string(value) + " } ";
}

std::string number(const std::string &name, float value) {
  return "initializer { name: \"" + name + "\" data_type: 1 float_data: " + std::to_string(value) + " } ";
}

/// Integers, 5 each.
std::string integers(const std::string &name, const std::vector<int> &dims, int elementType = int8) {
  std::string text = "initializer { name: \"" + name + "\" data_type: " + std::to_string(elementType);
  int count = 1;
  for (int dim : dims) {
    text += " dims: " + std::to_string(dim);
    count *= dim;
  }
  for (int i = 0; i < count; ++i)
    text += " int32_data: 5";
  return text + " } ";
}

struct QuantizedTest : testing::Test, Messages {
  bool import(const std::string &graph, int opset = 21) {
    onnx::ModelProto proto = modelFromText("graph { " + graph + "output { name: \"y\" } }", opset, /*irVersion=*/10);
    imported = importModel(proto, testing::TempDir(), {}, context, diagnostics);
    return imported.has_value();
  }
  template <class Op> int count() {
    int found = 0;
    imported->module->walk([&](Op) { ++found; });
    return found;
  }
  /// QLinearConv on x [1, channels, 6, 6], with weights that are an input where `isConstant` is not set.
  bool importConvolution(const std::vector<int> &weights, int channels, int64_t group, bool isConstant = true) {
    std::vector<std::string> dims;
    for (int dim : weights)
      dims.push_back(std::to_string(dim));
    std::string w = isConstant ? integers("w", weights) : valueText("input", "w", dims, int8);
    return import(
        valueText("input", "x", {"1", std::to_string(channels), "6", "6"}, uint8) + w + number("s", 0.5f) +
        integers("zx", {}, uint8) + integers("zw", {}) +
        nodeText("QLinearConv", {"x", "s", "zx", "w", "s", "zw", "s", "zx"}, {"y"}, attribute("group", group)));
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::optional<ImportedModel> imported;
};

TEST_F(QuantizedTest, convolutionOfConstantWeightsIsOneOp) {
  ASSERT_TRUE(importConvolution({16, 4, 3, 3}, 4, 1)) << text;
  EXPECT_EQ(count<nn::QuantizedConvOp>(), 1);
}

TEST_F(QuantizedTest, narrowGroupsAreOneOpToo) {
  ASSERT_TRUE(importConvolution({4, 1, 3, 3}, 4, 4)) << text;
  EXPECT_EQ(count<nn::QuantizedConvOp>(), 1);
}

TEST_F(QuantizedTest, weightsThatAreAnInputStayIntegers) {
  ASSERT_TRUE(importConvolution({16, 4, 1, 1}, 4, 1, /*isConstant=*/false)) << text;
  EXPECT_EQ(count<nn::IntegerConvOp>(), 1);
}

TEST_F(QuantizedTest, zeroPointsOfWholeBatchesAreTakenOffBefore) {
  ASSERT_TRUE(import(valueText("input", "a", {"2", "3", "4"}, uint8) + valueText("input", "z", {"2", "3", "1"}, uint8) +
                     integers("b", {4, 5}) + nodeText("MatMulInteger", {"a", "b", "z"}, {"y"})))
      << text;
  EXPECT_EQ(count<nn::IntegerMatMulOp>(), 1);
  EXPECT_EQ(count<nn::SubOp>(), 1);
}

TEST_F(QuantizedTest, blocksMustHaveScales) {
  EXPECT_FALSE(
      import(valueText("input", "x", {"2", "6"}) + valueText("input", "s", {"2", "3"}) +
             nodeText("QuantizeLinear", {"x", "s"}, {"y"}, attribute("axis", 1) + attribute("block_size", 4))));
  EXPECT_CONTAINS(text, "scale must have shape f32 [2,2], found f32 [2,3]");
}

TEST_F(QuantizedTest, blocksThatDoNotDivideTheAxis) {
  ASSERT_TRUE(import(valueText("input", "x", {"2", "7"}) + valueText("input", "s", {"2", "3"}) +
                     nodeText("QuantizeLinear", {"x", "s"}, {"y"}, attribute("axis", 1) + attribute("block_size", 3))))
      << text;
  EXPECT_EQ(count<nn::QuantizeOp>(), 2);
}

TEST_F(QuantizedTest, typesThatNothingIsQuantizedTo) {
  EXPECT_FALSE(import(valueText("input", "x", {"2"}) + number("s", 1) + integers("z", {}, int32) +
                      nodeText("QuantizeLinear", {"x", "s", "z"}, {"y"})));
  EXPECT_CONTAINS(text, "must be of an integer of 4, 8 or 16 bits or of an 8-bit float");
}

TEST_F(QuantizedTest, eightBitFloatsHaveNoZeroPoint) {
  EXPECT_FALSE(import(valueText("input", "x", {"2"}, float8) + number("s", 1) + integers("z", {}, float8) +
                      nodeText("DequantizeLinear", {"x", "s", "z"}, {"y"})));
  EXPECT_CONTAINS(text, "zero points of 8-bit floats must be 0");
}

TEST_F(QuantizedTest, attentionNeedsHeadsThatDivide) {
  EXPECT_FALSE(import(
      valueText("input", "q", {"1", "4", "10"}) +
          nodeText("Attention", {"q", "q", "q"}, {"y"}, attribute("q_num_heads", 3) + attribute("kv_num_heads", 3)),
      23));
  EXPECT_CONTAINS(text, "has no 3 heads of one size");
}

} // namespace
