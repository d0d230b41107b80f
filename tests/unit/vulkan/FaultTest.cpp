// Whatever fails, a status says so and nothing is left behind; and what runs makes nothing.
#include "Faults.h"
#include "Sample.h"

#include "aotc/vulkan/device_state.hpp"

#include <gtest/gtest.h>

#include <cstring>

namespace {

using aotc::Status;
using namespace sample;

struct VulkanFaultTest : testing::TestWithParam<bool> {
  Sample sample;
  DeviceOptions options = software(GetParam());
  aotc::Profiler profiler{};
  aotc::SessionOptions sessionOptions;
  float values[size]{};

  void SetUp() override {
    options.get_instance_proc_addr = faults::getInstanceProcAddr;
    profiler.elapsed = [](void *, int, std::uint64_t) {};
    sessionOptions.profiler = &profiler;
    faults::start(-1, VK_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(faults::alive(), 0); }

  // Everything that a session can do, up to the first status that is not ok.
  Status live(const Device &device) {
    const ModelState model = sample.make(device);
    Session session(model, sessionOptions);
    if (session.status() == Status::ok)
      fill(session.input(x), 1);
    Status status = session.run();
    if (status == Status::ok) {
      EXPECT_EQ(wrong(session.output(y), 1.5F), 0);
      status = session.bind_input(bias, values); // records again
    }
    if (status == Status::ok)
      status = session.state(0) ? session.run() : Status::device_failed;
    return status;
  }
};

INSTANTIATE_TEST_SUITE_P(Memory, VulkanFaultTest, testing::Bool(),
                         [](const auto &test) { return test.param ? "Staged" : "Mapped"; });

// Where memory is short, other memory may do.
void check(Status status, VkResult result, int failing) {
  const bool isShort = result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
  EXPECT_TRUE(status == Status::device_failed || (isShort && (status == Status::out_of_memory || status == Status::ok)))
      << "call " << failing << ": " << aotc::status_text(status);
}

// Calls `work`, then again with each call of Vulkan failing once.
template <class Work> void failEachCall(Work work) {
  faults::start(-1, VK_SUCCESS);
  ASSERT_EQ(work(), Status::ok);
  const int calls = faults::calls(), alive = faults::alive();
  EXPECT_GT(calls, 0);
  for (VkResult result : {VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_DEVICE_LOST})
    for (int failing = 0; failing < calls; ++failing) {
      faults::start(failing, result);
      check(work(), result, failing);
      ASSERT_EQ(faults::alive(), alive) << "call " << failing;
    }
}

TEST_P(VulkanFaultTest, FailuresToMakeADeviceAreReportedAndAllIsReleased) {
  failEachCall([&] { return Device(options).status(); });
}

// The computer's device twice; making the first fails.
PFN_vkEnumeratePhysicalDevices enumerateOne = nullptr;
VkResult VKAPI_CALL enumerateTwice(VkInstance instance, std::uint32_t *count, VkPhysicalDevice *devices) {
  *count = 1;
  const VkResult result = enumerateOne(instance, count, devices);
  devices[1] = devices[0];
  *count = 2;
  return result == VK_INCOMPLETE ? VK_SUCCESS : result;
}
PFN_vkVoidFunction VKAPI_CALL addressOnTwoDevices(VkInstance instance, const char *name) {
  const PFN_vkVoidFunction found = faults::getInstanceProcAddr(instance, name);
  if (std::strcmp(name, "vkEnumeratePhysicalDevices") != 0)
    return found;
  enumerateOne = reinterpret_cast<PFN_vkEnumeratePhysicalDevices>(found);
  return reinterpret_cast<PFN_vkVoidFunction>(&enumerateTwice);
}

TEST_P(VulkanFaultTest, ADeviceThatCannotBeMadeLeavesTheChoiceToTheNext) {
  options.get_instance_proc_addr = addressOnTwoDevices;
  faults::start(-1, VK_SUCCESS);
  ASSERT_EQ(Device(options).status(), Status::ok);
  const int creation = faults::calls() - 2; // that of the pipeline cache comes last
  faults::start(creation, VK_ERROR_INITIALIZATION_FAILED);
  const Device device(options);
  EXPECT_EQ(device.status(), Status::ok);
  EXPECT_GT(faults::calls(), creation + 1);
}

TEST_P(VulkanFaultTest, FailuresOnADeviceAreReportedAndAllIsReleased) {
  const Device device(options);
  failEachCall([&] { return live(device); });
}

TEST_P(VulkanFaultTest, RunsMakeNothing) {
  Session session(sample.make(options), sessionOptions);
  ASSERT_EQ(session.run(), Status::ok);
  faults::start(-1, VK_SUCCESS);
  for (int run = 0; run < 10; ++run)
    ASSERT_EQ(session.run(), Status::ok);
  EXPECT_EQ(faults::made(), 0);
}

TEST_P(VulkanFaultTest, SessionsLeaveNothing) {
  const ModelState model = sample.make(options);
  const int alive = faults::alive();
  for (int number = 0; number < 1000; ++number) {
    Session session(model, {});
    ASSERT_EQ(session.run(), Status::ok);
  }
  EXPECT_EQ(faults::alive(), alive);
}

TEST_P(VulkanFaultTest, BuffersThatNoAllocationCanHoldAreRefused) {
  sample.info.arena_bytes_shared = std::size_t{1} << 60;
  Session session(sample.make(options), {});
  EXPECT_EQ(session.status(), Status::out_of_memory);
}

TEST_P(VulkanFaultTest, ARunThatFailsSaysSo) {
  Session session(sample.make(options), {});
  for (int failing = 0; failing < 3; ++failing) { // to reset the fence, to submit, to wait
    ASSERT_EQ(session.run(), Status::ok);
    faults::start(failing, VK_ERROR_DEVICE_LOST);
    EXPECT_EQ(session.run(), Status::device_failed);
  }
}

} // namespace
