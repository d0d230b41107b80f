// Loops that are unrolled and those that stay, sequences that exist when compiling only, and what of both is refused.
// What they compute is tested by tests/e2e/run_edges.py.
#include "ModelText.h"

#include "frontend/onnx/Importer.h"

#include "ir/nn/Dialect.h"
#include "ir/nn/Extents.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"

using namespace aotc::frontend;

namespace {

std::string intText(const std::string &name, int64_t value) {
  return "attribute { name: \"" + name + "\" type: INT i: " + std::to_string(value) + " } ";
}
/// An int64 or a bool initializer, a scalar.
std::string scalarText(const std::string &name, int64_t value) {
  return "initializer { name: \"" + name + "\" data_type: 7 int64_data: " + std::to_string(value) + " } ";
}
std::string boolText(const std::string &name, bool value) {
  return "initializer { name: \"" + name + "\" data_type: 9 int32_data: " + std::to_string(value) + " } ";
}
std::string outputText(const std::string &name) { return "output { name: \"" + name + "\" } "; }
std::string inputText(const std::string &name) { return "input { name: \"" + name + "\" } "; }
std::string graphText(const std::string &name, const std::string &body) {
  return "attribute { name: \"" + name + "\" type: GRAPH g { name: \"" + name + "\" " + body + " } } ";
}

/// x + captured, as long as `condition` says; the state is an output of each iteration, too.
std::string loopBody(const std::string &condition) {
  return graphText("body", inputText("i") + inputText("goes") + inputText("state") + condition +
                               nodeText("Add", {"state", "x"}, {"next"}) + nodeText("Neg", {"next"}, {"each"}) +
                               outputText("stays") + outputText("next") + outputText("each"));
}
const std::string always = nodeText("Identity", {"goes"}, {"stays"});

struct LoopsTest : testing::Test, Messages {
  bool import(const std::string &graph, int opset = 17) {
    onnx::ModelProto proto = modelFromText("graph { " + valueText("input", "x", {"2"}) + graph + " }", opset);
    imported = importModel(proto, testing::TempDir(), options, context, diagnostics);
    return imported.has_value();
  }
  int countOps(llvm::StringRef name) {
    int count = 0;
    imported->module->walk([&](mlir::Operation *op) { count += op->getName().getStringRef() == name; });
    return count;
  }

  ImportOptions options;
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
  std::optional<ImportedModel> imported;
};

TEST_F(LoopsTest, aKnownTripCountIsUnrolled) {
  ASSERT_TRUE(import(scalarText("count", 3) + nodeText("Loop", {"count", "", "x"}, {"last", "all"}, loopBody(always)) +
                     outputText("last") + outputText("all")))
      << text;
  EXPECT_EQ(countOps("nn.add"), 3);
  EXPECT_EQ(countOps("nn.neg"), 3);
  EXPECT_EQ(countOps("nn.concat"), 1);
}

TEST_F(LoopsTest, aConditionThatIsWorkedOutEndsTheLoop) {
  std::string untilTwo = nodeText("Less", {"i", "two"}, {"stays"});
  ASSERT_TRUE(import(scalarText("count", INT64_MAX) + scalarText("two", 2) +
                     nodeText("Loop", {"count", "", "x"}, {"last", "all"}, loopBody(untilTwo)) + outputText("last")))
      << text;
  EXPECT_EQ(countOps("nn.add"), 3);
}

TEST_F(LoopsTest, noIterationGivesNoElements) {
  ASSERT_TRUE(import(scalarText("count", 5) + boolText("never", false) +
                     nodeText("Loop", {"count", "never", "x"}, {"last", "all"}, loopBody(always)) + outputText("last") +
                     outputText("all")))
      << text;
  EXPECT_EQ(countOps("nn.add"), 0);
}

TEST_F(LoopsTest, whatOnlyTheRunCountsStaysALoop) {
  std::string loop = nodeText("Loop", {"n", "", "x"}, {"last"}, loopBody(always)) + outputText("last");
  ASSERT_TRUE(import(valueText("input", "n", {}, 7) + loop)) << text;
  EXPECT_EQ(countOps("nn.loop"), 1);
  EXPECT_EQ(countOps("nn.add"), 1);
  std::string untilLarge =
      nodeText("ReduceSum", {"next"}, {"sum"}, intText("keepdims", 0)) + nodeText("Less", {"sum", "sum"}, {"stays"});
  ASSERT_TRUE(import(scalarText("count", 2) + nodeText("Loop", {"count", "", "x"}, {"last"}, loopBody(untilLarge)) +
                     outputText("last")))
      << text;
  EXPECT_EQ(countOps("nn.loop"), 1);
}

TEST_F(LoopsTest, manyIterationsStayALoop) {
  std::string body =
      graphText("body", inputText("i") + inputText("goes") + inputText("state") + always +
                            nodeText("Add", {"state", "x"}, {"next"}) + outputText("stays") + outputText("next"));
  ASSERT_TRUE(import(scalarText("count", 1'000'000) + nodeText("Loop", {"count", "", "x"}, {"last"}, body) +
                     outputText("last")))
      << text;
  EXPECT_EQ(countOps("nn.add"), 1);
}

TEST_F(LoopsTest, whatALoopGivesNeedsABound) {
  std::string loop = valueText("input", "n", {}, 7) +
                     nodeText("Loop", {"n", "", "x"}, {"last", "all"}, loopBody(always)) + outputText("all");
  EXPECT_FALSE(import(loop));
  EXPECT_CONTAINS(text, "node 'Loop_node' (Loop, opset 17): the extent of output 1 ('all') is found at run time, and "
                        "nothing tells how large it may be\n");
  EXPECT_CONTAINS(text, "note: give its bound by '--output-bound all=N'");
  options.graph.outputBounds = {"all=7"};
  EXPECT_TRUE(import(loop)) << text;
  options.graph.outputBounds = {"all=7", "last=7"};
  EXPECT_FALSE(import(loop));
  EXPECT_CONTAINS(text, "'--output-bound': no tensor 'last' has an extent that is found at run time");
}

TEST_F(LoopsTest, whatGrowsIsBoundedByTheTripCount) {
  std::string body = graphText("body", inputText("i") + inputText("goes") + inputText("list") +
                                           nodeText("ReduceSum", {"list"}, {"sum"}, intText("keepdims", 0)) +
                                           nodeText("Less", {"sum", "sum"}, {"stays"}) +
                                           nodeText("Concat", {"list", "x"}, {"longer"}, intText("axis", 0)) +
                                           outputText("stays") + outputText("longer"));
  ASSERT_TRUE(
      import(scalarText("count", 5) + nodeText("Loop", {"count", "", "x"}, {"last"}, body) + outputText("last")))
      << text;
  mlir::func::FuncOp function = *imported->module->getOps<mlir::func::FuncOp>().begin();
  llvm::SmallVector<aotc::nn::Dim> dims = aotc::nn::dimsOf(function);
  ASSERT_EQ(dims.size(), 1u);
  EXPECT_EQ(dims[0].maximum, 2 + 5 * 2);
}

TEST_F(LoopsTest, carriedValuesKeepTheirType) {
  std::string body = graphText("body", inputText("i") + inputText("goes") + inputText("state") + always +
                                           nodeText("Cast", {"state"}, {"next"}, intText("to", 7)) +
                                           outputText("stays") + outputText("next"));
  EXPECT_FALSE(
      import(valueText("input", "n", {}, 7) + nodeText("Loop", {"n", "", "x"}, {"last"}, body) + outputText("last")));
  EXPECT_CONTAINS(text, "carried value 0 must keep its type and rank where iterations are counted at run time, found "
                        "f32 [2] and then i64 [2]");
}

TEST_F(LoopsTest, anErrorInTheBodyIsReportedOnce) {
  std::string wrong = always + nodeText("Concat", {"state", "x"}, {"bad"}, intText("axis", 3));
  EXPECT_FALSE(import(scalarText("count", 3) +
                      nodeText("Loop", {"count", "", "x"}, {"last"},
                               graphText("body", inputText("i") + inputText("goes") + inputText("state") + wrong +
                                                     outputText("stays") + outputText("bad"))) +
                      outputText("last")));
  EXPECT_EQ(llvm::StringRef(text).count('\n'), 1u) << text;
}

TEST_F(LoopsTest, scansTakeSlicesAndGiveThem) {
  std::string body =
      graphText("body", inputText("state") + inputText("slice") + nodeText("Add", {"state", "slice"}, {"sum"}) +
                            outputText("sum") + nodeText("Neg", {"sum"}, {"each"}) + outputText("each"));
  std::string start = "initializer { name: \"start\" data_type: 1 float_data: 0 } ";
  ASSERT_TRUE(import(start + nodeText("Scan", {"start", "x"}, {"last", "all"}, body + intText("num_scan_inputs", 1)) +
                     outputText("last") + outputText("all")))
      << text;
  EXPECT_EQ(countOps("nn.slice"), 2);
  EXPECT_EQ(countOps("nn.concat"), 1);
}

TEST_F(LoopsTest, sequencesAreListsOfValues) {
  ASSERT_TRUE(
      import(scalarText("first", 0) + nodeText("Neg", {"x"}, {"n"}) + nodeText("SequenceConstruct", {"x", "n"}, {"s"}) +
             nodeText("SequenceInsert", {"s", "n", "first"}, {"t"}) + nodeText("SequenceErase", {"t"}, {"u"}) +
             nodeText("SequenceLength", {"u"}, {"count"}) +
             nodeText("ConcatFromSequence", {"u"}, {"y"}, intText("axis", 0)) + outputText("y") + outputText("count")))
      << text;
  EXPECT_EQ(countOps("nn.concat"), 1);
  EXPECT_EQ(countOps("builtin.unrealized_conversion_cast"), 0);
}

TEST_F(LoopsTest, sequencesStayInside) {
  std::string sequence = nodeText("SequenceConstruct", {"x", "x"}, {"s"});
  EXPECT_FALSE(import(sequence + outputText("s")));
  EXPECT_CONTAINS(text, "output 's' is a sequence or an optional: only tensors can be outputs");
  EXPECT_FALSE(import(sequence + nodeText("Neg", {"s"}, {"y"}) + outputText("y")));
  EXPECT_CONTAINS(text, "(Neg, opset 17): input 0 ('s') must be a tensor, found a sequence or an optional");
  EXPECT_FALSE(
      import(sequence + scalarText("third", 2) + nodeText("SequenceAt", {"s", "third"}, {"y"}) + outputText("y")));
  EXPECT_CONTAINS(text, "the position must lie in -2 … 1, found 2");
}

} // namespace
