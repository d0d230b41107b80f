// Submissions that come after a point of a timeline semaphore, and signal another.
#include "Sample.h"

#include "aotc/vulkan/device_state.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <thread>

namespace {

using aotc::Status;
using namespace sample;

// In nanoseconds. A run that does not wait takes a hundredth of it.
constexpr std::uint64_t longEnough = 300'000'000;

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
  void signal(std::uint64_t value) const {
    VkSemaphoreSignalInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_SIGNAL_INFO_KHR;
    info.semaphore = semaphore;
    info.value = value;
    call<PFN_vkSignalSemaphoreKHR>("vkSignalSemaphoreKHR")(device.handle(), &info);
  }
  VkResult wait(std::uint64_t value, std::uint64_t nanoseconds = UINT64_MAX) const {
    VkSemaphoreWaitInfoKHR info{};
    info.sType = VK_STRUCTURE_TYPE_SEMAPHORE_WAIT_INFO_KHR;
    info.semaphoreCount = 1;
    info.pSemaphores = &semaphore;
    info.pValues = &value;
    return call<PFN_vkWaitSemaphoresKHR>("vkWaitSemaphoresKHR")(device.handle(), &info, nanoseconds);
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
  EXPECT_EQ(timeline.wait(1, longEnough), VK_TIMEOUT) << "it waits";
  timeline.signal(1);
  ASSERT_EQ(timeline.wait(2), VK_SUCCESS);
  ASSERT_EQ(session.finish(), Status::ok);
  EXPECT_EQ(wrong(session.output(y), 2.5F), 0);
}

TEST_P(VulkanTimelineTest, OrdersTurnsOfTheHost) {
  sample.letTheHostDouble();
  const Timeline timeline(device);
  std::atomic<int> done{0};
  aotc::Profiler profiler{};
  profiler.user = &done;
  profiler.elapsed = [](void *user, int, std::uint64_t) { ++*static_cast<std::atomic<int> *>(user); };
  aotc::SessionOptions options;
  options.profiler = &profiler;
  Session session(sample.make(device), options);
  fill(session.input(x), 2);
  Status status = Status::device_failed;
  std::thread caller([&] { status = session.submit(VK_NULL_HANDLE, timeline.at(1), timeline.at(2)); });
  EXPECT_EQ(timeline.wait(1, longEnough), VK_TIMEOUT);
  EXPECT_EQ(done, 0) << "steps that did not wait, those of the host among them";
  timeline.signal(1);
  caller.join();
  ASSERT_EQ(status, Status::ok);
  EXPECT_GT(done, 0);
  ASSERT_EQ(timeline.wait(2), VK_SUCCESS);
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
