// What a session promises, with memory that the host sees and with memory that it does not.
#include "Sample.h"

#include "aotc/vulkan/device_state.hpp"
#include "aotc/vulkan/memory.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

namespace {

using aotc::Status;
using namespace sample;

struct VulkanSessionTest : testing::TestWithParam<bool> {
  Sample sample;
  Device device{software(GetParam())};

  void SetUp() override { ASSERT_EQ(device.status(), Status::ok) << aotc::status_text(device.status()); }
  ModelState model() { return sample.make(device); }
  // A buffer of the application's that it sees itself.
  void allocate(Buffer &buffer, std::size_t size) {
    ASSERT_EQ(buffer.allocate(*device.state(), size, Placement::staging), Status::ok);
  }
};

INSTANTIATE_TEST_SUITE_P(Memory, VulkanSessionTest, testing::Bool(),
                         [](const auto &test) { return test.param ? "Staged" : "Mapped"; });

TEST_P(VulkanSessionTest, ComputesWhatWasRecorded) {
  Session session(model(), {});
  ASSERT_EQ(session.status(), Status::ok);
  for (float value : {1.0F, 2.0F}) {
    fill(session.input(x), value);
    ASSERT_EQ(session.run(), Status::ok);
    EXPECT_EQ(wrong(session.output(y), value + 0.5F), 0);
  }
  EXPECT_EQ(session.dispatches(), 3);
  EXPECT_EQ(session.barriers(), 2);
}

TEST_P(VulkanSessionTest, KnowsItsTensors) {
  Session session(model(), {});
  EXPECT_EQ(session.input_extent(x, 0), 4);
  EXPECT_EQ(session.output_extent(y, 1), size / 4);
  EXPECT_EQ(session.output_extent(y, 2), 0);
  EXPECT_EQ(session.input_extent(2, 0), 0);
  EXPECT_NE(session.input(x), nullptr);
  EXPECT_EQ(session.input(bias), nullptr) << "it has no place in the arena";
  EXPECT_EQ(session.input(2), nullptr);
  EXPECT_EQ(session.output(-1), nullptr);
  EXPECT_EQ(session.state(1), nullptr);
  EXPECT_EQ(session.threads(), 1);
}

TEST_P(VulkanSessionTest, ComputesInPlaceOfAnInput) {
  sample.outputs[y].arena_offset = sample.inputs[x].arena_offset;
  Session session(model(), {});
  for (float value : {1.0F, 2.0F}) {
    fill(session.input(x), value);
    ASSERT_EQ(session.run(), Status::ok);
    EXPECT_EQ(wrong(session.output(y), value + 0.5F), 0);
  }
}

TEST_P(VulkanSessionTest, ReadsADefaultUntilABufferIsBound) {
  Session session(model(), {});
  std::vector<float> mine(size, 3);
  fill(session.input(x), 0);
  ASSERT_EQ(session.bind_input(bias, mine.data()), Status::ok);
  ASSERT_EQ(session.run(), Status::ok);
  EXPECT_EQ(wrong(session.output(y), 3), 0);
  mine.assign(size, 4);
  ASSERT_EQ(session.run(), Status::ok);
  EXPECT_EQ(wrong(session.output(y), 4), 0) << "it is read anew by each run";
  ASSERT_EQ(session.bind_input(bias, nullptr), Status::ok);
  ASSERT_EQ(session.run(), Status::ok);
  EXPECT_EQ(wrong(session.output(y), 0.5F), 0) << "null takes the binding back";
}

TEST_P(VulkanSessionTest, CopiesBoundHostBuffers) {
  Session session(model(), {});
  const std::vector<float> in(size, 7);
  std::vector<float> out(size);
  ASSERT_EQ(session.bind_input(x, in.data()), Status::ok);
  ASSERT_EQ(session.bind_output(y, out.data()), Status::ok);
  EXPECT_EQ(session.output(y), out.data());
  ASSERT_EQ(session.run(), Status::ok);
  EXPECT_EQ(wrong(out.data(), 7.5F), 0);
  EXPECT_EQ(in, std::vector<float>(size, 7));
}

TEST_P(VulkanSessionTest, WantsWhatHasNoPlaceToBeBound) {
  sample.inputs[x].arena_offset = aotc::no_offset;
  sample.outputs[y].arena_offset = aotc::no_offset;
  Session session(model(), {});
  ASSERT_EQ(session.status(), Status::ok);
  EXPECT_EQ(session.input(x), nullptr);
  EXPECT_EQ(session.output(y), nullptr);
  EXPECT_EQ(session.run(), Status::null_buffer);
  const std::vector<float> in(size, 7);
  std::vector<float> out(size);
  ASSERT_EQ(session.bind_input(x, in.data()), Status::ok);
  EXPECT_EQ(session.run(), Status::null_buffer);
  ASSERT_EQ(session.bind_output(y, out.data()), Status::ok);
  ASSERT_EQ(session.run(), Status::ok);
  EXPECT_EQ(wrong(out.data(), 7.5F), 0);
}

TEST_P(VulkanSessionTest, UsesBuffersOfTheApplicationInPlace) {
  Buffer in, out;
  allocate(in, bytes);
  allocate(out, 256 + bytes);
  Session session(model(), {});
  fill(in.mapped(), 7);
  ASSERT_EQ(session.bind_input(x, in.handle(), 0), Status::ok);
  ASSERT_EQ(session.bind_output(y, out.handle(), 256), Status::ok);
  EXPECT_EQ(session.output(y), nullptr) << "the host has no address for it";
  ASSERT_EQ(session.run(), Status::ok);
  EXPECT_EQ(wrong(out.mapped() + 256, 7.5F), 0);
  EXPECT_EQ(wrong(in.mapped(), 7, 0), 0);

  ASSERT_EQ(session.bind_input(x, VK_NULL_HANDLE, 0), Status::ok);
  ASSERT_EQ(session.bind_output(y, VK_NULL_HANDLE, 0), Status::ok);
  fill(session.input(x), 1);
  ASSERT_EQ(session.run(), Status::ok);
  EXPECT_EQ(wrong(session.output(y), 1.5F), 0);
  EXPECT_EQ(wrong(out.mapped() + 256, 7.5F), 0) << "no longer written";
}

TEST_P(VulkanSessionTest, CopiesBuffersThatShadersSeeInTheArenaOnly) {
  sample.program.record = [](Recorder &commands) {
    commands.dispatch(add, {size / 64, 1, 1}, {arena(0, bytes), weights(0, bytes), arena(bytes, bytes)});
  };
  sample.info.step_count = 1;
  Buffer in, out;
  allocate(in, bytes);
  allocate(out, bytes);
  Session session(model(), {});
  fill(in.mapped(), 7);
  ASSERT_EQ(session.bind_input(x, in.handle(), 0), Status::ok);
  ASSERT_EQ(session.bind_output(y, out.handle(), 0), Status::ok);
  ASSERT_EQ(session.run(), Status::ok);
  EXPECT_EQ(wrong(out.mapped(), 7), 0);
}

TEST_P(VulkanSessionTest, RefusesBindingsThatCannotWork) {
  Buffer buffer;
  allocate(buffer, 2 * bytes);
  Session session(model(), {});
  float values[size];
  EXPECT_EQ(session.bind_input(2, values), Status::index_out_of_range);
  EXPECT_EQ(session.bind_output(-1, values), Status::index_out_of_range);
  EXPECT_EQ(session.bind_output(1, buffer.handle(), 0), Status::index_out_of_range);
  EXPECT_EQ(session.bind_input(x, buffer.handle(), 2), Status::buffer_misaligned);
  fill(session.input(x), 1);
  EXPECT_EQ(session.run(), Status::ok) << "and nothing has changed";
}

TEST_P(VulkanSessionTest, KeepsStatesFromRunToRun) {
  Session session(model(), {});
  fill(session.input(x), 1);
  ASSERT_EQ(wrong(session.state(0), 0, 0), 0) << "zero at the start";
  ASSERT_EQ(session.run(), Status::ok);
  ASSERT_EQ(session.run(), Status::ok);
  EXPECT_EQ(wrong(session.state(0), 3, 2), 0);

  fill(session.state(0), 100);
  ASSERT_EQ(session.run(), Status::ok);
  EXPECT_EQ(wrong(session.state(0), 101.5F), 0) << "the caller may write it";

  session.reset();
  ASSERT_EQ(session.run(), Status::ok);
  EXPECT_EQ(wrong(session.state(0), 1.5F), 0);
}

TEST_P(VulkanSessionTest, CanBeSubmittedWithAFence) {
  const auto &vk = device.state()->vk;
  VkFenceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  VkFence fence = VK_NULL_HANDLE;
  ASSERT_EQ(vk.CreateFence(device.handle(), &info, nullptr, &fence), VK_SUCCESS);
  {
    Session session(model(), {});
    std::vector<float> out(size);
    ASSERT_EQ(session.bind_output(y, out.data()), Status::ok);
    fill(session.input(x), 2);
    ASSERT_EQ(session.submit(fence), Status::ok);
    ASSERT_EQ(vk.WaitForFences(device.handle(), 1, &fence, VK_TRUE, UINT64_MAX), VK_SUCCESS);
    ASSERT_EQ(session.finish(), Status::ok);
    EXPECT_EQ(wrong(out.data(), 2.5F), 0);
  }
  vk.DestroyFence(device.handle(), fence, nullptr);
}

TEST_P(VulkanSessionTest, LivesOnWithoutModelAndDevice) {
  std::optional<Device> handle(software(GetParam()));
  std::optional<ModelState> shared(sample.make(*handle));
  Session session(*shared, {});
  shared.reset();
  handle.reset();
  fill(session.input(x), 1);
  ASSERT_EQ(session.run(), Status::ok);
  EXPECT_EQ(wrong(session.output(y), 1.5F), 0);
}

TEST_P(VulkanSessionTest, RunsBesideOthersOnOneQueue) {
  const ModelState shared = model();
  int failures[2]{};
  const auto work = [&](int number) {
    Session session(shared, {});
    for (int run = 0; run < 100; ++run) {
      const float value = static_cast<float>(100 * number + run);
      fill(session.input(x), value);
      if (session.run() != Status::ok || wrong(session.output(y), value + 0.5F))
        ++failures[number];
    }
  };
  std::thread first(work, 0), second(work, 1);
  first.join();
  second.join();
  EXPECT_EQ(failures[0] + failures[1], 0);
}

TEST_P(VulkanSessionTest, UploadsLargeWeightsInPieces) {
  const std::size_t gap = (std::size_t{64} << 20) / sizeof(float) + 64; // more than is staged at once
  sample.weights.insert(sample.weights.begin() + size, gap, 0.0F);
  sample.info.weights_bytes = sample.weights.size() * sizeof(float);
  sample.inputs[bias].default_offset = bytes + gap * sizeof(float);
  Session session(model(), {});
  fill(session.input(x), 1);
  ASSERT_EQ(session.run(), Status::ok);
  EXPECT_EQ(wrong(session.output(y), 1.5F), 0);
}

TEST_P(VulkanSessionTest, TellsAProfilerHowLongStepsTook) {
  std::vector<int> steps;
  aotc::Profiler profiler{};
  profiler.user = &steps;
  profiler.elapsed = [](void *user, int step, std::uint64_t nanoseconds) {
    if (nanoseconds < 1'000'000'000)
      static_cast<std::vector<int> *>(user)->push_back(step);
  };
  aotc::SessionOptions options;
  options.profiler = &profiler;
  // The second step has no dispatch of its own, the third has two.
  const int firstDispatch[]{0, 1, 1};
  sample.program.first_dispatch = firstDispatch;
  Session session(model(), options);
  ASSERT_EQ(session.run(), Status::ok);
  ASSERT_EQ(session.run(), Status::ok);
  if (device.state()->timestamp_bits)
    EXPECT_EQ(steps, (std::vector<int>{0, 1, 2, 0, 1, 2}));
  else
    EXPECT_TRUE(steps.empty());
}

} // namespace
