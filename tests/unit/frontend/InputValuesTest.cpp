// Values for inputs from .npy files: what the model is then, and each way in which a file does not fit.
#include "ModelText.h"

#include "frontend/onnx/InputValues.h"

#include <fstream>

using namespace aotc::frontend;

namespace {

struct InputValuesTest : testing::Test, Messages {
  /// x of float32 [2,N], k of int64 [2] with a default, s of bool and of no shape.
  InputValuesTest() {
    proto = modelFromText("graph { " + valueText("input", "x", {"2", "N"}) + valueText("input", "k", {"2"}, 7) +
                          "input { name: \"s\" type { tensor_type { elem_type: 9 } } } "
                          "initializer { name: \"k\" data_type: 7 dims: 2 int64_data: [5, 6] } "
                          "initializer { name: \"w\" data_type: 1 float_data: 1 } " +
                          nodeText("Identity", {"x"}, {"y"}) + valueText("output", "y", {}) + " }");
  }

  /// The path of a file of that header and `bytes`.
  static std::string npy(const std::string &descr, const std::string &shape, const std::string &bytes,
                         const std::string &order = "False") {
    std::string path = testing::TempDir() + "/value.npy";
    std::string header = "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }\n";
    std::string start("\x93NUMPY\x01\x00", 8);
    start += static_cast<char>(header.size());
    start += '\0';
    std::ofstream(path, std::ios::binary) << start << header << bytes;
    return path;
  }

  bool add(const std::vector<std::string> &flags) { return addInputValues(proto, flags, diagnostics); }

  onnx::ModelProto proto;
};

const std::string twoIntegers("\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16);

TEST_F(InputValuesTest, aValueReplacesTheDefault) {
  ASSERT_TRUE(add({"k=" + npy("<i8", "(2,)", twoIntegers)})) << text;
  ASSERT_EQ(proto.graph().initializer_size(), 2);
  const onnx::TensorProto &tensor = proto.graph().initializer(0);
  EXPECT_EQ(tensor.name(), "k");
  EXPECT_EQ(tensor.data_type(), 7);
  EXPECT_EQ(tensor.dims_size(), 1);
  EXPECT_EQ(tensor.int64_data_size(), 0);
  EXPECT_EQ(tensor.raw_data(), twoIntegers);
}

TEST_F(InputValuesTest, theInputIsNoneOfTheModel) {
  GraphOptions options;
  options.inputValues = {"k=" + npy("<i8", "(2,)", twoIntegers)};
  auto model = buildModel(proto, options, diagnostics);
  ASSERT_TRUE(model) << text;
  EXPECT_EQ(model->graph.inputs.size(), 2u);
  EXPECT_EQ(model->value(model->graph.initializers[0]).name, "k");
  EXPECT_EQ(text, ""); // what the user asked for needs no note
}

TEST_F(InputValuesTest, openShapesTakeWhatTheyGet) {
  EXPECT_TRUE(add({"x=" + npy("<f4", "(2, 1)", std::string(8, '\0'))})) << text;
  EXPECT_TRUE(add({"s=" + npy("|b1", "()", "\1")})) << text;
}

TEST_F(InputValuesTest, whatDoesNotFitIsRefused) {
  auto expectRefused = [&](const std::string &file, const std::string &message) {
    text.clear();
    EXPECT_FALSE(add({"k=" + file}));
    EXPECT_EQ(text, "model.onnx: input 'k': " + message + " in '" + file + "'\n");
  };
  expectRefused(npy("<i4", "(2,)", "12345678"), "the model declares int64, which NumPy calls '<i8', found '<i4'");
  expectRefused(npy("<i8", "(1, 2)", twoIntegers), "the model declares shape [2], found [1,2]");
  expectRefused(npy("<i8", "(2,)", "short"), "there must be 16 bytes for shape [2], found 5");
  text.clear();
  EXPECT_FALSE(add({"x=" + npy("<f4", "(2, 2)", std::string(16, '\0'), "True")}));
  EXPECT_CONTAINS(text, "the array is in Fortran order");
  EXPECT_EQ(diagnostics.exitCode(), 1);
}

TEST_F(InputValuesTest, flagsThatFitNoInput) {
  const std::string file = npy("<i8", "(2,)", twoIntegers);
  EXPECT_FALSE(add({"nothing=" + file}));
  EXPECT_EQ(text, "model.onnx: --input-value: the model has no input 'nothing'\n");
  EXPECT_EQ(diagnostics.exitCode(), 2);
  text.clear();
  EXPECT_FALSE(add({"k=" + file, "k=" + file}));
  EXPECT_EQ(text, "model.onnx: --input-value: input 'k' is given twice\n");
}

TEST_F(InputValuesTest, aMissingFileIsTheSystemsError) {
  EXPECT_FALSE(add({"k=/nowhere/k.npy"}));
  EXPECT_EQ(text, "model.onnx: cannot read '/nowhere/k.npy': no such file or directory\n");
  EXPECT_EQ(diagnostics.exitCode(), 3);
}

} // namespace
