// The text of --describe.
#include "ModelText.h"

#include "frontend/onnx/Describe.h"

#include <fstream>

using namespace aotc::frontend;

TEST(DescribeTest, listsInputsOutputsDimensionsAndOperators) {
  std::string path = testing::TempDir() + "/describe.onnx";
  onnx::ModelProto model =
      modelFromText("graph { " + valueText("input", "x", {"N", "3", ""}) + nodeText("Foo", {"x"}, {"a"}) +
                    nodeText("Relu", {"a"}, {"y"}) + valueText("output", "y", {"N", "3", ""}, 7) + " }");
  std::ofstream(path, std::ios::binary) << model.SerializeAsString();
  Messages messages;
  std::string text;
  llvm::raw_string_ostream out(text);
  ASSERT_TRUE(describeModel(path, {}, out, messages.diagnostics)) << messages.text;
  EXPECT_EQ(text, "inputs\n"
                  "  x                        float32 [N,3,?]\n"
                  "outputs\n"
                  "  y                        int64 [N,3,?]\n"
                  "open dimensions (set by --input-dim)\n"
                  "  N                        dimension 0 of input 'x'\n"
                  "  x:2                      dimension 2 of input 'x'\n"
                  "operators\n"
                  "  Foo                      1 (opset 17), not supported\n"
                  "  Relu                     1 (opset 17)\n");
}
