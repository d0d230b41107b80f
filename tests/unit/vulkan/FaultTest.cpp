// Whatever fails, a status says so and nothing is left behind; and what runs makes nothing.
#include "Faults.h"
#include "Sample.h"

#include "aotc/vulkan/device_state.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <tuple>

namespace {

using aotc::Status;
using namespace sample;

std::string memoryName(bool isStaged) { return isStaged ? "Staged" : "Mapped"; }

struct FaultTest : testing::Test {
  explicit FaultTest(bool alwaysStage) : options(software(alwaysStage)) {
    options.get_instance_proc_addr = faults::getInstanceProcAddr;
    faults::start(-1, VK_SUCCESS);
  }
  void TearDown() override { EXPECT_EQ(faults::alive(), 0); }

  DeviceOptions options;
};

struct VulkanDeviceFaultTest : FaultTest, testing::WithParamInterface<bool> {
  VulkanDeviceFaultTest() : FaultTest(GetParam()) {}
};

// Whether memory is staged, and whether the host has a step: then a run has two submissions.
struct VulkanSessionFaultTest : FaultTest, testing::WithParamInterface<std::tuple<bool, bool>> {
  Sample sample;
  aotc::Profiler profiler{};
  aotc::SessionOptions sessionOptions;
  float values[size]{};

  VulkanSessionFaultTest() : FaultTest(std::get<0>(GetParam())) {
    profiler.elapsed = [](void *, int, std::uint64_t) {};
    sessionOptions.profiler = &profiler;
    if (hasHostSteps())
      sample.letTheHostDouble();
  }
  bool hasHostSteps() const { return std::get<1>(GetParam()); }

  // How many elements of y are not those of x = 1.
  int wrongResults(const Session &session) const {
    return hasHostSteps() ? wrong(session.output(y), 2.5F, 2) : wrong(session.output(y), 1.5F);
  }

  // With no fence: whatever fails, nothing of the session's is at work any more.
  static Status submit(const Device &device, Session &session) {
    const Status status = session.submit(VK_NULL_HANDLE);
    device.state()->wait_idle();
    return status == Status::ok ? session.finish() : status;
  }

  // Everything that a session can do, up to the first status that is not ok.
  Status live(const Device &device) {
    const ModelState model = sample.make(device);
    Session session(model, sessionOptions);
    if (session.status() == Status::ok)
      fill(session.input(x), 1);
    Status status = session.run();
    if (status == Status::ok) {
      EXPECT_EQ(wrongResults(session), 0);
      fill(session.output(y), 0);
      status = submit(device, session);
    }
    if (status == Status::ok) {
      EXPECT_EQ(wrongResults(session), 0);
      status = session.bind_input(bias, values); // records again
    }
    if (status == Status::ok)
      status = session.state(0) ? session.run() : Status::device_failed;
    return status;
  }
};

INSTANTIATE_TEST_SUITE_P(Memory, VulkanDeviceFaultTest, testing::Bool(),
                         [](const auto &test) { return memoryName(test.param); });
INSTANTIATE_TEST_SUITE_P(Memory, VulkanSessionFaultTest, testing::Combine(testing::Bool(), testing::Bool()),
                         [](const auto &test) {
                           return memoryName(std::get<0>(test.param)) + (std::get<1>(test.param) ? "InTurns" : "");
                         });

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

TEST_P(VulkanDeviceFaultTest, FailuresToMakeADeviceAreReportedAndAllIsReleased) {
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

TEST_P(VulkanDeviceFaultTest, ADeviceThatCannotBeMadeLeavesTheChoiceToTheNext) {
  options.get_instance_proc_addr = addressOnTwoDevices;
  faults::start(-1, VK_SUCCESS);
  ASSERT_EQ(Device(options).status(), Status::ok);
  const int creation = faults::calls() - 2; // that of the pipeline cache comes last
  faults::start(creation, VK_ERROR_INITIALIZATION_FAILED);
  const Device device(options);
  EXPECT_EQ(device.status(), Status::ok);
  EXPECT_GT(faults::calls(), creation + 1);
}

TEST_P(VulkanSessionFaultTest, FailuresOnADeviceAreReportedAndAllIsReleased) {
  const Device device(options);
  failEachCall([&] { return live(device); });
}

TEST_P(VulkanSessionFaultTest, RunsMakeNothing) {
  const Device device(options);
  Session session(sample.make(device), sessionOptions);
  fill(session.input(x), 1);
  ASSERT_EQ(session.run(), Status::ok);
  faults::start(-1, VK_SUCCESS);
  for (int run = 0; run < 10; ++run) {
    ASSERT_EQ(session.run(), Status::ok);
    ASSERT_EQ(submit(device, session), Status::ok);
  }
  EXPECT_EQ(faults::made(), 0);
}

TEST_P(VulkanSessionFaultTest, SessionsLeaveNothing) {
  const ModelState model = sample.make(options);
  const int alive = faults::alive();
  for (int number = 0; number < 1000; ++number) {
    Session session(model, {});
    fill(session.input(x), 1);
    ASSERT_EQ(session.run(), Status::ok);
  }
  EXPECT_EQ(faults::alive(), alive);
}

TEST_P(VulkanSessionFaultTest, BuffersThatNoAllocationCanHoldAreRefused) {
  sample.info.arena_bytes_shared = std::size_t{1} << 60;
  Session session(sample.make(options), {});
  EXPECT_EQ(session.status(), Status::out_of_memory);
}

// Works, then with each call of Vulkan failing once; after each failure it works as before.
template <class Work, class Check> void failEachCallOnce(int fewest, Work work, Check check) {
  faults::start(-1, VK_SUCCESS);
  ASSERT_EQ(work(), Status::ok);
  const int calls = faults::calls();
  EXPECT_GE(calls, fewest);
  for (int failing = 0; failing < calls; ++failing) {
    faults::start(failing, VK_ERROR_DEVICE_LOST);
    EXPECT_EQ(work(), Status::device_failed) << "call " << failing;
    faults::start(-1, VK_SUCCESS);
    ASSERT_EQ(work(), Status::ok) << "after call " << failing;
    check();
  }
}

TEST_P(VulkanSessionFaultTest, ARunThatFailsSaysSo) {
  Session session(sample.make(options), {});
  fill(session.input(x), 1);
  ASSERT_EQ(session.run(), Status::ok); // which takes the state to the device
  // Of each submission: to reset the fence, to submit, to wait.
  failEachCallOnce(
      hasHostSteps() ? 6 : 3, [&] { return session.run(); }, [&] { EXPECT_EQ(wrongResults(session), 0); });
}

TEST_P(VulkanSessionFaultTest, ASubmissionThatFailsSaysSo) {
  const Device device(options);
  Session session(sample.make(device), {});
  fill(session.input(x), 1);
  ASSERT_EQ(session.run(), Status::ok);
  // The last one has no fence.
  failEachCallOnce(
      hasHostSteps() ? 4 : 1, [&] { return submit(device, session); }, [&] { EXPECT_EQ(wrongResults(session), 0); });
}

} // namespace
