// Operators of ai.onnx.ml: how the tests of trees are rewritten, class lists, strings, and what is refused. What they
// compute is tested by tests/e2e/run_learning.py.
#include "ModelText.h"

#include "frontend/onnx/Importer.h"

#include "ir/nn/Dialect.h"
#include "ir/nn/HostTensor.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

#include <cmath>
#include <functional>
#include <sstream>

using namespace aotc::frontend;
namespace nn = aotc::nn;

namespace {

using Ints = std::vector<int64_t>;
using Strings = std::vector<std::string>;

template <class T> std::string list(const std::string &name, const char *type, const char *field, const T &values) {
  std::ostringstream text;
  text << "attribute { name: \"" << name << "\" type: " << type;
  for (const auto &value : values)
    text << " " << field << ": " << value;
  return text.str() + " } ";
}
std::string ints(const std::string &name, const Ints &values) { return list(name, "INTS", "ints", values); }
std::string floats(const std::string &name, const std::vector<double> &values) {
  return list(name, "FLOATS", "floats", values);
}
std::string strings(const std::string &name, Strings values) {
  for (std::string &value : values)
    value = '"' + value + '"';
  return list(name, "STRINGS", "strings", values);
}

std::string learningNode(const std::string &op, const Strings &outputs, const std::string &attributes) {
  return nodeText(op, {"x"}, outputs, "domain: \"ai.onnx.ml\" " + attributes);
}

struct LearningTest : testing::Test, Messages {
  bool import(const std::string &nodes, const Strings &outputs, const std::string &input = "") {
    std::string graph = (input.empty() ? valueText("input", "x", {"2", "3"}) : input) + nodes;
    for (const std::string &output : outputs)
      graph += "output { name: \"" + output + "\" } ";
    onnx::ModelProto proto = modelFromText("graph { " + graph + " }");
    onnx::OperatorSetIdProto *learning = proto.add_opset_import();
    learning->set_domain("ai.onnx.ml");
    learning->set_version(3);
    imported = importModel(proto, testing::TempDir(), {}, context, diagnostics);
    return imported.has_value();
  }

  /// One test at node 0, with leaves 1 (true, weight 5) and 2 (false, weight 7).
  std::string stump(const std::string &mode, double value, bool missing, int64_t feature = 1) {
    return ints("nodes_treeids", {0, 0, 0}) + ints("nodes_nodeids", {0, 1, 2}) +
           ints("nodes_featureids", {feature, 0, 0}) + ints("nodes_truenodeids", {1, 0, 0}) +
           ints("nodes_falsenodeids", {2, 0, 0}) + strings("nodes_modes", {mode, "LEAF", "LEAF"}) +
           floats("nodes_values", {value, 0, 0}) + ints("nodes_missing_value_tracks_true", {missing, 0, 0}) +
           ints("target_treeids", {0, 0}) + ints("target_nodeids", {1, 2}) + ints("target_ids", {0, 0}) +
           floats("target_weights", {5, 7});
  }
  nn::TreesOp importStump(const std::string &mode, double value, bool missing) {
    EXPECT_TRUE(import(learningNode("TreeEnsembleRegressor", {"y"}, stump(mode, value, missing)), {"y"})) << text;
    nn::TreesOp trees;
    if (imported)
      imported->module->walk([&](nn::TreesOp op) { trees = op; });
    return trees;
  }
  static nn::HostTensor table(mlir::Value value) {
    return nn::HostTensor::view(value.getDefiningOp<nn::ConstantOp>().getValue());
  }
  /// The weight of the leaf that x[…, 1] leads to, by the definition of nn.trees.
  static double walk(nn::TreesOp trees, double x) {
    int64_t at = table(trees.getRoots()).toInteger(0);
    while (at >= 0) {
      bool passes = std::isnan(x) ? table(trees.getMissingPasses()).toInteger(at) != 0
                                  : x <= table(trees.getThresholds()).toDouble(at);
      at = table(passes ? trees.getPassed() : trees.getFailed()).toInteger(at);
    }
    return table(trees.getLeafWeights()).toDouble(table(trees.getLeafBegins()).toInteger(-1 - at));
  }

  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::optional<ImportedModel> imported;
};

// --------------------------------------------------------------------------------------------------------------- trees

TEST_F(LearningTest, everyTestIsLessOrEqual) {
  const double infinite = std::numeric_limits<double>::infinity();
  const std::map<std::string, std::function<bool(double, double)>> modes = {{"BRANCH_LEQ", [](double a, double b) { return a <= b; }},
                                                                            {"BRANCH_LT", [](double a, double b) { return a < b; }},
                                                                            {"BRANCH_GTE", [](double a, double b) { return a >= b; }},
                                                                            {"BRANCH_GT", [](double a, double b) { return a > b; }},
                                                                            {"BRANCH_EQ", [](double a, double b) { return a == b; }},
                                                                            {"BRANCH_NEQ", [](double a, double b) { return a != b; }}};
  for (const auto &[mode, compare] : modes)
    for (double threshold : {0.5, 0.0})
      for (bool missing : {false, true}) {
        nn::TreesOp trees = importStump(mode, threshold, missing);
        ASSERT_TRUE(trees);
        for (double x : {-infinite, -1.0, -0.0, 0.0, std::nextafter(0.5, 0.0), 0.5, 0.75, infinite})
          EXPECT_EQ(walk(trees, x), compare(x, threshold) ? 5 : 7) << mode << " " << x << " " << threshold;
        EXPECT_EQ(walk(trees, std::nan("")), missing ? 5 : 7) << mode;
      }
}

TEST_F(LearningTest, equalLeavesNeedNoTest) {
  std::string attributes = stump("BRANCH_LEQ", 0.5, false);
  attributes.replace(attributes.find("floats: 7"), 9, "floats: 5");
  ASSERT_TRUE(import(learningNode("TreeEnsembleRegressor", {"y"}, attributes), {"y"})) << text;
  imported->module->walk([&](nn::TreesOp op) { EXPECT_EQ(table(op.getRoots()).toInteger(0), -1); });
}

TEST_F(LearningTest, brokenTreesAreRefused) {
  auto refuse = [&](const std::string &from, const std::string &to, const std::string &why) {
    std::string attributes = stump("BRANCH_LEQ", 0.5, false);
    size_t place = attributes.find(from);
    ASSERT_NE(place, std::string::npos) << from;
    attributes.replace(place, from.size(), to);
    text.clear();
    EXPECT_FALSE(import(learningNode("TreeEnsembleRegressor", {"y"}, attributes), {"y"}));
    EXPECT_CONTAINS(text, "node 'TreeEnsembleRegressor_node' (ai.onnx.ml.TreeEnsembleRegressor, opset 3): " + why);
  };
  refuse("ints: 2 ints: 0 ints: 0 }", "ints: 0 ints: 0 ints: 0 }", "a tree leads back to its node 0");
  refuse("ints: 2 ints: 0 ints: 0 }", "ints: 9 ints: 0 ints: 0 }", "a child of tree 0 is node 9, which is not there");
  refuse("ints: 1 ints: 0 ints: 0 }", "ints: 3 ints: 0 ints: 0 }", "a tree tests feature 3, the input has 3");
  refuse("BRANCH_LEQ", "BRANCH_UP", "'nodes_modes' must be one of LEAF, BRANCH_LEQ");
  refuse("ints: 0 ints: 1 ints: 2 }", "ints: 0 ints: 1 ints: 1 }", "tree 0 has two nodes 1");
  refuse("floats: 0.5 floats: 0", "floats: 0.5", "'nodes_values' must have 3 values, found 2");
  refuse("name: \"target_ids\" type: INTS ints: 0", "name: \"target_ids\" type: INTS ints: 1", "a leaf is of target 1");
}

// ------------------------------------------------------------------------------------------------------------- classes

std::string linear(const Strings &outputs, const std::string &labels) {
  return learningNode("LinearClassifier", outputs, labels + floats("coefficients", {1, 2, 3, 4, 5, 6}));
}

TEST_F(LearningTest, stringLabelsAreNumbersWithAList) {
  std::string nodes = linear({"label", "scores"}, strings("classlabels_strings", {"no", "yes"})) +
                      nodeText("Identity", {"label"}, {"y"});
  ASSERT_TRUE(import(nodes + valueText("value_info", "label", {"2"}, 8), {"y", "scores"})) << text;
  auto function = *imported->module->getOps<mlir::func::FuncOp>().begin();
  EXPECT_EQ(function.getResultAttr(0, "nn.classes"), mlir::Builder(&context).getStrArrayAttr({"no", "yes"}));
  EXPECT_FALSE(function.getResultAttr(1, "nn.classes"));
}

TEST_F(LearningTest, stringsAreForOutputsOnly) {
  std::string nodes = linear({"label", "scores"}, strings("classlabels_strings", {"no", "yes"})) +
                      nodeText("Add", {"label", "label"}, {"y"});
  EXPECT_FALSE(import(nodes, {"y"}));
  EXPECT_CONTAINS(text, "node 'Add_node' (Add, opset 17): input 0 ('label') is of strings, which are supported as "
                        "outputs of the model only");
}

TEST_F(LearningTest, zipMapIsATensorWithAList) {
  ASSERT_TRUE(import(learningNode("ZipMap", {"y"}, ints("classlabels_int64s", {7, -1, 4})), {"y"})) << text;
  auto function = *imported->module->getOps<mlir::func::FuncOp>().begin();
  EXPECT_EQ(function.getResultAttr(0, "nn.classes"), mlir::Builder(&context).getI64ArrayAttr({7, -1, 4}));
  EXPECT_FALSE(import(learningNode("ZipMap", {"y"}, ints("classlabels_int64s", {7, -1})), {"y"}));
  EXPECT_CONTAINS(text, "expected a column for each of 2 labels, found f32 [2,3]");
}

TEST_F(LearningTest, featureVectorizerCutsAndFillsUp) {
  for (auto [width, added] : {std::pair<int64_t, int64_t>(5, 2), {1, -2}}) {
    ASSERT_TRUE(import(learningNode("FeatureVectorizer", {"y"}, ints("inputdimensions", {width})), {"y"})) << text;
    imported->module->walk([added = added](nn::PadOp op) { EXPECT_EQ(op.getHigh()[1], added); });
  }
}

// -------------------------------------------------------------------------------------------------------------- errors

TEST_F(LearningTest, sizesAreChecked) {
  EXPECT_FALSE(import(linear({"y", "z"}, ints("classlabels_ints", {1, 2, 3})), {"y"}));
  EXPECT_CONTAINS(text, "'coefficients' must have 3 values for each of 3 scores, found 6");
  EXPECT_FALSE(import(linear({"y", "z"}, ""), {"y"}));
  EXPECT_CONTAINS(text, "expected class labels in 'classlabels_ints' or 'classlabels_strings', found none");
  EXPECT_FALSE(import(learningNode("Scaler", {"y"}, floats("offset", {1, 2})), {"y"}));
  EXPECT_CONTAINS(text, "'offset' must have 1 or 3 values, found 2");
  EXPECT_FALSE(
      import(learningNode("LabelEncoder", {"y"}, strings("keys_strings", {"a"}) + ints("values_int64s", {1})), {"y"}));
  EXPECT_CONTAINS(text, "expected keys and values that are numbers: strings are not supported");
  EXPECT_FALSE(import(learningNode("Normalizer", {"y"}, "attribute { name: \"norm\" type: STRING s: \"L3\" }"), {"y"}));
  EXPECT_CONTAINS(text, "'norm' must be one of MAX, L1, L2, found 'L3'");
}

} // namespace
