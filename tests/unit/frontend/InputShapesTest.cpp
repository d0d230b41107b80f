// Open dimensions of inputs, and the flags that close them.
#include "ModelText.h"

#include "frontend/onnx/InputShapes.h"

#include <fstream>

using namespace aotc::frontend;

namespace {

struct InputShapesTest : testing::Test, Messages {
  using Shapes = std::optional<std::vector<InputShape>>;

  Shapes resolve(const std::string &inputs, const ShapeFlags &flags = {}) {
    proto = modelFromText("graph { " + inputs + "initializer { name: \"c\" data_type: 1 float_data: 1 } " +
                          valueText("output", "c", {}) + " }");
    model = buildModel(proto, {}, diagnostics);
    return resolveInputShapes(*model, flags, diagnostics);
  }
  std::string npy(const std::string &name, const std::string &shape) {
    std::string path = testing::TempDir() + "/" + name;
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }\n";
    std::string bytes = std::string("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(header.size());
    bytes += '\0';
    std::ofstream(path, std::ios::binary) << bytes << header;
    return path;
  }
  onnx::ModelProto proto;
  std::unique_ptr<Model> model;
};

std::vector<int64_t> uppers(const InputShape &shape) {
  std::vector<int64_t> result;
  for (const Extent &extent : shape.extents)
    result.push_back(extent.upper);
  return result;
}

using Dims = std::vector<int64_t>;

TEST_F(InputShapesTest, leadingDimensionBecomesOneWithOneWarning) {
  auto shapes = resolve(valueText("input", "x", {"N", "3"}) + valueText("input", "y", {"3", "N"}) +
                        valueText("input", "z", {"", "2"}));
  ASSERT_TRUE(shapes) << text;
  EXPECT_EQ(uppers((*shapes)[0]), (Dims{1, 3}));
  EXPECT_EQ(uppers((*shapes)[1]), (Dims{3, 1}));
  EXPECT_EQ(uppers((*shapes)[2]), (Dims{1, 2}));
  EXPECT_EQ(text, "model.onnx: warning: 'N' (dimension 0 of input 'x'), dimension 0 of input 'z': taken as 1\n"
                  "note: --input-dim N=4 compiles for 4, --input-dim N=1..4 for any size up to 4\n");
}

TEST_F(InputShapesTest, otherOpenDimensionsAreReportedTogether) {
  EXPECT_FALSE(resolve(valueText("input", "x", {"N", "H", "W", "3"}) + valueText("input", "y", {"2", "H", "-1"})));
  EXPECT_EQ(text, "model.onnx: 3 dimensions are open: 'H' (dimension 1 of input 'x'), 'W' (dimension 2 of input 'x'), "
                  "dimension 2 of input 'y'\n"
                  "note: add --input-dim H=N --input-dim W=N --input-dim y:2=N, with the sizes to compile for, or "
                  "--input-shape, or --like INPUT.npy\n");
  EXPECT_EQ(diagnostics.exitCode(), 1);
}

TEST_F(InputShapesTest, flagsByNameAndByPlace) {
  auto shapes = resolve(valueText("input", "x:0", {"N", "H", "3"}), {{"N=1..8", "x:0:1=32"}, {}});
  ASSERT_TRUE(shapes) << text;
  EXPECT_EQ(uppers((*shapes)[0]), (Dims{8, 32, 3}));
  EXPECT_EQ((*shapes)[0].extents[0].lower, 1);
  EXPECT_EQ((*shapes)[0].extents[0].symbol, "N");
  EXPECT_EQ(text, "");
}

TEST_F(InputShapesTest, boundedPlaceWithoutANameIsCalledByItsPlace) {
  auto shapes = resolve(valueText("input", "x", {"?", "3"}), {{"x:0=1..8"}, {}});
  ASSERT_TRUE(shapes) << text;
  EXPECT_EQ((*shapes)[0].extents[0].symbol, "x:0");
}

TEST_F(InputShapesTest, nameThatFitsBothReadingsIsRefused) {
  EXPECT_FALSE(resolve(valueText("input", "x", {"x:0", "3"}), {{"x:0=4"}, {}}));
  EXPECT_CONTAINS(text, "'x:0' is both the name of a dimension and a dimension of an input");
  EXPECT_EQ(diagnostics.exitCode(), 2);
}

TEST_F(InputShapesTest, flagsThatDoNotFit) {
  std::string inputs = valueText("input", "x", {"N", "3"});
  for (const char *flag :
       {"N", "N=", "N=-1..2", "N=4..2", "=4", "N=1..", "N=-1", "N=99999999999999999999", "M=1", "x:1=3", "x:2=3"}) {
    Messages fresh;
    auto built = modelFromText("graph { " + inputs + valueText("output", "x", {"N", "3"}) + " }");
    auto view = buildModel(built, {}, fresh.diagnostics);
    EXPECT_FALSE(resolveInputShapes(*view, {{flag}, {}}, fresh.diagnostics)) << flag;
    EXPECT_EQ(fresh.diagnostics.exitCode(), 2) << flag << fresh.text;
  }
  EXPECT_FALSE(resolve(inputs, {{"N=2", "x:0=3"}, {}}));
  EXPECT_CONTAINS(text, "is given twice, with different sizes");
}

TEST_F(InputShapesTest, aRangeMayBeginWithNothing) {
  auto shapes = resolve(valueText("input", "x", {"N", "3"}), {{"N=0..4"}, {}});
  ASSERT_TRUE(shapes) << text;
  EXPECT_EQ((*shapes)[0].extents[0].lower, 0);
  EXPECT_EQ((*shapes)[0].extents[0].upper, 4);
}

TEST_F(InputShapesTest, likeGivesTheShapeOfTheInputAtItsPlace) {
  auto shapes = resolve(valueText("input", "x", {"N", "3"}) + valueText("input", "y", {"N", "H", "W"}),
                        {{"H=1..20"}, {npy("a.npy", "(2, 3)"), npy("b.npy", "(2, 10, 7)")}});
  ASSERT_TRUE(shapes) << text;
  EXPECT_EQ(uppers((*shapes)[0]), (Dims{2, 3}));
  EXPECT_EQ(uppers((*shapes)[1]), (Dims{2, 20, 7}));
}

TEST_F(InputShapesTest, likeThatContradicts) {
  EXPECT_FALSE(resolve(valueText("input", "x", {"N", "3"}), {{}, {npy("c.npy", "(2, 4)")}}));
  EXPECT_CONTAINS(text, "input 'x': dimension 1 must be 3, found 4 in");
  Messages other;
  std::string missing = testing::TempDir() + "/missing.npy";
  EXPECT_FALSE(resolveInputShapes(*model, {{}, {missing}}, other.diagnostics));
  EXPECT_EQ(other.diagnostics.exitCode(), 3);
  Messages twice;
  EXPECT_FALSE(resolveInputShapes(*model, {{}, {missing, missing}}, twice.diagnostics));
  EXPECT_EQ(twice.diagnostics.exitCode(), 2);
}

TEST_F(InputShapesTest, unknownRankNeedsLike) {
  std::string input = "input { name: \"x\" type { tensor_type { elem_type: 1 } } } ";
  EXPECT_FALSE(resolve(input));
  EXPECT_CONTAINS(text, "the model declares no shape for it");
  auto shapes = resolve(input, {{}, {npy("d.npy", "(5,)")}});
  ASSERT_TRUE(shapes);
  EXPECT_EQ(uppers((*shapes)[0]), (Dims{5}));
}

TEST_F(InputShapesTest, constantsAreNoInputs) {
  proto = modelFromText("graph { " + valueText("input", "w", {"N"}) +
                        "initializer { name: \"w\" data_type: 1 dims: 1 float_data: 1 } " +
                        valueText("output", "w", {"1"}) + " }");
  model = buildModel(proto, {}, diagnostics);
  EXPECT_FALSE(resolveInputShapes(*model, {{"w:0=1"}, {}}, diagnostics));
  EXPECT_CONTAINS(text, "the input is a constant, since it has a value");
}

} // namespace
