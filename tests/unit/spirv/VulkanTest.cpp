// Planned modules written by hand, printed as host code: how shaders, places and steps are spelled, and what is
// refused.
#include "PrintedForVulkan.h"
#include "RuntimeNumbers.h"

#include "codegen/cpp/WeightsFile.h"
#include "codegen/target/GpuProfile.h"

#include <gtest/gtest.h>

using namespace aotc;
using namespace aotc::codegen;
using namespace aotc::test;
using namespace mlir;

namespace {

using Memory = BindingDescription::Memory;

// One dispatch for each step, of shaders named `shaders`, on whole buffers in the order of the step's operands.
struct MadeUp {
  std::vector<std::string> shaders; // of each step
  std::vector<std::string> features = {};
  bool waits = true;

  size_t numberOf(GpuProgram &program, const std::string &name) const {
    for (size_t i = 0; i < program.shaders.size(); ++i)
      if (program.shaders[i].identifier == name)
        return i;
    program.shaders.push_back({name, {0x07230203, 0x00010300, 0, 1, 0}, features});
    return program.shaders.size() - 1;
  }

  FailureOr<GpuProgram> operator()(ArrayRef<PrintedStep> steps, BufferTable &buffers, const GpuOptions &) const {
    static constexpr Memory memories[] = {Memory::Arena, Memory::Input, Memory::Output, Memory::Weights};
    GpuProgram program;
    for (auto [index, step] : llvm::enumerate(steps)) {
      program.firstDispatch.push_back(program.dispatches.size());
      DispatchDescription dispatch{
          numberOf(program, shaders[index]), {static_cast<uint32_t>(index) + 1, 2, 1}, {}, false};
      dispatch.waits = waits && index > 0;
      for (Value memref : memrefsOf(step.op)) {
        const Buffer &buffer = *buffers.placeOf(memref, step.op)->buffer;
        const bool isTensor = buffer.kind == Buffer::Kind::Input || buffer.kind == Buffer::Kind::Output;
        dispatch.bindings.push_back({memories[static_cast<int>(buffer.kind)],
                                     buffer.index,
                                     isTensor ? 0 : buffer.offsetBytes,
                                     buffer.bytes,
                                     false,
                                     {}});
      }
      program.dispatches.push_back(dispatch);
    }
    return program;
  }
};

// y = relu(x * w), then y = y * v in place, by way of a buffer of the arena.
std::string chain() {
  const std::string map = "affine_map<(d) -> (d)>";
  const auto multiply = [&](const char *a, const char *b, const char *c, const char *name) {
    return "  linalg.generic {indexing_maps = [" + map + ", " + map + ", " + map +
           "], iterator_types = [\"parallel\"]} ins(" + a + ", " + b + " : memref<64xf32>, memref<64xf32>) outs(" + c +
           " : memref<64xf32>) {\n" +
           "  ^bb0(%p: f32, %q: f32, %r: f32):\n    %s = arith.mulf %p, %q : f32\n    linalg.yield %s : f32\n  } " +
           node(name, "Mul") + "\n";
  };
  return R"(
memref.global "private" constant @w : memref<64xf32> = dense<2.0>
memref.global "private" constant @v : memref<64xf32> = dense<3.0>
func.func @main(%arena: memref<1024xi8>, %x: memref<64xf32> {aotc.name = "x"}) -> (memref<64xf32> {aotc.name = "y"})
    attributes {aotc.input_offsets = array<i64: 512>} {
  %0 = arith.constant 0 : index
  %1 = arith.constant 256 : index
  %w = memref.get_global @w : memref<64xf32>
  %v = memref.get_global @v : memref<64xf32>
  %h = memref.view %arena[%0][] : memref<1024xi8> to memref<64xf32>
  %y = memref.view %arena[%1][] : memref<1024xi8> to memref<64xf32>
)" + multiply("%x", "%w", "%h", "first") +
         multiply("%h", "%v", "%y", "second") + "  return %y : memref<64xf32>\n}\n";
}

TEST(VulkanTest, PrintsStepsAsDispatchesOnNamedPlaces) {
  PrintedForVulkan printed(chain(), MadeUp{{"first", "second"}});
  ASSERT_TRUE(printed.code) << printed.diagnostics;
  EXPECT_PRED2(contains, printed.file("src/net.cpp"), R"(
void record(aotc::vulkan::Recorder& commands) {
  using aotc::vulkan::arena;
  using aotc::vulkan::weights;
  using aotc::vulkan::input;
  using aotc::vulkan::output;

  // 0  Mul "first"                                                                                         [64] -> [64]
  commands.dispatch(shader::first, {1, 2, 1},
                    {input(input::x, 256), weights(weight::first_scale, 256), arena(buffer::first, 256)});

  // 1  Mul "second"                                                                                        [64] -> [64]
  commands.wait();
  commands.dispatch(shader::second, {2, 2, 1},
                    {arena(buffer::first, 256), weights(weight::second_scale, 256), output(output::y, 256)});
}
)");
}

TEST(VulkanTest, PlacesWeightsWhereDevicesCanBindThem) {
  PrintedForVulkan printed(chain(), MadeUp{{"first", "second"}});
  ASSERT_TRUE(printed.code) << printed.diagnostics;
  EXPECT_PRED2(contains, printed.file("src/net_places.hpp"), "constexpr std::size_t second_scale = 256;");
  EXPECT_EQ(printed.code->model.weightsBytes % 256, 0u);
  EXPECT_EQ(printed.code->model.arenaAlignment, 256u);
}

TEST(VulkanTest, AlignsAsTheRuntimeDoes) { EXPECT_EQ(WeightsFile::bindingAlignmentBytes, sessionAlignment()); }

#if AOTC_HAS_RUNTIME_NUMBERS
// The program of chain(), of whose shaders one is as large as this.
std::string printedFor(uint32_t threads, uint32_t sharedBytes) {
  PrintedForVulkan printed(chain(), [&](auto steps, auto &buffers, auto &options) {
    FailureOr<GpuProgram> program = MadeUp{{"first", "second"}}(steps, buffers, options);
    program->shaders[1].threads = threads;
    program->shaders[1].sharedBytes = sharedBytes;
    return program;
  });
  return printed.file("src/net.cpp");
}

TEST(VulkanTest, RequiresWhatTheRuntimeDoesNotTakeForGranted) {
  const vulkan::Requirements granted;
  const uint32_t threads = granted.workgroup_invocations, bytes = granted.shared_bytes;
  const auto required = [](uint32_t threads, uint32_t bytes) {
    return "program{shaders, 2, record, nullptr, {nullptr, 0, " + std::to_string(threads) + ", {" +
           std::to_string(threads) + ", 128, 64}, " + std::to_string(bytes) + "}};\n";
  };
  EXPECT_PRED2(contains, printedFor(threads, bytes), "program{shaders, 2, record, nullptr, {}};\n");
  EXPECT_PRED2(contains, printedFor(threads + 1, 0), required(threads + 1, bytes));
  EXPECT_PRED2(contains, printedFor(1, bytes + 4), required(threads, bytes + 4));
  EXPECT_EQ(granted.workgroup_size[0], threads);
  EXPECT_EQ(granted.workgroup_size[1], 128u);
  EXPECT_EQ(granted.workgroup_size[2], 64u);
  const GpuProfile *generic = findGpuProfile("generic");
  ASSERT_TRUE(generic);
  EXPECT_EQ(generic->threads, threads);
  EXPECT_EQ(generic->sharedBytes, bytes);
}
#endif

TEST(VulkanTest, SharesShaders) {
  PrintedForVulkan printed(chain(), MadeUp{{"mul", "mul"}, {"shaderInt64"}});
  ASSERT_TRUE(printed.code) << printed.diagnostics;
  const std::string source = printed.file("src/net.cpp");
  EXPECT_PRED2(contains, source, "extern \"C\" const std::uint32_t net_shaders[5];");
  EXPECT_PRED2(contains, source, "    {\"mul\", net_shaders, 20, 3},  // shaders/mul.spv\n};\n");
  EXPECT_PRED2(contains, source, R"(constexpr const char* features[] = {"shaderInt64"};
constexpr aotc::vulkan::Program program{shaders, 1, record, nullptr, {features, 1}};
)");
  EXPECT_EQ(printed.code->binaries.size(), 1u);
  EXPECT_EQ(printed.code->binaries["shaders/mul.spv"].substr(0, 4), "\x03\x02\x23\x07");
  EXPECT_PRED2(contains, printed.file("src/net_shaders.S"), ".incbin \"../shaders/mul.spv\"\n");
}

TEST(VulkanTest, SaysWhereStepsBeginThatAreSeveralDispatches) {
  PrintedForVulkan printed(chain(), [](auto steps, auto &buffers, auto &options) {
    FailureOr<GpuProgram> program = MadeUp{{"first", "second"}}(steps, buffers, options);
    program->dispatches.insert(program->dispatches.begin(), program->dispatches.front());
    program->firstDispatch[1] = 2;
    return program;
  });
  ASSERT_TRUE(printed.code) << printed.diagnostics;
  EXPECT_PRED2(contains, printed.file("src/net.cpp"), "constexpr int first_dispatch[] = {0, 2};  // of each step\n");
  EXPECT_EQ(printed.code->gpu->dispatches, 3u);
  EXPECT_EQ(printed.code->gpu->barriers, 1u);
  EXPECT_EQ(printed.code->steps[0].kernel, "first");
}

TEST(VulkanTest, DeclaresBindingsOfBothSides) {
  PrintedForVulkan printed(chain(), MadeUp{{"first", "second"}});
  const std::string header = printed.file("include/net/net.hpp");
  EXPECT_PRED2(contains, header, "  X x() const noexcept { return {static_cast<float*>(state_.input(0))}; }\n");
  EXPECT_PRED2(contains, header, "  aotc::Status bind_y(float* buffer) noexcept {");
  EXPECT_PRED2(contains, header, "  aotc::Status bind_y(VkBuffer buffer, VkDeviceSize offset) noexcept {");
  EXPECT_PRED2(contains, header, "  aotc::vulkan::SessionState<1, 1> state_;  // of inputs, outputs\n");
  EXPECT_PRED2(contains, printed.file("include/net/net.h"), "#define NET_MAX_THREADS 1\n");
}

TEST(VulkanTest, SubmitsWhatABranchDecidesAbout) {
  PrintedForVulkan printed(R"(
func.func @main(%arena: memref<1024xi8>, %x: memref<64xf32> {aotc.name = "x"}, %go: memref<i1> {aotc.name = "go"})
    attributes {aotc.input_offsets = array<i64: 256, 512>} {
  %0 = arith.constant 0 : index
  %h = memref.view %arena[%0][] : memref<1024xi8> to memref<64xf32>
  %c = memref.load %go[] : memref<i1>
  scf.if %c {
    memref.copy %x, %h : memref<64xf32> to memref<64xf32>
  }
  return
}
)",
                           MadeUp{{"copy"}});
  ASSERT_TRUE(printed.code) << printed.diagnostics;
  const std::string source = printed.file("src/net.cpp");
  EXPECT_PRED2(contains, source, "  commands.fetch({input(input::go, 1)});\n");
  EXPECT_PRED2(contains, source,
               "  run.submit(0);\n  if (*frame.input<bool>(1)) {\n    run.submit(1);  // step 0\n  }\n}\n");
  EXPECT_PRED2(contains, source, "    {record_0, 0, 0},\n    {record_1, 0, 1},\n    {record_2, 0, 0},\n};\n");
  EXPECT_PRED2(contains, source, "host_steps{submissions, 3, nullptr, run_steps};\n");
  EXPECT_PRED2(contains, source, "program{shaders, 1, nullptr, nullptr, {}, &host_steps};\n");
}

TEST(VulkanTest, TakesBoundedDims) {
  PrintedForVulkan printed(
      "func.func @main(%arena: memref<64xi8>, %n: index {aotc.dim = \"batch\", aotc.minimum = 1, aotc.maximum = 8}) {\n"
      "  return\n}\n",
      MadeUp{});
  ASSERT_TRUE(printed.code) << printed.diagnostics;
  const std::string header = printed.file("include/net/net.hpp");
  EXPECT_PRED2(contains, header, "  aotc::Status set_batch(std::int64_t extent) noexcept {");
  EXPECT_PRED2(contains, header,
               "SessionState<0, 0, 0, 1> state_;  // of inputs, outputs, states, bounded dimensions\n");
}

} // namespace
