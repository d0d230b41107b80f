// Operators as nn ops: opsets, expansion, folding, and what is refused.
#include "ModelText.h"

#include "frontend/onnx/Importer.h"

#include "ir/nn/Dialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/MLIRContext.h"

using namespace aotc::frontend;
namespace nn = aotc::nn;

namespace {

std::string attributeText(const std::string &name, const std::string &value) {
  return "attribute { name: \"" + name + "\" " + value + " } ";
}
std::string intText(const std::string &name, int64_t value) {
  return attributeText(name, "type: INT i: " + std::to_string(value));
}
std::string intsText(const std::string &name, const std::vector<int64_t> &values) {
  std::string text = "type: INTS";
  for (int64_t value : values)
    text += " ints: " + std::to_string(value);
  return attributeText(name, text);
}
std::string floatText(const std::string &name, const std::string &value) {
  return attributeText(name, "type: FLOAT f: " + value);
}
std::string stringText(const std::string &name, const std::string &value) {
  return attributeText(name, "type: STRING s: \"" + value + "\"");
}
/// An int64 initializer, a list.
std::string listText(const std::string &name, const std::vector<int64_t> &values) {
  std::string text = "initializer { name: \"" + name + "\" data_type: 7 dims: " + std::to_string(values.size());
  for (int64_t value : values)
    text += " int64_data: " + std::to_string(value);
  return text + " } ";
}
/// A float32 initializer of `count` elements, 1 each.
std::string weightsText(const std::string &name, const std::vector<int64_t> &dims) {
  std::string text = "initializer { name: \"" + name + "\" data_type: 1";
  int64_t count = 1;
  for (int64_t dim : dims) {
    text += " dims: " + std::to_string(dim);
    count *= dim;
  }
  for (int64_t i = 0; i < count; ++i)
    text += " float_data: 1";
  return text + " } ";
}
/// An output without a declared type.
std::string outputText(const std::string &name) { return "output { name: \"" + name + "\" } "; }

struct ImporterTest : testing::Test, Messages {
  /// The module, printed; empty after an error.
  std::string import(const std::string &graph, int opset = 17, const ImportOptions &options = {}) {
    onnx::ModelProto proto = modelFromText("graph { " + graph + " }", opset);
    imported = importModel(proto, testing::TempDir(), options, context, diagnostics);
    if (!imported)
      return "";
    std::string printed;
    llvm::raw_string_ostream stream(printed);
    mlir::OpPrintingFlags flags;
    flags.elideLargeResourceString(16);
    imported->module->print(stream, flags);
    return printed;
  }
  /// A model of one node with the input x.
  std::string importNode(const std::string &op, const std::vector<std::string> &dims,
                         const std::string &attributes = "", const std::vector<std::string> &more = {},
                         const std::string &initializers = "", int opset = 17) {
    std::vector<std::string> inputs{"x"};
    inputs.insert(inputs.end(), more.begin(), more.end());
    return import(valueText("input", "x", dims) + initializers + nodeText(op, inputs, {"y"}, attributes) +
                      outputText("y"),
                  opset);
  }
  int countOps(llvm::StringRef name) {
    int count = 0;
    imported->module->walk([&](mlir::Operation *op) { count += op->getName().getStringRef() == name; });
    return count;
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::optional<ImportedModel> imported;
};

using Dims = std::vector<std::string>;

// ------------------------------------------------------------------------------------------------------ one to one

TEST_F(ImporterTest, genericOpsTakeOperandsAndAttributes) {
  EXPECT_CONTAINS(importNode("Relu", {"2", "3"}), "nn.relu %arg0 : (tensor<2x3xf32>) -> tensor<2x3xf32>");
  EXPECT_CONTAINS(importNode("LeakyRelu", {"2"}, floatText("alpha", "0.5")), "alpha = 5.000000e-01 : f32");
  EXPECT_CONTAINS(importNode("Add", {"2", "3"}, "", {"w"}, weightsText("w", {3})),
                  "nn.add %arg0, %0 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>");
  EXPECT_EQ(text, "");
}

TEST_F(ImporterTest, opset6AlignsTheSecondOperandAsItsAttributesSay) {
  const std::string on = intText("broadcast", 1);
  EXPECT_CONTAINS(importNode("Add", {"2", "3", "4"}, on, {"w"}, weightsText("w", {3, 4}), 6),
                  "(tensor<2x3x4xf32>, tensor<3x4xf32>)");
  EXPECT_CONTAINS(importNode("Add", {"2", "3", "4"}, on + intText("axis", 1), {"w"}, weightsText("w", {3}), 6),
                  "(tensor<2x3x4xf32>, tensor<3x1xf32>)");
  EXPECT_CONTAINS(importNode("PRelu", {"2", "3", "4"}, "", {"w"}, weightsText("w", {3}), 6),
                  "(tensor<2x3x4xf32>, tensor<3x1xf32>)");
  EXPECT_EQ(text, "");
}

TEST_F(ImporterTest, opset6DoesNotBroadcastUnasked) {
  importNode("Add", {"2", "3"}, "", {"w"}, weightsText("w", {3}), 6);
  EXPECT_CONTAINS(text, "shapes must be equal where 'broadcast' is not 1, found f32 [2,3] and f32 [3]");
  importNode("Add", {"2", "3"}, intText("broadcast", 1) + intText("axis", 1), {"w"}, weightsText("w", {2}), 6);
  EXPECT_CONTAINS(text, "the second shape must be part of the first from 'axis' on, found f32 [2,3] and f32 [2]");
}

TEST_F(ImporterTest, namesOfInputsOutputsAndNodesAreKept) {
  std::string printed = importNode("Relu", {"2"});
  EXPECT_CONTAINS(printed, "@main(%arg0: tensor<2xf32> {nn.name = \"x\"}) -> (tensor<2xf32> {nn.name = \"y\"})");
  imported->module->walk([&](nn::ReluOp op) {
    llvm::SmallVector<nn::NodeAttr> nodes = nn::nodesOf(op.getLoc());
    ASSERT_EQ(nodes.size(), 1u);
    EXPECT_EQ(nodes[0].getName(), "Relu_node");
    EXPECT_EQ(nodes[0].getOp(), "Relu");
    EXPECT_EQ(nodes[0].getOpset(), 17);
  });
}

// ------------------------------------------------------------------------------------------------- windows and layout

TEST_F(ImporterTest, convolutionDefaultsAndAutoPad) {
  std::string weights = weightsText("w", {2, 1, 3, 2});
  EXPECT_CONTAINS(
      importNode("Conv", {"1", "1", "5", "5"}, "", {"w"}, weights),
      "dilations = array<i64: 1, 1>, group = 1 : i64, pads = array<i64: 0, 0, 0, 0>, strides = array<i64: 1, "
      "1>} : (tensor<1x1x5x5xf32>, tensor<2x1x3x2xf32>) -> tensor<1x2x3x4xf32>");
  std::string strides = intsText("strides", {2, 1});
  EXPECT_CONTAINS(
      importNode("Conv", {"1", "1", "5", "5"}, strides + stringText("auto_pad", "SAME_UPPER"), {"w"}, weights),
      "pads = array<i64: 1, 0, 1, 1>");
  EXPECT_CONTAINS(
      importNode("Conv", {"1", "1", "5", "5"}, strides + stringText("auto_pad", "SAME_LOWER"), {"w"}, weights),
      "pads = array<i64: 1, 1, 1, 0>");
}

TEST_F(ImporterTest, poolingAttributes) {
  std::string printed = importNode("AveragePool", {"1", "2", "6", "6"},
                                   intsText("kernel_shape", {3, 3}) + intsText("strides", {2, 2}) +
                                       intText("ceil_mode", 1) + intText("count_include_pad", 1));
  EXPECT_CONTAINS(printed, "ceil_mode, count_include_pad");
  EXPECT_CONTAINS(printed, "-> tensor<1x2x3x3xf32>");
  EXPECT_CONTAINS(importNode("GlobalAveragePool", {"1", "2", "6", "6"}),
                  "nn.reduce mean %arg0 {axes = array<i64: 2, 3>, keepdims = true}");
}

TEST_F(ImporterTest, transposedConvolutionIsAConvolutionOfEveryPlace) {
  // Stride 2, a window of 3: two taps for each of the 2 places, and 2 * 2 filters for the 2 that there are.
  std::string module = importNode("ConvTranspose", {"1", "3", "8"}, intsText("strides", {2}) + intsText("pads", {1, 0}),
                                  {"w"}, weightsText("w", {3, 2, 3}));
  EXPECT_CONTAINS(module, "tensor<1x3x8xf32>, tensor<4x3x2xf32>) -> tensor<1x4x9xf32>");
  EXPECT_CONTAINS(module, "nn.slice");
  EXPECT_CONTAINS(module, "-> tensor<1x2x16xf32>"); // 2 * (8 - 1) + 3 - 1
}

TEST_F(ImporterTest, poolsOfThreeDimensionsArePoolsOfTwoAndOne) {
  std::string module = importNode("MaxPool", {"1", "2", "4", "6", "8"}, intsText("kernel_shape", {2, 3, 4}));
  EXPECT_CONTAINS(module, "kernel = array<i64: 3, 4>");
  EXPECT_CONTAINS(module, "{channels_last, dilations = array<i64: 1>, kernel = array<i64: 2>");
  EXPECT_CONTAINS(module, "-> tensor<1x2x3x4x5xf32>");
}

TEST_F(ImporterTest, normalisationOfAllKinds) {
  EXPECT_CONTAINS(
      importNode("LayerNormalization", {"2", "3", "4"}, intText("axis", 1), {"w"}, weightsText("w", {3, 4})),
      "nn.normalize %arg0 {axes = array<i64: 1, 2>, epsilon = 9.99999974E-6 : f32}");
  EXPECT_CONTAINS(importNode("RMSNormalization", {"2", "3", "4"}, "", {"w"}, weightsText("w", {4}), 23),
                  "root_mean_square");
  // Scales per group are those of its channels.
  EXPECT_CONTAINS(importNode("GroupNormalization", {"2", "4", "5"}, intText("num_groups", 2), {"w", "w"},
                             weightsText("w", {2}), 18),
                  "axes = array<i64: 2, 3>");
}

TEST_F(ImporterTest, depthToSpaceIsReshapeTransposeReshape) {
  std::string printed =
      importNode("DepthToSpace", {"1", "8", "2", "3"}, intText("blocksize", 2) + stringText("mode", "CRD"));
  EXPECT_CONTAINS(printed, "shape = array<i64: 1, 2, 2, 2, 2, 3>");
  EXPECT_CONTAINS(printed, "permutation = array<i64: 0, 1, 4, 2, 5, 3>");
  EXPECT_CONTAINS(printed, "shape = array<i64: 1, 2, 4, 6>");
}

TEST_F(ImporterTest, reshapeCopiesAndInfers) {
  EXPECT_CONTAINS(importNode("Reshape", {"2", "3", "4"}, "", {"s"}, listText("s", {0, -1, 2})),
                  "shape = array<i64: 2, 6, 2>");
  EXPECT_CONTAINS(importNode("Flatten", {"2", "3", "4"}, intText("axis", -1)), "shape = array<i64: 6, 4>");
  EXPECT_CONTAINS(importNode("Unsqueeze", {"2", "3"}, "", {"a"}, listText("a", {-1, 0})),
                  "shape = array<i64: 1, 2, 3, 1>");
}

TEST_F(ImporterTest, slicesAreClamped) {
  std::string lists = listText("s", {-1, INT64_MAX}) + listText("e", {INT64_MIN, -100}) + listText("a", {0, -1}) +
                      listText("st", {-1, -2});
  EXPECT_CONTAINS(importNode("Slice", {"10", "5"}, "", {"s", "e", "a", "st"}, lists),
                  "sizes = array<i64: 10, 3>, starts = array<i64: 9, 4>, steps = array<i64: -1, -2>");
  EXPECT_CONTAINS(importNode("Slice", {"10", "5"}, "", {"s", "e"}, listText("s", {20}) + listText("e", {30})),
                  "nn.constant dense<> : tensor<0x5xf32>");
}

TEST_F(ImporterTest, nothingIsSlicedBackwards) {
  std::string sliced =
      import(valueText("input", "x", {"0", "3"}) + listText("s", {-1}) + listText("e", {-9}) + listText("a", {0}) +
             nodeText("Slice", {"x", "s", "e", "a", "s"}, {"y"}) + outputText("y"));
  EXPECT_CONTAINS(sliced, "return %arg0 : tensor<0x3xf32>");
}

TEST_F(ImporterTest, limitsThatClipLeavesOutAreThoseOfTheElementType) {
  const auto clip = [&](int element) {
    return import(valueText("input", "x", {"4"}, element) + nodeText("Clip", {"x"}, {"y"}) + outputText("y"));
  };
  EXPECT_CONTAINS(clip(1), "3.40282347E+38");
  EXPECT_CONTAINS(clip(10), "6.550400e+04");
  EXPECT_CONTAINS(clip(10), "-6.550400e+04");
}

TEST_F(ImporterTest, constantsOfAllSizes) {
  std::string graph = valueText("input", "x", {"1", "300"}) + weightsText("a", {300}) + weightsText("b", {1, 300}) +
                      "node { op_type: \"Add\" input: \"x\" input: \"a\" output: \"t\" } "
                      "node { op_type: \"Mul\" input: \"t\" input: \"b\" output: \"y\" } " +
                      outputText("y");
  std::string printed = import(graph);
  EXPECT_EQ(countOps("nn.constant"), 2);
  llvm::SmallVector<llvm::StringRef> keys;
  imported->module->walk([&](nn::ConstantOp op) {
    keys.push_back(llvm::cast<mlir::DenseResourceElementsAttr>(op.getValue()).getRawHandle().getKey());
  });
  EXPECT_EQ(keys[0], keys[1]) << "equal bytes are one resource";
}

// ------------------------------------------------------------------------------------------------------------- opsets

TEST_F(ImporterTest, softmaxBeforeOpset13SplitsTheShape) {
  std::string printed = importNode("Softmax", {"2", "3", "4", "5"}, "", {}, "", 11);
  EXPECT_CONTAINS(printed, "shape = array<i64: 2, 60>");
  EXPECT_CONTAINS(printed, "nn.softmax %0 {axis = 1 : i64}");
  EXPECT_CONTAINS(importNode("Softmax", {"2", "3", "4", "5"}), "nn.softmax %arg0 {axis = 3 : i64}");
}

TEST_F(ImporterTest, attributesThatBecameInputs) {
  EXPECT_CONTAINS(importNode("Clip", {"2"}, floatText("min", "0") + floatText("max", "6"), {}, "", 7), "nn.min");
  // The least finite number is the limit that is left out.
  EXPECT_CONTAINS(importNode("Clip", {"2"}, floatText("max", "6"), {}, "", 7), "dense<-3.40282347E+38>");
  EXPECT_CONTAINS(importNode("Squeeze", {"2", "1"}, intsText("axes", {1}), {}, "", 9), "shape = array<i64: 2>");
  EXPECT_CONTAINS(importNode("ReduceMean", {"2", "3"}, intsText("axes", {-1}), {}, "", 13), "axes = array<i64: 1>");
  EXPECT_CONTAINS(importNode("Pad", {"2", "3"}, intsText("pads", {0, 1, 0, 2}) + floatText("value", "3"), {}, "", 9),
                  "high = array<i64: 0, 2>, low = array<i64: 0, 1>");
  EXPECT_CONTAINS(importNode("Slice", {"4"}, intsText("starts", {1}) + intsText("ends", {3}), {}, "", 9),
                  "sizes = array<i64: 2>, starts = array<i64: 1>");
  EXPECT_EQ(text, "");
}

TEST_F(ImporterTest, upsampleAndOldResize) {
  std::string scales = attributeText("scales", "type: FLOATS floats: 1 floats: 1 floats: 2 floats: 2");
  EXPECT_CONTAINS(importNode("Upsample", {"1", "1", "2", "3"}, scales, {}, "", 7),
                  "coordinate_transformation_mode = \"asymmetric\"");
  std::string list =
      "initializer { name: \"s\" data_type: 1 dims: 4 float_data: 1 float_data: 1 float_data: 0.5 float_data: 0.5 } ";
  EXPECT_CONTAINS(importNode("Resize", {"1", "1", "4", "6"}, "", {"s"}, list, 10), "nearest_mode = \"ceil\"");
  EXPECT_CONTAINS(importNode("Resize", {"1", "1", "4", "6"}, "", {"", "", "z"}, listText("z", {1, 1, 8, 6})),
                  "scales = array<f32: 1.000000e+00, 1.000000e+00, 2.000000e+00, 1.000000e+00>");
}

TEST_F(ImporterTest, opsetsThatAreTooOld) {
  EXPECT_EQ(importNode("Relu", {"2"}, "", {}, "", 5), "");
  EXPECT_CONTAINS(text, "operator set 5 is older than 6");
}

// ------------------------------------------------------------------------------------------------------------ folding

TEST_F(ImporterTest, shapeArithmeticDisappears) {
  std::string printed =
      import(valueText("input", "x", {"2", "3", "4"}) + listText("zero", {0}) + listText("minus", {-1}) +
             nodeText("Shape", {"x"}, {"s"}) + nodeText("Gather", {"s", "zero"}, {"n"}, intText("axis", 0)) +
             nodeText("Concat", {"n", "minus"}, {"shape"}, intText("axis", 0)) +
             nodeText("Reshape", {"x", "shape"}, {"y"}) + outputText("y"));
  EXPECT_CONTAINS(printed, "nn.reshape %arg0 {shape = array<i64: 2, 12>}");
  EXPECT_EQ(countOps("nn.constant") + countOps("nn.extents") + countOps("nn.gather"), 0);
}

TEST_F(ImporterTest, shapeArithmeticOfOpenExtentsDisappearsToo) {
  ImportOptions options;
  options.shapes.inputDims = {"N=1..4"};
  std::string printed =
      import(valueText("input", "x", {"N", "3", "4"}) + listText("zero", {0}) + listText("minus", {-1}) +
                 listText("two", {2}) + nodeText("Shape", {"x"}, {"s"}) +
                 nodeText("Gather", {"s", "zero"}, {"n"}, intText("axis", 0)) + nodeText("Mul", {"n", "two"}, {"m"}) +
                 nodeText("Concat", {"m", "minus"}, {"shape"}, intText("axis", 0)) +
                 nodeText("Reshape", {"x", "shape"}, {"y"}) + outputText("y"),
             17, options);
  EXPECT_CONTAINS(printed, "affine_map<()[s0] -> (s0 * 2, 6)>");
  EXPECT_EQ(countOps("nn.constant") + countOps("nn.extents") + countOps("nn.gather") + countOps("nn.mul"), 0);
}

TEST_F(ImporterTest, batchNormalizationIsOneProductAndOneSum) {
  std::string constants = weightsText("s", {3}) + weightsText("b", {3}) + weightsText("m", {3}) + weightsText("v", {3});
  std::string printed = importNode("BatchNormalization", {"1", "3", "2", "2"}, floatText("epsilon", "3"),
                                   {"s", "b", "m", "v"}, constants);
  EXPECT_EQ(countOps("nn.mul") + countOps("nn.add"), 2);
  EXPECT_EQ(countOps("nn.sqrt") + countOps("nn.div"), 0);
  EXPECT_CONTAINS(printed, "5.000000e-01"); // 1 / sqrt(1 + 3), and 1 - 1 * that
}

std::string recurrentText(const std::string &op, const std::string &more = "") {
  int64_t gates = op == "LSTM" ? 4 : op == "GRU" ? 3 : 1;
  return valueText("input", "x", {"5", "2", "3"}) + weightsText("w", {1, gates * 2, 3}) +
         weightsText("r", {1, gates * 2, 2}) + weightsText("b", {1, gates * 4}) + weightsText("h", {1, 2, 2}) + more +
         outputText("y");
}

TEST_F(ImporterTest, recurrentNetworksAreAProductAndARecurrence) {
  std::string printed = import(recurrentText("LSTM") + nodeText("LSTM", {"x", "w", "r", "b"}, {"y"}));
  EXPECT_CONTAINS(printed, "(tensor<5x2x3xf32>, tensor<3x8xf32>) -> tensor<5x2x8xf32>");
  EXPECT_CONTAINS(printed, "dense<2.000000e+00> : tensor<8xf32>"); // both biases
  EXPECT_CONTAINS(printed, "activations = [\"Sigmoid\", \"Tanh\", \"Tanh\"]");
  EXPECT_CONTAINS(printed, "-> (tensor<5x1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>)");

  printed = import(recurrentText("GRU") + nodeText("GRU", {"x", "w", "r", "b", "", "h"}, {"y"},
                                                   intText("linear_before_reset", 1) + intText("hidden_size", 2)));
  EXPECT_CONTAINS(printed, "initial_h");
  EXPECT_CONTAINS(printed, "bias");
  EXPECT_CONTAINS(printed, "linear_before_reset = true");
}

TEST_F(ImporterTest, activationsTakeTheirParametersInOrder) {
  std::string attributes = attributeText("activations", "type: STRINGS strings: \"hardsigmoid\" strings: \"Tanh\"") +
                           attributeText("activation_alpha", "type: FLOATS floats: 0.25");
  std::string printed = import(recurrentText("GRU") + nodeText("GRU", {"x", "w", "r"}, {"y"}, attributes));
  EXPECT_CONTAINS(printed, "activations = [\"HardSigmoid\", \"Tanh\"], alpha = array<f32: 2.500000e-01, "
                           "0.000000e+00>");
  EXPECT_CONTAINS(printed, "beta = array<f32: 5.000000e-01, 0.000000e+00>");
}

TEST_F(ImporterTest, lengthsOfAllStepsAreNone) {
  auto lengths = [](int64_t first) {
    return "initializer { name: \"s\" data_type: 6 dims: 2 int32_data: " + std::to_string(first) + " int32_data: 5 } ";
  };
  std::string node = nodeText("RNN", {"x", "w", "r", "", "s"}, {"y"});
  EXPECT_EQ(import(recurrentText("RNN", lengths(5)) + node).find("lengths"), std::string::npos);
  EXPECT_CONTAINS(import(recurrentText("RNN", lengths(4)) + node), "lengths");
  import(recurrentText("RNN", lengths(6)) + node);
  EXPECT_CONTAINS(text, "input 4 ('s') must lie in 0 … 5, found 6");
}

TEST_F(ImporterTest, recurrentNetworksThatDoNotFit) {
  auto refuse = [&](const std::string &attributes) {
    text.clear();
    import(recurrentText("RNN") + nodeText("RNN", {"x", "w", "r"}, {"y"}, attributes));
    return text;
  };
  EXPECT_CONTAINS(refuse(intText("hidden_size", 3)), "'hidden_size' must be the last extent of R");
  EXPECT_CONTAINS(refuse(stringText("direction", "both")), "found 'both'");
  EXPECT_CONTAINS(refuse(stringText("direction", "bidirectional")), "W must be f32 [2,2,3], found f32 [1,2,3]");
  EXPECT_CONTAINS(refuse(attributeText("activations", "type: STRINGS strings: \"Swish\"")), "found 'Swish'");
  EXPECT_CONTAINS(refuse(floatText("clip", "-1")), "'clip' must not be negative");
}

TEST_F(ImporterTest, tenThousandNodes) {
  std::string nodes;
  for (int i = 1; i <= 10000; ++i)
    nodes +=
        "node { op_type: \"Neg\" input: \"v" + std::to_string(i - 1) + "\" output: \"v" + std::to_string(i) + "\" } ";
  import(valueText("input", "v0", {"2"}) + nodes + outputText("v10000"));
  ASSERT_TRUE(imported) << text;
  EXPECT_EQ(countOps("nn.neg"), 10000);
}

// ------------------------------------------------------------------------------------------------------------ control

std::string ifText(const std::string &condition) {
  auto branch = [](const std::string &name, const std::string &op) {
    return attributeText(name,
                         "type: GRAPH g { name: \"" + name + "\" " + nodeText(op, {"x"}, {op}) + outputText(op) + " }");
  };
  return nodeText("If", {condition}, {"y"}, branch("then_branch", "Neg") + branch("else_branch", "Abs")) +
         outputText("y");
}

TEST_F(ImporterTest, ifKeepsBothBranches) {
  std::string printed = import(valueText("input", "x", {"2"}) + valueText("input", "c", {}, 9) + ifText("c"));
  EXPECT_CONTAINS(printed, "nn.if %arg1");
  EXPECT_CONTAINS(printed, "nn.yield");
}

TEST_F(ImporterTest, ifWithAKnownConditionIsItsBranch) {
  std::string condition = "initializer { name: \"c\" data_type: 9 int32_data: 0 } ";
  import(valueText("input", "x", {"2"}) + condition + ifText("c"));
  EXPECT_EQ(countOps("nn.abs"), 1);
  EXPECT_EQ(countOps("nn.if") + countOps("nn.neg"), 0);
}

// --------------------------------------------------------------------------------------------------- extents that are
// open

TEST_F(ImporterTest, boundedBatch) {
  ImportOptions options;
  options.shapes.inputDims = {"N=1..4"};
  std::string printed = import(valueText("input", "x", {"N", "3", "2"}) + listText("s", {-1, 6}) +
                                   nodeText("Reshape", {"x", "s"}, {"y"}) + outputText("y"),
                               17, options);
  EXPECT_CONTAINS(printed, "nn.bounds = array<i64: 4, 3, 2>, nn.minimums = array<i64: 1, 3, 2>, nn.name = \"x\", "
                           "nn.symbols = [\"N\", \"\", \"\"]");
  EXPECT_CONTAINS(printed, "(tensor<?x3x2xf32, #map>) -> tensor<?x6xf32, #map1>");
}

TEST_F(ImporterTest, inputWithADefault) {
  std::string printed = import(valueText("input", "x", {"2"}) + valueText("input", "w", {"2"}) + weightsText("w", {2}) +
                               weightsText("other", {1}) + nodeText("Add", {"x", "w"}, {"y"}) + outputText("y"));
  EXPECT_CONTAINS(printed, "%arg1: tensor<2xf32> {nn.default = dense<1.000000e+00> : tensor<2xf32>, nn.name = \"w\"}");
}

// ------------------------------------------------------------------------------------------------------------- errors

TEST_F(ImporterTest, everyUnsupportedNodeIsListed) {
  EXPECT_EQ(import(valueText("input", "x", {"2"}) + nodeText("Foo", {"x"}, {"a"}) +
                   "node { op_type: \"Bar\" input: \"a\" output: \"y\" } " + outputText("y")),
            "");
  EXPECT_EQ(text, "model.onnx: node 'Foo_node' (Foo, opset 17): the operator is not supported\n"
                  "model.onnx: node of 'y' (Bar, opset 17): the operator is not supported\n");
}

TEST_F(ImporterTest, typesThatDoNotFit) {
  EXPECT_EQ(import(valueText("input", "x", {"2"}) + valueText("input", "i", {"2"}, 7) +
                   nodeText("Add", {"x", "i"}, {"y"}) + outputText("y")),
            "");
  EXPECT_CONTAINS(text, "node 'Add_node' (Add, opset 17): operands must have one element type, found 'f32' and 'i64'");
  EXPECT_EQ(import(valueText("input", "i", {"2"}, 7) + nodeText("Exp", {"i"}, {"y"}) + outputText("y")), "");
  EXPECT_CONTAINS(text, "node 'Exp_node' (Exp, opset 17): input 0 ('i') must be of floats, found i64 [2]");
}

struct Refusal {
  const char *op;
  Dims dims;
  std::string attributes;
  std::vector<std::string> more;
  std::string initializers;
  const char *message;
};

TEST_F(ImporterTest, refusals) {
  std::string weights = weightsText("w", {2, 1, 3, 3});
  const Refusal refusals[] = {
      {"Conv", {"1", "1", "4", "4"}, intText("group", 0), {"w"}, weights, "'group' must be at least 1, found 0"},
      {"Conv",
       {"1", "1", "4", "4"},
       intsText("strides", {0, 0}),
       {"w"},
       weights,
       "'strides' must be at least 1, found 0"},
      {"Conv",
       {"1", "1", "4", "4"},
       intsText("dilations", {1, 1, 1}),
       {"w"},
       weights,
       "'dilations' must have 2 values, found 3"},
      {"Conv",
       {"1", "1", "4", "4"},
       intsText("kernel_shape", {2, 2}),
       {"w"},
       weights,
       "'kernel_shape' must be that of the weights"},
      {"Conv", {"1", "3", "4", "4"}, "", {"w"}, weights, "input must have 1 channels"},
      {"Conv", {"1", "1", "2", "2"}, "", {"w"}, weights, "the window spans 3 elements"},
      {"Conv", {"1", "1", "4", "4"}, "", {}, "", "input 1 is missing"},
      {"Conv",
       {"1", "1", "4", "4"},
       intsText("pads", {INT64_MAX, 0, 0, 0}),
       {"w"},
       weights,
       "'pads' must be less than 2^31, found 9223372036854775807"},
      {"MaxPool", {"1", "1", "4", "4"}, "", {}, "", "attribute 'kernel_shape' is missing"},
      {"MaxPool",
       {"1", "1", "4", "4"},
       intsText("kernel_shape", {2, 2}) + intsText("pads", {2, 2, 2, 2}),
       {},
       "",
       "'pads' must be smaller than the window"},
      {"Concat", {"2"}, "", {}, "", "attribute 'axis' is missing"},
      {"Concat", {"2"}, intText("axis", 1), {}, "", "'axis' must be within the rank 1, found 1"},
      {"Transpose", {"2", "3"}, intsText("perm", {0, 0}), {}, "", "'perm' must be a permutation"},
      {"Relu", {"2"}, intText("foo", 1), {}, "", "attribute 'foo' is not known"},
      {"Relu", {"2"}, "", {"x"}, "", "there may be 1 inputs, found 2"},
      {"LeakyRelu", {"2"}, intText("alpha", 1), {}, "", "'alpha' must not be an int"},
      {"Softmax", {"2"}, floatText("axis", "1"), {}, "", "'axis' must be an int, found a float"},
      {"Reshape", {"2", "3"}, "", {"s"}, listText("s", {-1, 4}), "does not fit f32 [2,3]"},
      {"Reshape", {"2", "3"}, "", {"s"}, listText("s", {-1, -1}), "has more than one -1"},
      {"Reshape", {"2", "3"}, "", {"s"}, listText("s", {7}), "the new shape must hold 6 elements"},
      {"Reshape", {"2", "3"}, "", {"s"}, listText("s", {INT64_MIN, 6}), "has negative entries"},
      {"Reshape", {"2", "3"}, "", {"x"}, "", "input 1 ('x') must be known when compiling"},
      {"Gather", {"5"}, "", {"i"}, listText("i", {7}), "input 1 ('i') must be within the extent 5 of axis 0, found 7"},
      {"Gather", {"5"}, "", {"i"}, listText("i", {-6}), "found -6"},
      {"Slice", {"5"}, "", {"s", "s", "", "z"}, listText("s", {1}) + listText("z", {0}), "steps must not be 0"},
      {"Pad", {"2"}, stringText("mode", "reflect"), {"p"}, listText("p", {2, 0}), "'pads' reach beyond what is there"},
      {"Expand", {"2"}, "", {"s"}, listText("s", {3}), "f32 [2] does not broadcast to [3]"},
      {"Resize", {"1", "1", "2", "2"}, "", {"", "", "z"}, listText("z", {1, 1, -2, 2}), "sizes must be at least 0"},
      {"Resize", {"1", "1", "2", "2"}, "", {}, "", "either scales or sizes must be given"},
      {"Gemm", {"2", "3"}, "", {"w"}, weightsText("w", {4, 4}), "inner dimensions must be equal"},
      {"PRelu", {"2", "3"}, "", {"w"}, weightsText("w", {4, 2, 3}), "the slope must broadcast to the input"},
      {"Cast", {"2"}, intText("to", 8), {}, "", "'to' must be an element type that is supported, found 8 (string)"},
      {"Tile", {"2"}, "", {"s"}, listText("s", {-1}), "repeats must be at least 0"},
      {"Expand",
       {"1", "1", "1"},
       "",
       {"s"},
       listText("s", {1 << 20, 1 << 20, 1 << 20}),
       "must have fewer than 2^31 elements"},
      {"DepthToSpace", {"1", "6", "2", "2"}, intText("blocksize", 2), {}, "", "the channels must be a multiple"},
      {"Split",
       {"4"},
       intText("num_outputs", INT64_MAX),
       {},
       "",
       "'num_outputs' must be the number of outputs 1, found 9223372036854775807"},
      {"QuantizeLinear",
       {"2", "3"},
       intText("block_size", INT64_MAX),
       {"w"},
       weightsText("w", {2, 3}),
       "'block_size' must be at least 0"},
      {"QuantizeLinear", {"2", "3"}, "", {"w"}, weightsText("w", {2}), "scale must have shape"},
  };
  for (const Refusal &refusal : refusals) {
    text.clear();
    EXPECT_EQ(importNode(refusal.op, refusal.dims, refusal.attributes, refusal.more, refusal.initializers), "");
    EXPECT_CONTAINS(text, std::string("node '") + refusal.op + "_node' (" + refusal.op + ", opset 17): ");
    EXPECT_CONTAINS(text, refusal.message);
  }
  EXPECT_EQ(diagnostics.exitCode(), 1);
}

TEST_F(ImporterTest, declarationsThatContradict) {
  std::string start = valueText("input", "x", {"2", "3"}) + nodeText("Relu", {"x"}, {"y"});
  EXPECT_NE(import(start + valueText("output", "y", {"2", "4"})), "");
  EXPECT_CONTAINS(text, "warning: node 'Relu_node' (Relu, opset 17): output 'y' is declared as [2,4], found f32 [2,3]");
  EXPECT_NE(import(start + valueText("value_info", "y", {"6"}) + outputText("y")), "");
  EXPECT_CONTAINS(text, "is declared as [6]");
  EXPECT_EQ(diagnostics.exitCode(), 0);
  EXPECT_EQ(import(start + valueText("output", "y", {"2", "3"}, 7)), "");
  EXPECT_CONTAINS(text, "is declared as int64, found f32 [2,3]");
}

TEST_F(ImporterTest, nodesHaveOutputs) {
  EXPECT_EQ(import(valueText("input", "x", {"4"}) + nodeText("Split", {"x"}, {}, intText("num_outputs", 0)) +
                   nodeText("Relu", {"x"}, {"y"}) + outputText("y")),
            "");
  EXPECT_CONTAINS(text, "node 'Split_node' (Split, opset 17): there must be an output");
}

TEST_F(ImporterTest, extentsThatMustBeKnownArePrintedByName) {
  ImportOptions options;
  options.shapes.inputDims = {"C=1..4"};
  const std::string input = valueText("input", "x", {"1", "C", "8"});
  const auto refusal = [&](const std::string &op, std::vector<std::string> more, const std::string &initializers,
                           const std::string &attributes = "") {
    text.clear();
    more.insert(more.begin(), "x");
    EXPECT_EQ(import(input + initializers + nodeText(op, more, {"y"}, attributes) + outputText("y"), 17, options), "");
    return text;
  };
  const std::string vector = weightsText("v", {3});
  EXPECT_CONTAINS(refusal("Conv", {"w"}, weightsText("w", {2, 3, 1})),
                  "the input's channels and the weights' extents must be known when compiling, found f32 [1,C,8]");
  EXPECT_CONTAINS(refusal("BatchNormalization", {"v", "v", "v", "v"}, vector),
                  "the number of channels must be known when compiling, found f32 [1,C,8]");
  EXPECT_CONTAINS(refusal("InstanceNormalization", {"v", "v"}, vector),
                  "the number of channels must be known when compiling, found f32 [1,C,8]");
  EXPECT_CONTAINS(refusal("GroupNormalization", {"v", "v"}, vector, intText("num_groups", 3)),
                  "the number of channels must be known when compiling, found f32 [1,C,8]");
}

TEST_F(ImporterTest, outputThatIsNotComputed) {
  EXPECT_EQ(
      import(valueText("input", "x", {"2"}) + nodeText("Relu", {"x"}, {"y", "i"}) + outputText("y") + outputText("i")),
      "");
  EXPECT_CONTAINS(text, "output 1 ('i') is not supported");
}

} // namespace
