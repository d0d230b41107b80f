// Identifiers from ONNX names: valid, readable, unique.
#include "codegen/cpp/Names.h"

#include "llvm/ADT/StringExtras.h"
#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <set>
#include <utility>

namespace {

using namespace aotc::codegen;

std::string clean(llvm::StringRef name) { return cleanIdentifier(name, "value"); }

TEST(CleanIdentifierTest, KeepsGoodNames) {
  EXPECT_EQ(clean("image"), "image");
  EXPECT_EQ(clean("conv2d_2"), "conv2d_2");
  EXPECT_EQ(clean("x"), "x");
}

TEST(CleanIdentifierTest, WritesSnakeCase) {
  EXPECT_EQ(clean("Identity"), "identity");
  EXPECT_EQ(clean("StatefulPartitionedCall:0"), "stateful_partitioned_call");
  EXPECT_EQ(clean("inputIDs"), "input_ids");
  EXPECT_EQ(clean("Conv2D"), "conv2d");
  EXPECT_EQ(clean("Yh"), "yh");
}

TEST(CleanIdentifierTest, ReplacesWhatIsNoLetterOrDigit) {
  EXPECT_EQ(clean("/model/layers.0/self_attn/MatMul_output_0"), "model_layers_0_self_attn_mat_mul_output_0");
  EXPECT_EQ(clean("onnx::Relu_12"), "onnx_relu_12");
  EXPECT_EQ(clean("my image (224 x 224)"), "my_image_224_x_224");
  EXPECT_EQ(clean("a__b___c"), "a_b_c");
  EXPECT_EQ(clean("_private_"), "private_") << "cleaned into a keyword";
}

TEST(CleanIdentifierTest, DropsOnlyATrailingOutputNumber) {
  EXPECT_EQ(clean("image:0"), "image");
  EXPECT_EQ(clean("image:12"), "image");
  EXPECT_EQ(clean("a:0:1"), "a_0");
  EXPECT_EQ(clean("image:first"), "image_first");
  EXPECT_EQ(clean(":0"), "value_0");
}

TEST(CleanIdentifierTest, PutsTheKindInFrontOfDigitsAndInPlaceOfNothing) {
  EXPECT_EQ(cleanIdentifier("1st.out/0:0", "output"), "output_1st_out_0");
  EXPECT_EQ(cleanIdentifier("42", "input"), "input_42");
  EXPECT_EQ(cleanIdentifier("", "input"), "input");
  EXPECT_EQ(cleanIdentifier("入力", "input"), "input");
  EXPECT_EQ(cleanIdentifier("größe", "input"), "gr_e");
}

TEST(CleanIdentifierTest, AvoidsKeywordsAndMacros) {
  for (const char *word : {"int", "class", "return", "and", "xor_eq", "co_await", "restrict", "thread_local", "concept",
                           "errno", "unix", "linux", "assert", "stdin", "major", "min", "near", "emit"})
    EXPECT_EQ(clean(word), std::string(word) + "_") << word;
  EXPECT_EQ(clean("NULL"), "null");
  EXPECT_EQ(clean("INT_MAX"), "int_max");
  EXPECT_EQ(clean("EOF"), "eof");
}

TEST(CleanIdentifierTest, KeepsTheEndOfLongNames) {
  const std::string identifier = clean(std::string(200, 'a') + "/Conv_17");
  EXPECT_EQ(identifier, "conv_17");
  EXPECT_EQ(clean(std::string(200, 'a')), std::string(80, 'a'));
}

TEST(OtherIdentifiersTest, ForTypesMacrosAndModels) {
  EXPECT_EQ(typeIdentifier("conv2d_2_relu"), "Conv2d2Relu");
  EXPECT_EQ(typeIdentifier("int_"), "Int");
  EXPECT_EQ(typeIdentifier("i"), "I_");
  EXPECT_EQ(macroIdentifier("class_"), "CLASS");
  EXPECT_EQ(cleanModelName("mlperf-resnet8.fp32"), "mlperf_resnet8_fp32");
  EXPECT_EQ(cleanModelName("2024_detector"), "model_2024_detector");
  EXPECT_EQ(cleanModelName("exp"), "exp_model");
  EXPECT_EQ(cleanModelName("std"), "std_model");
  EXPECT_EQ(cleanModelName("main"), "main_model");
  EXPECT_EQ(cleanModelName("All"), "all_model");
  EXPECT_EQ(cleanModelName("test"), "test_model");
}

// What the compiler prints of a C++ source, with its errors.
std::string compilerSays(const std::string &options, const std::string &source) {
  const std::string file = testing::TempDir() + "aotc_names_test.cpp";
  std::ofstream(file) << source;
  std::string text;
  FILE *output = popen((COMPILER " -std=gnu++17 " + options + " " + file + " 2>&1").c_str(), "r");
  for (int c; output && (c = std::fgetc(output)) != EOF;)
    text += static_cast<char>(c);
  EXPECT_TRUE(output && pclose(output) == 0) << text;
  return text;
}

// A namespace for every word in them whose name a model would keep.
std::string namespacesFor(const std::string &headers) {
  std::set<std::string> words;
  std::string word, text;
  for (char c : headers + " ") {
    if (llvm::isAlnum(c) || c == '_')
      word += c;
    else
      words.insert(std::exchange(word, ""));
  }
  for (const std::string &name : words)
    if (!name.empty() && cleanModelName(name) == name)
      text += "namespace " + name + " {}\n";
  return text;
}

TEST(OtherIdentifiersTest, ModelsAreCalledLikeNothingInTheHeadersOfC) {
  std::string includes;
  for (const char *header : {"math", "string", "strings", "ctype", "time", "stdlib", "stdio", "unistd"})
    includes += std::string("#include <") + header + ".h>\n";
  const std::string names = namespacesFor(compilerSays("-E -P", includes));
  EXPECT_GT(names.size(), 1000u);
  EXPECT_EQ(compilerSays("-fsyntax-only", includes + names), "");
  for (const char *name : {"log2", "hypotf", "nan", "memset", "localtime_r", "isalpha_l", "getc_unlocked", "size_t"})
    EXPECT_EQ(cleanModelName(name), std::string(name) + "_model");
  for (const char *name : {"vgg_t", "f32_net", "detector", "timer"})
    EXPECT_EQ(cleanModelName(name), name);
}

TEST(NameTableTest, MakesNamesUnique) {
  NameTable names;
  EXPECT_EQ(names.add("a.b", "value"), "a_b");
  EXPECT_EQ(names.add("a/b", "value"), "a_b_value");
  EXPECT_EQ(names.add("a:b", "value"), "a_b_2");
  EXPECT_EQ(names.add("A_B", "value"), "a_b_3");
  EXPECT_EQ(names.add("int", "value"), "int_");
  EXPECT_EQ(names.add("int", "value"), "int_value");
  EXPECT_EQ(names.add("int", "value"), "int_2");
  EXPECT_EQ(names.add("", "value"), "value");
  EXPECT_EQ(names.add("", "value"), "value_2");
}

TEST(NameTableTest, NumbersStepAsideForNamesThatLookNumbered) {
  NameTable names;
  EXPECT_EQ(names.add("x_2", "value"), "x_2");
  EXPECT_EQ(names.add("x", "value"), "x");
  EXPECT_EQ(names.add("x", "value"), "x_value");
  EXPECT_EQ(names.add("x", "value"), "x_3");
}

TEST(NameTableTest, TakesPrefixedNamesToo) {
  NameTable names;
  EXPECT_EQ(names.add("x", "input", {"bind_"}), "x");
  EXPECT_EQ(names.add("bind_x", "input", {"bind_"}), "bind_x_input");
  EXPECT_EQ(names.add("bind_y", "input", {"bind_"}), "bind_y");
  EXPECT_EQ(names.add("y", "input", {"bind_"}), "y_input") << "y would need bind_y";
}

TEST(NameTableTest, StaysLinearForManyEqualNames) {
  NameTable names;
  std::set<std::string> seen;
  for (int i = 0; i < 20000; ++i)
    seen.insert(names.add("relu", "value"));
  EXPECT_EQ(seen.size(), 20000u);
  EXPECT_EQ(names.add("relu", "value"), "relu_20000");
}

TensorDescription named(const char *name) {
  TensorDescription tensor;
  tensor.onnxName = name;
  return tensor;
}

TEST(AssignNamesTest, KeepsAwayFromMembersOfTheSession) {
  ModelDescription model;
  model.inputs = {named("run"), named("status"), named("x"), named("input"), named("Model")};
  model.outputs = {named("x"), named("threads:0"), named("output")};
  BoundedDim dim;
  dim.onnxName = "x";
  model.boundedDims = {dim};
  assignNames(model);

  EXPECT_EQ(model.inputs[0].identifier, "run_input");
  EXPECT_EQ(model.inputs[1].identifier, "status_input");
  EXPECT_EQ(model.inputs[2].identifier, "x");
  EXPECT_EQ(model.inputs[3].identifier, "input") << "input() and input(int) are overloads";
  EXPECT_EQ(model.inputs[4].identifier, "model_input");
  EXPECT_EQ(model.outputs[0].identifier, "x_output") << "an output that is an input";
  EXPECT_EQ(model.outputs[1].identifier, "threads_output");
  EXPECT_EQ(model.outputs[2].identifier, "output");
  EXPECT_EQ(model.boundedDims[0].identifier, "x_dim");
}

TEST(AssignNamesTest, AvoidsWhatSessionsForAGpuHaveBeside) {
  ModelDescription model;
  model.inputs = {named("core"), named("finish")};
  assignNames(model);
  EXPECT_EQ(model.inputs[0].identifier, "core");
  model.isForGpu = true;
  assignNames(model);
  EXPECT_EQ(model.inputs[0].identifier, "core_input");
  EXPECT_EQ(model.inputs[1].identifier, "finish_input");
}

TEST(AssignNamesTest, MakesTypesUniqueToo) {
  ModelDescription model;
  model.inputs = {named("input_1"), named("input1"), named("session"), named("frame")};
  assignNames(model);
  EXPECT_EQ(model.inputs[0].typeIdentifier, "Input1");
  EXPECT_EQ(model.inputs[1].typeIdentifier, "Input1_2");
  EXPECT_EQ(model.inputs[2].typeIdentifier, "Session_2");
  EXPECT_EQ(model.inputs[3].typeIdentifier, "Frame_2");
}

} // namespace
