// Sessions of a model whose second step the host computes: with memory that both sides see, and with memory of its own.
#include "Sample.h"

#include "aotc/vulkan/device_state.hpp"
#include "aotc/vulkan/memory.hpp"

#include <gtest/gtest.h>

namespace {

using aotc::Status;
using namespace sample;

struct VulkanHostStepsTest : testing::TestWithParam<bool> {
  Sample sample;
  Device device{software(GetParam())};

  void SetUp() override {
    ASSERT_EQ(device.status(), Status::ok) << aotc::status_text(device.status());
    sample.letTheHostDouble();
  }
  ModelState model() { return sample.make(device); }
};

INSTANTIATE_TEST_SUITE_P(Memory, VulkanHostStepsTest, testing::Bool(),
                         [](const auto &test) { return test.param ? "Staged" : "Mapped"; });

TEST_P(VulkanHostStepsTest, TakeTurnsWithTheDevice) {
  Session session(model(), {});
  ASSERT_EQ(session.status(), Status::ok);
  EXPECT_EQ(session.dispatches(), 3);
  EXPECT_EQ(session.barriers(), 1);
  for (float value : {1.0F, 2.0F}) {
    fill(session.input(x), value);
    ASSERT_EQ(session.run(), Status::ok);
    EXPECT_EQ(wrong(session.output(y), 2 * value + 0.5F, 2), 0);
  }
  EXPECT_EQ(wrong(session.state(0), 7, 4), 0) << "the sum of both";
}

TEST_P(VulkanHostStepsTest, SeeBuffersOfTheApplicationInTheirPlaces) {
  Buffer in, out;
  ASSERT_EQ(in.allocate(*device.state(), bytes, Placement::staging), Status::ok);
  ASSERT_EQ(out.allocate(*device.state(), bytes, Placement::staging), Status::ok);
  Session session(model(), {});
  fill(in.mapped(), 7);
  const std::vector<float> mine(size, 3);
  ASSERT_EQ(session.bind_input(x, in.handle(), 0), Status::ok);
  ASSERT_EQ(session.bind_input(bias, mine.data()), Status::ok);
  ASSERT_EQ(session.bind_output(y, out.handle(), 0), Status::ok);
  ASSERT_EQ(session.run(), Status::ok);
  EXPECT_EQ(wrong(out.mapped(), 17, 2), 0);
}

TEST_P(VulkanHostStepsTest, ComeBeforeTheLastSubmission) {
  const Functions &vk = device.state()->vk;
  VkFenceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO;
  VkFence fence = VK_NULL_HANDLE;
  ASSERT_EQ(vk.CreateFence(device.handle(), &info, nullptr, &fence), VK_SUCCESS);
  {
    Session session(model(), {});
    fill(session.input(x), 1);
    ASSERT_EQ(session.submit(fence), Status::ok);
    ASSERT_EQ(vk.WaitForFences(device.handle(), 1, &fence, VK_TRUE, UINT64_MAX), VK_SUCCESS);
    ASSERT_EQ(session.finish(), Status::ok);
    EXPECT_EQ(wrong(session.output(y), 2.5F, 2), 0);
  }
  vk.DestroyFence(device.handle(), fence, nullptr);
}

TEST_P(VulkanHostStepsTest, EndTheRunWithWhatTheyReport) {
  Session session(model(), {});
  fill(session.input(x), -1);
  EXPECT_EQ(session.run(), Status::bound_exceeded);
  fill(session.input(x), 1);
  EXPECT_EQ(session.run(), Status::ok) << "the next run starts anew";
}

TEST_P(VulkanHostStepsTest, AreTimedInTheirTurn) {
  std::vector<int> steps;
  aotc::Profiler profiler{};
  profiler.user = &steps;
  profiler.elapsed = [](void *user, int step, std::uint64_t) {
    static_cast<std::vector<int> *>(user)->push_back(step);
  };
  aotc::SessionOptions options;
  options.profiler = &profiler;
  Session session(model(), options);
  fill(session.input(x), 1);
  ASSERT_EQ(session.run(), Status::ok);
  if (device.state()->timestamp_bits) {
    EXPECT_EQ(steps, (std::vector<int>{0, 1, 2, 3}));
  }
}

} // namespace
