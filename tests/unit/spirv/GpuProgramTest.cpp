// Shaders, bindings and barriers of planned modules written by hand. What shaders compute is tested by running them
// (tests/e2e/run_vulkan_steps.py).
#include "PrintedForVulkan.h"
#include "RuntimeNumbers.h"

#include "codegen/spirv/Bindings.h"

#include <gtest/gtest.h>

using namespace aotc;
using namespace aotc::codegen;
using namespace aotc::test;
using namespace mlir;

namespace {

using Memory = BindingDescription::Memory;

// The program that a planned module becomes.
class Built {
public:
  explicit Built(const std::string &text, bool gpuOnly = false)
      : printed(
            text,
            [this](ArrayRef<PrintedStep> steps, BufferTable &buffers, const GpuOptions &options) {
              FailureOr<GpuProgram> made = buildGpuProgram(steps, buffers, options);
              if (succeeded(made))
                program = *made;
              return made;
            },
            gpuOnly) {}
  bool isGood() const { return printed.code != nullptr; }

  GpuProgram program;
  PrintedForVulkan printed;
};

// A function of `inputs` vectors x0, x1, ... of 64 floats, which lie from byte 2048 of the arena on.
std::string function(int inputs, const std::string &views, const std::string &steps, const std::string &result) {
  std::string arguments, offsets;
  for (int i = 0; i < inputs; ++i) {
    const std::string number = std::to_string(i);
    arguments += ", %x" + number + ": memref<64xf32> {aotc.name = \"x" + number + "\"}";
    offsets += (i ? ", " : "") + std::to_string(2048 + 256 * i);
  }
  return "func.func @main(%arena: memref<8192xi8>" + arguments +
         ") -> (memref<64xf32> {aotc.name = \"y\"}) attributes {aotc.input_offsets = array<i64: " + offsets + ">} {\n" +
         views + steps + "  return %" + result + " : memref<64xf32>\n}\n";
}

std::string view(const std::string &name, int offset) {
  return "  %o" + name + " = arith.constant " + std::to_string(offset) + " : index\n  %" + name +
         " = memref.view %arena[%o" + name + "][] : memref<8192xi8> to memref<64xf32>\n";
}

// out = the sum of the vectors `ins`.
std::string sum(const std::vector<std::string> &ins, const std::string &out) {
  std::string maps, values, types, arguments, body = "%a0";
  std::string ops;
  for (size_t i = 0; i < ins.size(); ++i) {
    const std::string number = std::to_string(i), comma = i ? ", " : "";
    maps += "affine_map<(d) -> (d)>, ";
    values += comma + "%" + ins[i];
    types += comma + "memref<64xf32>";
    arguments += "%a" + number + ": f32, ";
    if (i)
      ops += "    %s" + number + " = arith.addf " + body + ", %a" + number + " : f32\n", body = "%s" + number;
  }
  return "  linalg.generic {indexing_maps = [" + maps +
         "affine_map<(d) -> (d)>], iterator_types = [\"parallel\"]} ins(" + values + " : " + types + ") outs(%" + out +
         " : memref<64xf32>) {\n  ^bb0(" + arguments + "%r: f32):\n" + ops + "    linalg.yield " + body +
         " : f32\n  } " + node(out, "Sum") + "\n";
}

TEST(GpuProgramTest, MakesOneShaderOfEqualStepsAndWaitsWhereOneNeedsAnother) {
  Built built(function(2, view("a", 0) + view("b", 256) + view("y", 512),
                       sum({"x0", "x1"}, "a") + sum({"x1", "x0"}, "b") + sum({"a", "b"}, "y"), "y"));
  ASSERT_TRUE(built.isGood()) << built.printed.diagnostics;
  ASSERT_EQ(built.program.dispatches.size(), 3u);
  EXPECT_EQ(built.program.shaders.size(), 1u);
  EXPECT_FALSE(built.program.dispatches[0].waits);
  EXPECT_FALSE(built.program.dispatches[1].waits); // of what the first reads it writes nothing
  EXPECT_TRUE(built.program.dispatches[2].waits);
}

TEST(GpuProgramTest, WaitsOncePerLevel) {
  // Two chains, one behind the other in the plan.
  Built built(function(
      1, view("a", 0) + view("b", 256) + view("c", 512) + view("d", 768) + view("y", 1024),
      sum({"x0"}, "a") + sum({"a"}, "b") + sum({"x0", "x0"}, "c") + sum({"c", "c"}, "d") + sum({"b", "d"}, "y"), "y"));
  ASSERT_TRUE(built.isGood()) << built.printed.diagnostics;
  EXPECT_EQ(llvm::count_if(built.program.dispatches, [](const DispatchDescription &d) { return d.waits; }), 2);
}

TEST(GpuProgramTest, WaitsBeforeItWritesWhatWasRead) {
  Built built(function(1, view("a", 0) + view("b", 2048) + view("y", 512),
                       sum({"x0"}, "a") + sum({"a", "a"}, "y") + sum({"a", "y"}, "b") + sum({"b", "b"}, "y"), "y"));
  ASSERT_TRUE(built.isGood()) << built.printed.diagnostics;
  // b lies where the input was, which the first step reads behind two barriers; y is read by the third.
  for (size_t i = 1; i < 4; ++i)
    EXPECT_TRUE(built.program.dispatches[i].waits) << i;
}

TEST(GpuProgramTest, BindsNoMoreThanFourBuffers) {
  Built built(function(5, view("a", 0) + view("y", 256),
                       sum({"x0", "x1", "x2", "x3", "x4"}, "a") + sum({"a", "x0"}, "y"), "y"));
  ASSERT_TRUE(built.isGood()) << built.printed.diagnostics;
  const DispatchDescription &wide = built.program.dispatches[0], &narrow = built.program.dispatches[1];
  EXPECT_LE(wide.bindings.size(), 4u);
  for (const BindingDescription &binding : wide.bindings)
    EXPECT_EQ(binding.memory, Memory::Arena) << "inputs are seen at their places";
  EXPECT_EQ(narrow.bindings[1].memory, Memory::Arena) << "by all steps";
  EXPECT_EQ(narrow.bindings[1].offsetBytes, 2048u);
}

#if AOTC_HAS_RUNTIME_NUMBERS
TEST(GpuProgramTest, BindsAsManyBuffersAsTheRuntimeDoes) {
  for (size_t inputs = 1; inputs <= vulkan::most_bindings; ++inputs) {
    std::vector<std::string> names;
    for (size_t i = 0; i < inputs; ++i)
      names.push_back("x" + std::to_string(i));
    Built built(function(static_cast<int>(inputs), view("y", 256), sum(names, "y"), "y"));
    ASSERT_TRUE(built.isGood()) << built.printed.diagnostics;
    const size_t bindings = built.program.dispatches[0].bindings.size();
    if (inputs < vulkan::most_bindings)
      EXPECT_EQ(bindings, inputs + 1);
    else
      EXPECT_LE(bindings, size_t(vulkan::most_bindings)) << "one too many";
  }
  EXPECT_EQ(mostBindingBytes, vulkan::Requirements().range_bytes);
}
#endif

// y = x0, whose numbers go through a type of 16 bits on the way.
std::string rounding(const std::string &half) {
  return "  linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = "
         "[\"parallel\"]} ins(%x0 : memref<64xf32>) outs(%y : memref<64xf32>) {\n  ^bb0(%a: f32, %r: f32):\n"
         "    %h = arith.truncf %a : f32 to " +
         half + "\n    %b = arith.extf %h : " + half + " to f32\n    linalg.yield %b : f32\n  } " + node("y", "Cast") +
         "\n";
}

TEST(GpuProgramTest, RoundsToHalvesWithoutThem) {
  Built built(function(1, view("y", 256), rounding("f16"), "y"));
  ASSERT_TRUE(built.isGood()) << built.printed.diagnostics;
  EXPECT_TRUE(built.program.shaders[0].features.empty()) << "in f32, as the arithmetic around it";
}

TEST(GpuProgramTest, AsksForHalvesWhereTheyAreRead) {
  Built built("func.func @main(%arena: memref<8192xi8>, %x: memref<64xf16> {aotc.name = \"x\"}) -> (memref<64xf32> "
              "{aotc.name = \"y\"}) attributes {aotc.input_offsets = array<i64: 2048>} {\n" +
              view("y", 256) +
              "  linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = "
              "[\"parallel\"]} ins(%x : memref<64xf16>) outs(%y : memref<64xf32>) {\n  ^bb0(%a: f16, %r: f32):\n"
              "    %b = arith.extf %a : f16 to f32\n    linalg.yield %b : f32\n  } " +
              node("y", "Cast") + "\n  return %y : memref<64xf32>\n}\n");
  ASSERT_TRUE(built.isGood()) << built.printed.diagnostics;
  const std::vector<std::string> &features = built.program.shaders[0].features;
  EXPECT_TRUE(llvm::is_contained(features, "shaderFloat16"));
  EXPECT_TRUE(llvm::is_contained(features, "storageBuffer16BitAccess"));
}

// How many variables the shader says to share memory with others.
long countAliased(const ShaderDescription &shader) {
  constexpr uint32_t decorate = 3 << 16 | 71, aliased = 20;
  long count = 0;
  for (size_t i = 0; i + 2 < shader.words.size(); ++i)
    count += shader.words[i] == decorate && shader.words[i + 2] == aliased;
  return count;
}

TEST(GpuProgramTest, SaysWhichBindingsOverlap) {
  // b lies where a does; the first step has the same operands apart.
  Built built(function(1, view("a", 0) + view("b", 0) + view("y", 256),
                       sum({"x0", "x0"}, "a") + sum({"a", "x0"}, "b") + sum({"b", "x0"}, "y"), "y"));
  ASSERT_TRUE(built.isGood()) << built.printed.diagnostics;
  ASSERT_EQ(built.program.dispatches.size(), 3u);
  auto shaderOf = [&](size_t dispatch) { return built.program.shaders[built.program.dispatches[dispatch].shader]; };
  EXPECT_EQ(built.program.dispatches[1].bindings.size(), 3u);
  EXPECT_EQ(countAliased(shaderOf(0)), 0);
  EXPECT_EQ(countAliased(shaderOf(1)), 2);
  EXPECT_EQ(countAliased(shaderOf(2)), 0);
}

// y = body of x, both in 64 elements of the type.
std::string map(const std::string &type, const std::string &body) {
  const std::string memref = "memref<64x" + type + ">";
  return "func.func @main(%arena: memref<8192xi8>, %x: " + memref + " {aotc.name = \"x\"}) -> (" + memref +
         " {aotc.name = \"y\"}) attributes {aotc.input_offsets = array<i64: 0>} {\n" +
         "  %o = arith.constant 1024 : index\n  %y = memref.view %arena[%o][] : memref<8192xi8> to " + memref +
         "\n  linalg.generic {indexing_maps = [affine_map<(d) -> (d)>, affine_map<(d) -> (d)>], iterator_types = "
         "[\"parallel\"]} ins(%x : " +
         memref + ") outs(%y : " + memref + ") {\n  ^bb0(%a: " + type + ", %r: " + type + "):\n    %s = " + body +
         " : " + type + "\n    linalg.yield %s : " + type + "\n  } " + node("m", "Map") + "\n  return %y : " + memref +
         "\n}\n";
}

TEST(GpuProgramTest, LeavesToTheHostWhatShadersHaveNoTypesFor) {
  const auto reasonOf = [](const std::string &text) {
    Built built(text);
    return built.program.hostReasons.empty() ? "none built" : built.program.hostReasons.front();
  };
  const std::string types = "has no GPU form for these element types";
  EXPECT_EQ(reasonOf(map("i4", "arith.addi %a, %a")), types);
  EXPECT_EQ(reasonOf(map("bf16", "arith.addf %a, %a")), types);
  EXPECT_EQ(reasonOf(map("f64", "math.exp %a")), types);
  EXPECT_EQ(reasonOf(map("f32", "arith.remf %a, %a")), "has no GPU form for remainders of floats");
  EXPECT_EQ(reasonOf(map("f64", "math.floor %a")), "");
  EXPECT_EQ(reasonOf(map("i8", "arith.divsi %a, %a")), "");
}

// out = some kernel that there is no shader for, of `in`.
std::string call(const std::string &in, const std::string &out) {
  return "  kern.call \"unheard_of\" ins(%" + in + ") outs(%" + out +
         ") {header = \"h\", members = [], values = [], call_arguments = []} : (memref<64xf32>, memref<64xf32>) -> "
         "() " +
         node(out, "Call") + "\n";
}

TEST(GpuProgramTest, RefusesStepsWithoutShaderWhereAskedTo) {
  Built built(function(1, view("y", 256), call("x0", "y"), "y"), true);
  EXPECT_FALSE(built.isGood());
  EXPECT_PRED2(contains, built.printed.diagnostics, "'unheard_of' has no GPU form yet");
}

TEST(GpuProgramTest, LeavesStepsWithoutShaderToTheHost) {
  Built built(function(1, view("a", 0) + view("b", 256) + view("y", 512),
                       sum({"x0", "x0"}, "a") + call("a", "b") + sum({"b"}, "y"), "y"));
  ASSERT_TRUE(built.isGood()) << built.printed.diagnostics;
  EXPECT_EQ(built.program.dispatches.size(), 2u);
  EXPECT_EQ(built.program.hostReasons, (std::vector<std::string>{"", "'unheard_of' has no GPU form yet", ""}));
  EXPECT_EQ(built.printed.code->model.hostSteps, 1u);

  const std::string source = built.printed.file("src/net.cpp"), host = built.printed.file("src/net_host.cpp");
  EXPECT_PRED2(contains, source, "  commands.fetch({arena(buffer::a, 256), arena(buffer::b, 256)});\n}");
  EXPECT_PRED2(contains, source, "  commands.put({arena(buffer::b, 256)});\n\n  // 2");
  EXPECT_PRED2(contains, source, "  run.submit(0);  // step 0\n\n  // 1  Call \"b\"");
  EXPECT_PRED2(contains, source, "  run.compute(1);\n}");
  EXPECT_PRED2(contains, source, "    {record_0, 0, 1},\n    {record_1, 2, 1},\n");
  EXPECT_PRED2(contains, host, "void b(const Frame& f, Part part) {");
  EXPECT_PRED2(contains, host, "    {nullptr, 0},                      // 0: a shader\n");
}

TEST(GpuProgramTest, TakesTurnsAsRarelyAsItCan) {
  // Two chains of a shader, the host and a shader each, one behind the other.
  Built built(function(1,
                       view("a", 0) + view("b", 256) + view("c", 512) + view("d", 768) + view("e", 1024) +
                           view("f", 1280) + view("y", 1536),
                       sum({"x0", "x0"}, "a") + call("a", "b") + sum({"b", "b"}, "c") + sum({"x0"}, "d") +
                           call("d", "e") + sum({"e"}, "f") + sum({"c", "f"}, "y"),
                       "y"));
  ASSERT_TRUE(built.isGood()) << built.printed.diagnostics;
  EXPECT_PRED2(contains, built.printed.file("src/net.cpp"), "    {record_0, 0, 2},\n    {record_1, 4, 3},\n};");
}

TEST(GpuProgramTest, DispatchesNothingForAnEmptyResult) {
  Built built(
      "func.func @main(%arena: memref<512xi8>, %x: memref<0x4xf32> {aotc.name = \"x\"}) -> (memref<0x4xf32> {aotc.name "
      "= \"y\"}) attributes {aotc.input_offsets = array<i64: 0>} {\n  %o = arith.constant 256 : index\n  %y = "
      "memref.view %arena[%o][] : memref<512xi8> to memref<0x4xf32>\n  memref.copy %x, %y : memref<0x4xf32> to "
      "memref<0x4xf32>\n  return %y : memref<0x4xf32>\n}\n");
  ASSERT_TRUE(built.isGood()) << built.printed.diagnostics;
  EXPECT_TRUE(built.program.dispatches.empty());
}

} // namespace
