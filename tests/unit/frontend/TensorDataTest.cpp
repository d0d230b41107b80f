// Bytes of tensors: raw, typed and external, and everything that may be wrong with them.
#include "ModelText.h"

#include "frontend/onnx/OnnxFile.h"
#include "frontend/onnx/TensorData.h"

#include <cstring>
#include <filesystem>
#include <fstream>

using namespace aotc::frontend;
namespace fs = std::filesystem;

namespace {

struct TensorDataTest : testing::Test, Messages {
  TensorDataTest() {
    fs::remove_all(root);
    fs::create_directories(root + "/model/sub");
  }

  std::optional<TensorData> take(const std::string &tensorText) {
    onnx::TensorProto tensor;
    EXPECT_TRUE(google::protobuf::TextFormat::ParseFromString(tensorText, &tensor));
    ExternalData external(root + "/model");
    return takeTensorData(tensor, "initializer 'w'", external, diagnostics);
  }
  std::optional<TensorData> takeExternal(const std::string &location, const std::string &more = "",
                                         const std::string &dims = "dims: 4") {
    return take("data_type: 1 data_location: EXTERNAL " + dims + " external_data { key: \"location\" value: \"" +
                location + "\" } " + more);
  }
  void write(const std::string &path, size_t bytes) {
    std::string content(bytes, '\0');
    for (size_t i = 0; i < bytes; ++i)
      content[i] = static_cast<char>(i);
    std::ofstream(root + "/" + path, std::ios::binary) << content;
  }

  std::string root = testing::TempDir() + "aotc_tensor_data";
};

TEST_F(TensorDataTest, rawBytes) {
  auto tensor = take("data_type: 1 dims: 2 raw_data: \"\\000\\000\\200\\077\\000\\000\\000\\100\"");
  ASSERT_TRUE(tensor) << text;
  float values[2];
  std::memcpy(values, tensor->data.bytes.data(), 8);
  EXPECT_EQ(values[0], 1.0f);
  EXPECT_EQ(values[1], 2.0f);
}

TEST_F(TensorDataTest, typedFields) {
  EXPECT_EQ(take("data_type: 10 dims: 1 int32_data: 15360")->data.bytes.size(), 2u);
  EXPECT_EQ(take("data_type: 3 dims: 2 int32_data: -128 int32_data: 127")->data.bytes[0], char(-128));
  EXPECT_EQ(take("data_type: 7 int64_data: 5")->data.bytes.size(), 8u);
  EXPECT_EQ(take("data_type: 22 dims: 3 int32_data: 33 int32_data: 3")->data.bytes.size(), 2u);
  EXPECT_EQ(take("data_type: 14 dims: 1 float_data: 1 float_data: 2")->data.bytes.size(), 8u);
  EXPECT_EQ(take("data_type: 8 dims: 2 string_data: \"a\" string_data: \"b\"")->strings.size(), 2u);
  EXPECT_EQ(take("data_type: 1 dims: 0 dims: 7")->data.bytes.size(), 0u);
  EXPECT_EQ(text, "");
}

TEST_F(TensorDataTest, lengthsThatDoNotFit) {
  EXPECT_FALSE(take("data_type: 1 dims: 4 raw_data: \"12345678\""));
  EXPECT_EQ(text, "model.onnx: initializer 'w': the shape [4] of float32 needs 16 bytes, found 8\n");
  for (const char *bad :
       {"data_type: 1 dims: 2 float_data: 1", "data_type: 1 dims: -1 raw_data: \"\"",
        "data_type: 1 dims: 4611686018427387904 dims: 4 raw_data: \"\"", "data_type: 99 dims: 1",
        "data_type: 0 dims: 1", "data_type: 3 dims: 1 int32_data: 300", "data_type: 8 dims: 2 string_data: \"a\"",
        "data_type: 9 dims: 1 int32_data: 2", "data_type: 1 dims: 1", "data_type: 1 segment { begin: 0 end: 1 }",
        "data_type: 8 data_location: EXTERNAL external_data { key: \"location\" value: \"w.bin\" }"})
    EXPECT_FALSE(take(bad)) << bad;
  EXPECT_EQ(diagnostics.getErrorCount(), 12u) << text;
}

TEST_F(TensorDataTest, externalDataIsReadAndMapped) {
  write("model/sub/w.bin", 100);
  auto small = takeExternal(
      "sub/w.bin", "external_data { key: \"offset\" value: \"5\" } external_data { key: \"length\" value: \"16\" }");
  ASSERT_TRUE(small) << text;
  EXPECT_EQ(small->data.bytes[0], 5);
  write("model/big.bin", 400100);
  auto big = takeExternal("./big.bin", "external_data { key: \"offset\" value: \"100\" }", "dims: 100000");
  ASSERT_TRUE(big) << text;
  EXPECT_EQ(big->data.bytes.size(), 400000u);
  EXPECT_EQ(big->data.bytes[1], 101);
}

TEST_F(TensorDataTest, externalDataStaysInTheFolder) {
  write("secret.bin", 16);
  write("model/w.bin", 16);
  write("model/linked.bin", 16);
  fs::create_symlink("../secret.bin", root + "/model/out.bin");
  fs::create_symlink("..", root + "/model/up");
  fs::create_symlink("w.bin", root + "/model/in.bin");
  fs::create_hard_link(root + "/model/linked.bin", root + "/outside.bin");
  for (std::string location :
       {"../secret.bin", "sub/../../secret.bin", "/etc/hostname", "out.bin", "up/secret.bin", "linked.bin", ""}) {
    unsigned before = diagnostics.getErrorCount();
    EXPECT_FALSE(takeExternal(location)) << location;
    EXPECT_EQ(diagnostics.getErrorCount(), before + 1) << location;
  }
  EXPECT_EQ(diagnostics.exitCode(), 1) << text;
  EXPECT_CONTAINS(text, "external data '../secret.bin' is outside the model's folder, and is not read");
  EXPECT_TRUE(takeExternal("in.bin")) << text;
}

TEST_F(TensorDataTest, externalLengths) {
  write("model/w.bin", 16);
  for (const char *more :
       {"external_data { key: \"offset\" value: \"4\" }", "external_data { key: \"length\" value: \"8\" }",
        "external_data { key: \"offset\" value: \"-4\" }", "external_data { key: \"offset\" value: \"x\" }",
        "external_data { key: \"offset\" value: \"18446744073709551615\" }"})
    EXPECT_FALSE(takeExternal("w.bin", more)) << more;
  EXPECT_EQ(diagnostics.exitCode(), 1);
  EXPECT_CONTAINS(text, "16 bytes at offset 4 are asked for, but external data 'w.bin' has only 16");
  Messages missing;
  std::swap(missing.text, text);
  EXPECT_FALSE(takeExternal("none.bin"));
  EXPECT_CONTAINS(text, "external data 'none.bin' cannot be opened: no such file or directory");
}

TEST_F(TensorDataTest, externalFilesAreListed) {
  write("model/w.bin", 16);
  ExternalData external(root + "/model");
  SharedBytes bytes;
  ASSERT_TRUE(external.read({"w.bin", 0, 16}, "w", bytes, diagnostics));
  EXPECT_EQ(*external.getFiles().begin(), root + "/model/w.bin");
}

TEST_F(TensorDataTest, modelFiles) {
  auto code = [&](const std::string &path) {
    Messages fresh;
    EXPECT_FALSE(OnnxFile::read(path, fresh.diagnostics)) << path;
    EXPECT_EQ(fresh.diagnostics.getErrorCount(), 1u) << path;
    return fresh.diagnostics.exitCode();
  };
  EXPECT_EQ(code(root + "/none.onnx"), 3);
  EXPECT_EQ(code(root + "/model"), 3);
  write("empty.onnx", 0);
  EXPECT_EQ(code(root + "/empty.onnx"), 1);
  std::ofstream(root + "/text.onnx") << "a few letters";
  EXPECT_EQ(code(root + "/text.onnx"), 1);
  std::string bytes =
      modelFromText("graph { " + valueText("input", "x", {"2"}) + valueText("output", "x", {"2"}) + " }")
          .SerializeAsString();
  std::ofstream(root + "/cut.onnx") << bytes.substr(0, bytes.size() - 3);
  EXPECT_EQ(code(root + "/cut.onnx"), 1);
  std::ofstream(root + "/good.onnx") << bytes;
  EXPECT_TRUE(OnnxFile::read(root + "/good.onnx", diagnostics)) << text;
}

} // namespace
