// What shaders are like for each class of GPUs, and what a program then asks of a device.
#include "PrintedForVulkan.h"

#include <gtest/gtest.h>

using namespace aotc;
using namespace aotc::codegen;
using namespace aotc::test;
using namespace mlir;

namespace {

// The program that a planned module becomes for a class of GPUs.
class BuiltFor {
public:
  BuiltFor(StringRef profile, const std::string &text)
      : printed(text, [&](ArrayRef<PrintedStep> steps, BufferTable &buffers, const GpuOptions &given) {
          GpuOptions options = given;
          options.profile = findGpuProfile(profile);
          FailureOr<GpuProgram> made = buildGpuProgram(steps, buffers, options);
          if (succeeded(made))
            program = *made;
          return made;
        }) {}

  bool isGood() const { return printed.code && program.shaders.size() == 1; }
  const ShaderDescription &shader() const { return program.shaders.front(); }
  uint32_t groups() const { return program.dispatches.front().groups[0]; }
  bool needs(StringRef feature) const { return llvm::is_contained(shader().features, feature); }
  std::string source() const { return printed.file("src/net.cpp"); }

  GpuProgram program;
  PrintedForVulkan printed;
};

// y = x0 of `rows` rows times x1, 64 x `columns`.
std::string product(int rows, int columns) {
  const std::string m = std::to_string(rows), n = std::to_string(columns), a = "memref<1x" + m + "x64xf32>",
                    b = "memref<1x64x" + n + "xf32>", y = "memref<1x" + m + "x" + n + "xf32>";
  return "func.func @main(%arena: memref<33554432xi8>, %x0: " + a + " {aotc.name = \"x0\"}, %x1: " + b +
         " {aotc.name = \"x1\"}) -> (" + y +
         " {aotc.name = \"y\"}) attributes {aotc.input_offsets = array<i64: 0, 8388608>} {\n"
         "  %o = arith.constant 16777216 : index\n  %y = memref.view %arena[%o][] : memref<33554432xi8> to " +
         y + "\n  kern.matmul ins(%x0, %x1, %y) {extra_maps = []} : (" + a + ", " + b + ", " + y + ") -> () " +
         node("y", "MatMul") + "\n  return %y : " + y + "\n}\n";
}

const char *const softmax =
    R"(func.func @main(%arena: memref<8192xi8>, %x: memref<4x100xf32> {aotc.name = "x"}) -> (memref<4x100xf32> {aotc.name = "y"})
           attributes {aotc.input_offsets = array<i64: 0>} {
  %o = arith.constant 2048 : index
  %y = memref.view %arena[%o][] : memref<8192xi8> to memref<4x100xf32>
  %xe = memref.expand_shape %x [[0], [1, 2]] output_shape [4, 100, 1] : memref<4x100xf32> into memref<4x100x1xf32>
  %ye = memref.expand_shape %y [[0], [1, 2]] output_shape [4, 100, 1] : memref<4x100xf32> into memref<4x100x1xf32>
  kern.softmax ins(%xe, %ye) {extra_maps = []} : (memref<4x100x1xf32>, memref<4x100x1xf32>) -> ()
  return %y : memref<4x100xf32>
})";

TEST(GpuProfileTest, TilesAreAsTheProfileHasThem) {
  const std::tuple<const char *, uint32_t, uint32_t> expected[] = {
      {"generic", 128, 32 * 16}, {"desktop", 256, 16 * 8}, {"mobile", 64, 32 * 32}};
  for (auto [profile, threads, groups] : expected) {
    BuiltFor built(profile, product(2048, 1024));
    ASSERT_TRUE(built.isGood()) << built.printed.diagnostics;
    EXPECT_EQ(built.shader().threads, threads) << profile;
    EXPECT_EQ(built.groups(), groups) << profile;
    EXPECT_LE(built.shader().sharedBytes, findGpuProfile(profile)->sharedBytes) << profile;
  }
}

TEST(GpuProfileTest, SmallProductsAreSharedByMoreGroups) {
  BuiltFor generic("generic", product(256, 256)), desktop("desktop", product(256, 256));
  ASSERT_TRUE(generic.isGood() && desktop.isGood());
  EXPECT_EQ(generic.groups(), 4u * 4u);
  EXPECT_EQ(desktop.groups(), 8u * 8u) << "tiles of 128 x 128 would leave most of the card idle";
}

TEST(GpuProfileTest, ProgramsAskForWhatIsNotGuaranteed) {
  BuiltFor generic("generic", product(2048, 1024)), desktop("desktop", product(2048, 1024));
  ASSERT_TRUE(generic.isGood() && desktop.isGood());
  EXPECT_PRED2(contains, generic.source(), "program{shaders, 1, record, nullptr, {}};");
  EXPECT_PRED2(contains, desktop.source(),
               "program{shaders, 1, record, nullptr, {nullptr, 0, 256, {256, 128, 64}, 16512}};");
}

TEST(GpuProfileTest, RowsAreFoldedBySubgroups) {
  for (const GpuProfile &profile : gpuProfiles()) {
    BuiltFor built(profile.name, softmax);
    ASSERT_TRUE(built.isGood()) << built.printed.diagnostics;
    EXPECT_EQ(built.needs("subgroupArithmetic"), profile.usesSubgroups) << profile.name.str();
  }
}

} // namespace
