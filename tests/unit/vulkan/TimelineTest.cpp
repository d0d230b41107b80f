// Submissions that come after a point of a timeline semaphore, and signal another.
#include "Sample.h"

#include "aotc/vulkan/device_state.hpp"

#include <gtest/gtest.h>

namespace {

using aotc::Status;
using namespace sample;

// A timeline semaphore of the application's, at 0.
class Timeline {
public:
  explicit Timeline(const Device &on) : device(on) {
    VkSemaphoreTypeCreateInfoKHR type{};
    type.sType = VK_STRUCTURE_TYPE_SEMAPHORE_TYPE_CREATE_INFO_KHR;
    type.semaphoreType = VK_SEMAPHORE_TYPE_TIMELINE_KHR;
    VkSemaphoreCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_CREATE_INFO;
    info.pNext = &type;
    call<PFN_vkCreateSemaphore>("vkCreateSemaphore")(device.handle(), &info, nullptr, &semaphore);
  }
  Timeline(const Timeline &) = delete;
  Timeline &operator=(const Timeline &) = delete;
  ~Timeline() { call<PFN_vkDestroySemaphore>("vkDestroySemaphore")(device.handle(), semaphore, nullptr); }

  TimelinePoint at(std::uint64_t value) const { return {semaphore, value}; }
  std::uint64_t value() const {
    std::uint64_t value = 0;
    call<PFN_vkGetSemaphoreCounterValueKHR>("vkGetSemaphoreCounterValueKHR")(device.handle(), semaphore, &value);
    return value;
  }
  void signal(std::uint64_t value) const {
    VkSemaphoreSignalInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO_KHR;
    info.semaphore = semaphore;
    info.value = value;
    call<PFN_vkSignalSemaphoreKHR>("vkSignalSemaphoreKHR")(device.handle(), &info);
  }
  void wait(std::uint64_t value) const {
    VkSemaphoreWaitInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO_KHR;
    info.semaphoreCount = 1;
    info.pSemaphores = &semaphore;
    info.pValues = &value;
    call<PFN_vkWaitSemaphoresKHR>("vkWaitSemaphoresKHR")(device.handle(), &info, UINT64_MAX);
  }

private:
  template <class Function> Function call(const char *name) const {
    return reinterpret_cast<Function>(device.state()->vk.GetDeviceProcAddr(device.handle(), name));
  }

  const Device &device;
  VkSemaphore semaphore = VK_NULL_HANDLE;
};

struct VulkanTimelineTest : testing::TestWithParam<bool> {
  Sample sample;
  Device device{software(GetParam())};

  void SetUp() override {
    ASSERT_EQ(device.status(), Status::ok) << aotc::status_text(device.status());
    const char *const name = "timelineSemaphore";
    if (!(device.state()->features & features_named(&name, 1)))
      GTEST_SKIP() << "the driver has no timeline semaphores";
  }
};

INSTANTIATE_TEST_SUITE_P(Memory, VulkanTimelineTest, testing::Bool(),
                         [](const auto &test) { return test.param ? "Staged" : "Mapped"; });

TEST_P(VulkanTimelineTest, OrdersSubmissions) {
  const Timeline timeline(device);
  Session session(sample.make(device), {});
  fill(session.input(x), 2);
  ASSERT_EQ(session.submit(VK_NULL_HANDLE, timeline.at(1), timeline.at(2)), Status::ok);
  EXPECT_EQ(timeline.value(), 0u) << "it waits";
  timeline.signal(1);
  timeline.wait(2);
  ASSERT_EQ(session.finish(), Status::ok);
  EXPECT_EQ(wrong(session.output(y), 2.5F), 0);
}

TEST_P(VulkanTimelineTest, OrdersTurnsOfTheHost) {
  sample.letTheHostDouble();
  const Timeline timeline(device);
  Session session(sample.make(device), {});
  fill(session.input(x), 2);
  timeline.signal(1);
  ASSERT_EQ(session.submit(VK_NULL_HANDLE, timeline.at(1), timeline.at(2)), Status::ok);
  timeline.wait(2);
  ASSERT_EQ(session.finish(), Status::ok);
  EXPECT_EQ(wrong(session.output(y), 4.5F, 2), 0);
}

TEST_P(VulkanTimelineTest, NeedsTheFeature) {
  const Timeline timeline(device);
  DeviceOptions options;
  options.adopted.instance = device.instance();
  options.adopted.physical_device = device.physical_device();
  options.adopted.device = device.handle();
  options.adopted.queue = device.queue();
  options.adopted.queue_family = device.queue_family();
  const Device silent(options); // about what it was made with
  ASSERT_EQ(silent.status(), Status::ok);
  Session session(sample.make(silent), {});
  EXPECT_EQ(session.submit(VK_NULL_HANDLE, {}, timeline.at(1)), Status::feature_missing);
  fill(session.input(x), 2);
  EXPECT_EQ(session.run(), Status::ok);
}

} // namespace
