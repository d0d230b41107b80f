// Name resolution, order, functions and subgraphs, without any meaning of operators.
#include "ModelText.h"

using namespace aotc::frontend;

namespace {

struct GraphTest : testing::Test, Messages {
  std::unique_ptr<Model> build(onnx::ModelProto &proto, const GraphOptions &options = {}) {
    return buildModel(proto, options, diagnostics);
  }
  std::unique_ptr<Model> buildText(const std::string &graph) {
    proto = modelFromText("graph { " + graph + " }");
    return build(proto);
  }
  std::vector<std::string> ops(const Graph &graph) {
    std::vector<std::string> names;
    for (const Node &node : graph.nodes)
      names.push_back(node.opType.str());
    return names;
  }
  onnx::ModelProto proto;
};

using Names = std::vector<std::string>;

TEST_F(GraphTest, ordersNodesAndKeepsGivenOrder) {
  auto model =
      buildText(valueText("input", "x", {"2"}) + nodeText("Neg", {"b"}, {"c"}) + nodeText("Abs", {"x"}, {"a"}) +
                nodeText("Relu", {"a"}, {"b"}) + valueText("output", "c", {"2"}));
  ASSERT_TRUE(model) << text;
  EXPECT_EQ(ops(model->graph), (Names{"Abs", "Relu", "Neg"}));
  EXPECT_EQ(model->graph.nodes[0].opset, 17);
}

TEST_F(GraphTest, hundredThousandNodesInReverse) {
  std::string nodes;
  for (int i = 100000; i > 0; --i)
    nodes +=
        "node { op_type: \"Neg\" input: \"v" + std::to_string(i - 1) + "\" output: \"v" + std::to_string(i) + "\" } ";
  auto model = buildText(valueText("input", "v0", {"2"}) + nodes + valueText("output", "v100000", {"2"}));
  ASSERT_TRUE(model) << text;
  EXPECT_EQ(model->value(model->graph.nodes.front().outputs[0]).name, "v1");
  EXPECT_EQ(model->value(model->graph.nodes.back().outputs[0]).name, "v100000");
}

TEST_F(GraphTest, cycleNamesItsValues) {
  EXPECT_FALSE(buildText(valueText("input", "x", {"2"}) + nodeText("Add", {"x", "b"}, {"a"}) +
                         nodeText("Neg", {"a"}, {"b"}) + nodeText("Relu", {"a"}, {"y"}) +
                         valueText("output", "y", {"2"})));
  EXPECT_EQ(text, "model.onnx: node 'Add_node' (Add, opset 17): is part of a cycle, through 'a' -> 'b'\n");
  EXPECT_EQ(diagnostics.exitCode(), 1);
}

TEST_F(GraphTest, cycleOfOneNode) {
  EXPECT_FALSE(buildText(nodeText("Neg", {"y"}, {"y"}) + valueText("output", "y", {"2"})));
  EXPECT_EQ(text, "model.onnx: node 'Neg_node' (Neg, opset 17): is part of a cycle, through 'y'\n");
}

TEST_F(GraphTest, missingValuesAreAllReported) {
  EXPECT_FALSE(buildText(nodeText("Add", {"p", "q"}, {"y"}) + valueText("output", "z", {"2"})));
  EXPECT_CONTAINS(text, "node 'Add_node' (Add, opset 17): input 0, 'p', is not defined anywhere\n");
  EXPECT_CONTAINS(text, "input 1, 'q', is not defined anywhere\n");
  EXPECT_CONTAINS(text, "output 'z' of graph '' is not defined anywhere\n");
}

TEST_F(GraphTest, definedTwice) {
  EXPECT_FALSE(buildText(valueText("input", "x", {"2"}) + nodeText("Neg", {"x"}, {"y"}) +
                         nodeText("Abs", {"x"}, {"y"}) + valueText("output", "y", {"2"})));
  EXPECT_EQ(text, "model.onnx: node 'Abs_node': value 'y' is defined twice\n");
}

TEST_F(GraphTest, absentInputsStayInPlaceAndTrailingOnesGo) {
  auto model = buildText(valueText("input", "x", {"2"}) + valueText("input", "hi", {}) +
                         nodeText("Clip", {"x", "", "hi", ""}, {"y"}) + valueText("output", "y", {"2"}));
  ASSERT_TRUE(model) << text;
  const Node &clip = model->graph.nodes[0];
  ASSERT_EQ(clip.inputs.size(), 3u);
  EXPECT_EQ(clip.inputs[1], absentValue);
}

TEST_F(GraphTest, unknownDomain) {
  EXPECT_FALSE(buildText(valueText("input", "x", {"2"}) + nodeText("Foo", {"x"}, {"y"}, "domain: \"com.foo\"") +
                         valueText("output", "y", {"2"})));
  EXPECT_CONTAINS(text, "node 'Foo_node' ('Foo'): the model imports no operator set of domain 'com.foo'\n");
}

TEST_F(GraphTest, namesCannotForgeLines) {
  EXPECT_FALSE(buildText("node { op_type: \"Neg\" name: \"a\\nb\" input: \"q\" output: \"y\" }" +
                         valueText("output", "y", {"2"})));
  EXPECT_CONTAINS(text, "node 'a\\x0ab' (Neg");
}

// -------------------------------------------------------------------------------------------------------- initializers

const char *const initializerW = "initializer { name: \"w\" data_type: 1 dims: 2 float_data: 1 float_data: 2 } ";
const char *const initializerTwo = "initializer { name: \"two\" data_type: 1 float_data: 2 } ";

TEST_F(GraphTest, allInitializersAreInputsSoTheyAreConstants) {
  auto model = buildText(valueText("input", "x", {"2"}) + valueText("input", "w", {"2"}) + initializerW +
                         nodeText("Add", {"x", "w"}, {"y"}) + valueText("output", "y", {"2"}));
  ASSERT_TRUE(model) << text;
  EXPECT_EQ(model->graph.inputs.size(), 1u);
  EXPECT_EQ(model->fixedDefaults, (Names{"w"}));
  EXPECT_CONTAINS(text, "note: 1 inputs have an initializer");
}

TEST_F(GraphTest, someInitializersAreInputsSoThoseAreDefaults) {
  std::string graph = valueText("input", "x", {"2"}) + valueText("input", "w", {"2"}) + initializerW + initializerTwo +
                      nodeText("Add", {"x", "w"}, {"y"}) + valueText("output", "y", {"2"});
  auto model = buildText(graph);
  ASSERT_TRUE(model) << text;
  ASSERT_EQ(model->graph.inputs.size(), 2u);
  EXPECT_TRUE(model->value(model->graph.inputs[1]).initializer);
  GraphOptions options;
  options.constantInputs = true;
  onnx::ModelProto again = modelFromText("graph { " + graph + " }");
  EXPECT_EQ(build(again, options)->graph.inputs.size(), 1u);
  onnx::ModelProto old = modelFromText("graph { " + graph + " }", 8, 3);
  EXPECT_EQ(build(old)->graph.inputs.size(), 1u);
}

// ----------------------------------------------------------------------------------------------------------- subgraphs

TEST_F(GraphTest, branchesCaptureOuterValues) {
  std::string inner = "name: \"inner\" " + nodeText("Sub", {"h", "k"}, {"d"}) + valueText("output", "d", {"2"});
  std::string outer = "name: \"outer\" " +
                      nodeText("If", {"c"}, {"t"},
                               "attribute { name: \"then_branch\" type: GRAPH g { " + inner +
                                   " } }"
                                   " attribute { name: \"else_branch\" type: GRAPH g { name: \"e\" " +
                                   valueText("output", "k", {"2"}) + " } }") +
                      valueText("output", "t", {"2"});
  // The If comes first in the file: what its branches capture must still be made before it.
  auto model =
      buildText(valueText("input", "x", {"2"}) + valueText("input", "c", {}, 9) + valueText("input", "k", {"2"}) +
                nodeText("If", {"c"}, {"y"}, "attribute { name: \"then_branch\" type: GRAPH g { " + outer + " } }") +
                nodeText("Neg", {"x"}, {"h"}) + valueText("output", "y", {"2"}));
  ASSERT_TRUE(model) << text;
  EXPECT_EQ(ops(model->graph), (Names{"Neg", "If"}));
  Names captured;
  for (ValueId id : model->graph.nodes[1].captures)
    captured.push_back(model->value(id).name);
  EXPECT_EQ(captured, (Names{"c", "h", "k"}));
}

// ----------------------------------------------------------------------------------------------------------- functions

const char *const functionsText =
    "opset_import { domain: \"my\" version: 1 } "
    "functions { name: \"Leak\" domain: \"my\" input: \"v\" output: \"w\" attribute: \"slope\" opset_import { version: "
    "17 } "
    "  node { op_type: \"LeakyRelu\" input: \"v\" output: \"w\" attribute { name: \"alpha\" ref_attr_name: \"slope\" "
    "type: FLOAT } } } "
    "functions { name: \"Twice\" domain: \"my\" input: \"p\" output: \"q\" output: \"r\" attribute: \"s\" "
    "  opset_import { version: 17 } opset_import { domain: \"my\" version: 1 } "
    "  node { op_type: \"Leak\" domain: \"my\" input: \"p\" output: \"t\" name: \"in\" attribute { name: \"slope\" "
    "ref_attr_name: \"s\" type: FLOAT } } "
    "  node { op_type: \"Leak\" domain: \"my\" input: \"t\" output: \"q\" } "
    "  node { op_type: \"Neg\" input: \"q\" output: \"r\" } } ";

TEST_F(GraphTest, functionsAreInlinedWithTheirAttributes) {
  proto =
      modelFromText(std::string(functionsText) + "graph { " + valueText("input", "x", {"2"}) +
                    nodeText("Twice", {"x"}, {"y", ""}, "domain: \"my\" attribute { name: \"s\" f: 0.5 type: FLOAT }") +
                    valueText("output", "y", {"2"}) + " }");
  auto model = build(proto);
  ASSERT_TRUE(model) << text;
  EXPECT_EQ(ops(model->graph), (Names{"LeakyRelu", "LeakyRelu", "Neg"}));
  const Node &first = model->graph.nodes[0];
  ASSERT_TRUE(first.findAttribute("alpha"));
  EXPECT_EQ(first.findAttribute("alpha")->value->f(), 0.5f);
  EXPECT_EQ(model->value(first.outputs[0]).name, "Twice_node/t");
  EXPECT_FALSE(model->graph.nodes[1].findAttribute("alpha")) << "the operator's own default holds";
  EXPECT_EQ(model->value(model->graph.nodes[1].outputs[0]).name, "y");
}

TEST_F(GraphTest, defaultAttributesAndOverloadsOfFunctions) {
  proto = modelFromText(std::string(functionsText) + "graph { " + valueText("input", "x", {"2"}) +
                        nodeText("Leak", {"x"}, {"y"}, "domain: \"my\"") + valueText("output", "y", {"2"}) + " }");
  onnx::AttributeProto slope;
  slope.set_name("slope");
  slope.set_f(0.25f);
  onnx::FunctionProto &leak = *proto.mutable_functions(0);
  leak.GetReflection()->MutableUnknownFields(&leak)->AddLengthDelimited(11, slope.SerializeAsString());
  leak.GetReflection()->MutableUnknownFields(&leak)->AddLengthDelimited(13, "v2");
  onnx::NodeProto &node = *proto.mutable_graph()->mutable_node(0);
  node.GetReflection()->MutableUnknownFields(&node)->AddLengthDelimited(8, "v2");
  auto model = build(proto);
  ASSERT_TRUE(model) << text;
  EXPECT_EQ(model->graph.nodes[0].findAttribute("alpha")->value->f(), 0.25f);
}

TEST_F(GraphTest, functionThatPassesItsInputOn) {
  proto =
      modelFromText("opset_import { domain: \"my\" version: 1 } functions { name: \"Pass\" domain: \"my\" input: \"v\" "
                    "output: \"v\" } graph { " +
                    valueText("input", "x", {"2"}) + nodeText("Pass", {"x"}, {"y"}, "domain: \"my\"") +
                    valueText("output", "y", {"2"}) + " }");
  auto model = build(proto);
  ASSERT_TRUE(model) << text;
  EXPECT_EQ(ops(model->graph), (Names{"Identity"}));
}

TEST_F(GraphTest, recursiveFunctionIsRefused) {
  proto = modelFromText("opset_import { domain: \"my\" version: 1 } "
                        "functions { name: \"A\" domain: \"my\" input: \"v\" output: \"w\" node { op_type: \"B\" "
                        "domain: \"my\" input: \"v\" output: \"w\" } } "
                        "functions { name: \"B\" domain: \"my\" input: \"v\" output: \"w\" node { op_type: \"A\" "
                        "domain: \"my\" input: \"v\" output: \"w\" } } "
                        "graph { " +
                        valueText("input", "x", {"2"}) + nodeText("A", {"x"}, {"y"}, "domain: \"my\"") +
                        valueText("output", "y", {"2"}) + " }");
  EXPECT_FALSE(build(proto));
  EXPECT_CONTAINS(text, "the function calls itself");
}

TEST_F(GraphTest, functionsThatExplodeAreRefused) {
  std::string functions = "opset_import { domain: \"my\" version: 1 } ";
  for (int i = 0; i < 40; ++i) {
    std::string next = i == 39 ? "Neg" : "F" + std::to_string(i + 1), domain = i == 39 ? "" : "domain: \"my\" ";
    functions += "functions { name: \"F" + std::to_string(i) +
                 "\" domain: \"my\" input: \"v\" output: \"w\" opset_import { version: 17 } "
                 "node { op_type: \"" +
                 next + "\" " + domain +
                 "input: \"v\" output: \"m\" } "
                 "node { op_type: \"" +
                 next + "\" " + domain + "input: \"m\" output: \"w\" } } ";
  }
  proto = modelFromText(functions + "graph { " + valueText("input", "x", {"2"}) +
                        nodeText("F0", {"x"}, {"y"}, "domain: \"my\"") + valueText("output", "y", {"2"}) + " }");
  EXPECT_FALSE(build(proto));
  EXPECT_CONTAINS(text, "more than 1000000 nodes");
}

} // namespace
