// Shaders, bindings and barriers of planned modules written by hand. What shaders compute is tested by running them
// (tests/e2e/run_vulkan_steps.py).
#include "PrintedForVulkan.h"

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
  explicit Built(const std::string &text)
      : printed(text, [this](ArrayRef<PrintedStep> steps, BufferTable &buffers, const GpuOptions &options) {
          FailureOr<GpuProgram> made = buildGpuProgram(steps, buffers, options);
          if (succeeded(made))
            program = *made;
          return made;
        }) {}
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

TEST(GpuProgramTest, RefusesBFloat16) {
  Built built(function(1, view("y", 256), rounding("bf16"), "y"));
  EXPECT_FALSE(built.isGood());
  EXPECT_PRED2(contains, built.printed.diagnostics, "bfloat16 has no GPU form yet");
}

TEST(GpuProgramTest, RefusesStepsWithoutShader) {
  Built built(function(1, view("y", 256),
                       "  kern.call \"unheard_of\" ins(%x0) outs(%y) {header = \"h\", members = [], values = [], "
                       "call_arguments = []} : (memref<64xf32>, memref<64xf32>) -> ()\n",
                       "y"));
  EXPECT_FALSE(built.isGood());
  EXPECT_PRED2(contains, built.printed.diagnostics, "'unheard_of' has no GPU form yet");
}

} // namespace
