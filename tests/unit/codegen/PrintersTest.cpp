// What the printers of headers and session say. That it compiles and works is for tests/unit/generated.
#include "codegen/cpp/ApiHeader.h"
#include "codegen/cpp/CHeader.h"
#include "codegen/cpp/Names.h"
#include "codegen/cpp/SessionSource.h"
#include "codegen/cpp/Text.h"

#include "aotc/element.hpp"
#include "aotc/status.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace {

using namespace aotc::codegen;

ModelDescription tiny() {
  ModelDescription model;
  model.name = "tiny";
  model.toolVersion = "0.1.0";
  model.summary = "a test, f32";
  TensorDescription image, scores;
  image.onnxName = "image:0";
  image.shape = {{1}, {2}};
  image.arenaOffsetBytes = 0;
  scores.onnxName = "Identity";
  scores.shape = {{1}, {3}};
  scores.arenaOffsetBytes = 64;
  model.inputs = {image};
  model.outputs = {scores};
  model.arenaBytes = 128;
  model.weightsBytes = 4096;
  model.weightsHash = std::string(64, 'c');
  model.levels = {{"v4", {"x86-64-v4", "avx512vnni"}}, {"v3", {"x86-64-v3"}}};
  model.steps = {{"gemm", "Gemm \"fc\" + Relu", 6, "[1,2] -> [1,3]"}};
  assignNames(model);
  return model;
}

std::string header(const ModelDescription &model) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printApiHeader(os, model);
  return text;
}

std::string cHeader(const ModelDescription &model) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printCHeader(os, model);
  return text;
}

std::string source(const ModelDescription &model) {
  std::string text;
  llvm::raw_string_ostream os(text);
  printSessionSource(os, model, [&](llvm::raw_ostream &body) {
    printStepComment(body, model, 0, 2);
    body << "  pool.run(steps[0], frame);\n";
  });
  return text;
}

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
#define EXPECT_HAS_NOT(text, part) EXPECT_EQ((text).find(part), std::string::npos) << (text)

TEST(ApiHeaderTest, TellsAllThatACallerNeeds) {
  const std::string text = header(tiny());
  EXPECT_HAS(text, "// tiny: a test, f32");
  EXPECT_HAS(text, "//   input   image     f32 [1,2]  ONNX name \"image:0\"\n"
                   "//   output  identity  f32 [1,3]  ONNX name \"Identity\"\n"
                   "//   arena 128 bytes   weights 4,096 bytes, embedded   6 MAC\n");
  EXPECT_HAS(text, "using Image = aotc::Tensor<float, 1, 2>;\n");
  EXPECT_HAS(text, "  Image image() const noexcept {");
  EXPECT_HAS(text, "  aotc::Status bind_image(const float* buffer) noexcept {");
  EXPECT_HAS(text, "  [[nodiscard]] aotc::Status run() noexcept;\n");
  EXPECT_HAS_NOT(text, "set_dim");
  EXPECT_HAS_NOT(text, "weights_path");
}

TEST(ApiHeaderTest, EveryLineFitsThePage) {
  for (const std::string &text : {header(tiny()), cHeader(tiny()), source(tiny())})
    for (llvm::StringRef rest = text; !rest.empty();) {
      const auto [line, next] = rest.split('\n');
      EXPECT_LE(line.size(), 120u) << line.str();
      EXPECT_EQ(line.rtrim(), line) << "blanks at the end";
      rest = next;
    }
}

TEST(ApiHeaderTest, IsTheSameEveryTime) { EXPECT_EQ(header(tiny()), header(tiny())); }

TEST(SessionSourceTest, ChoosesTheBestLevelFirst) {
  const std::string text = source(tiny());
  EXPECT_HAS(text, "extern const aotc::Step steps_v4[], steps_v3[];\n");
  EXPECT_HAS(text,
             "  if (__builtin_cpu_supports(\"x86-64-v4\") && __builtin_cpu_supports(\"avx512vnni\")) return steps_v4;\n"
             "  if (__builtin_cpu_supports(\"x86-64-v3\")) return steps_v3;\n"
             "  return nullptr;\n");
}

TEST(SessionSourceTest, PrintsStepsWithTheirComments) {
  EXPECT_HAS(source(tiny()), "  // 0  Gemm \"fc\" + Relu" + std::string(52, ' ') + "6 MAC" + std::string(25, ' ') +
                                 "[1,2] -> [1,3]\n  pool.run(steps[0], frame);\n");
}

std::string stepComment(const StepDescription &step, size_t index, size_t indent) {
  ModelDescription model = tiny();
  model.steps.assign(index + 1, step);
  std::string text;
  llvm::raw_string_ostream os(text);
  printStepComment(os, model, index, indent);
  return os.str();
}

TEST(SessionSourceTest, AlignsTheCommentsOfSteps) {
  EXPECT_EQ(stepComment({"gemm", "Gemm", 0, ""}, 7, 2), "  // 7  Gemm\n");
  EXPECT_EQ(stepComment({"gemm", "Gemm", 0, ""}, 11, 2), "  // 11 Gemm\n");
}

TEST(SessionSourceTest, PutsWorkAndShapesOnALineOfTheirOwnWhereTheyDoNotFit) {
  const std::string nodes = "Conv \"" + std::string(60, 'c') + "\" + QuantizeLinear + DequantizeLinear";
  EXPECT_EQ(stepComment({"conv", nodes, 6, "[1,2] -> [1,3]"}, 12, 0),
            "// 12 " + nodes + "\n//" + std::string(74, ' ') + "6 MAC" + std::string(25, ' ') + "[1,2] -> [1,3]\n");
}

TEST(SessionSourceTest, WeightsFileStartsWithWhatTheCodeExpects) {
  ModelDescription model = tiny();
  model.weightsMode = WeightsMode::File;
  const std::string start = weightsFileHeader(model);
  ASSERT_EQ(start.size(), 64u);
  EXPECT_EQ(start.substr(0, 8), std::string("aotcwgt\0", 8));
  EXPECT_EQ(start.substr(8, 8), std::string("\0\x10\0\0\0\0\0\0", 8));
  EXPECT_EQ(start.substr(16, 48), std::string(40, 'c') + std::string(8, '\0'));
  EXPECT_HAS(source(model), "weights_header{\"aotcwgt\", 4096, \"" + std::string(40, 'c') + "\"}");
  EXPECT_HAS_NOT(source(model), "extern \"C\" const std::byte tiny_weights");
}

TEST(CHeaderTest, StatusCodesAreThoseOfTheRuntime) {
  ASSERT_EQ(statusNames().size(), static_cast<size_t>(aotc::status_count));
  EXPECT_STREQ(statusNames()[static_cast<size_t>(aotc::Status::arena_too_small)], "arena_too_small");
  EXPECT_STREQ(statusNames()[static_cast<size_t>(aotc::Status::version_mismatch)], "version_mismatch");
  EXPECT_STREQ(statusNames()[static_cast<size_t>(aotc::Status::null_buffer)], "null_buffer");
  EXPECT_STREQ(statusNames()[static_cast<size_t>(aotc::Status::feature_missing)], "feature_missing");
}

TEST(TextTest, ElementTypesAreThoseOfTheRuntime) {
  for (const ElementText &element : elementTexts())
    EXPECT_GT(aotc::element_bytes(static_cast<aotc::Element>(element.type)), 0u) << element.enumerator;
  EXPECT_STREQ(elementText(static_cast<ElementType>(aotc::Element::bf16)).enumerator, "bf16");
  EXPECT_STREQ(elementText(static_cast<ElementType>(aotc::Element::boolean)).enumerator, "boolean");
  EXPECT_STREQ(elementText(static_cast<ElementType>(aotc::Element::i4)).enumerator, "i4");
}

TEST(TextTest, RuntimeVersionIsTheShippedOne) { EXPECT_EQ(runtimeVersion, AOTC_RUNTIME_VERSION); }

TEST(TextTest, SpellsNumbers) {
  EXPECT_EQ(groupDigits(0), "0");
  EXPECT_EQ(groupDigits(999), "999");
  EXPECT_EQ(groupDigits(1000), "1,000");
  EXPECT_EQ(groupDigits(1234567), "1,234,567");
  EXPECT_EQ(macsText(0), "");
  EXPECT_EQ(macsText(640), "640 MAC");
  EXPECT_EQ(macsText(442368), "0.44 MMAC");
  EXPECT_EQ(macsText(12500000), "12.5 MMAC");
  EXPECT_EQ(macsText(285856000), "286 MMAC");
  EXPECT_EQ(macsText(3860000000), "3.86 GMAC");
}

TEST(TextTest, QuotesAnything) {
  EXPECT_EQ(quoted("a\"b\\c"), "\"a\\\"b\\\\c\"");
  EXPECT_EQ(quoted("a\n1"), "\"a\\0121\"");
  EXPECT_EQ(quoted("?\?/"), "\"\\?\\?/\"");
}

TEST(TextTest, CommentsCannotEndEarly) {
  EXPECT_EQ(commentText("a*/b"), "a* /b");
  EXPECT_EQ(commentText("a/*b"), "a/ *b");
  EXPECT_EQ(commentText("a\nb"), "a b");
  EXPECT_EQ(commentText("a\\"), "a\\.");
}

TEST(TextTest, InterfaceHashSeesWhatCallersSee) {
  const uint32_t hash = interfaceHash(tiny());
  ModelDescription model = tiny();
  model.steps.front().macs = 7;
  EXPECT_EQ(interfaceHash(model), hash) << "not part of the interface";
  model.outputs.front().shape.back().extent = 4;
  EXPECT_NE(interfaceHash(model), hash);
}

} // namespace
