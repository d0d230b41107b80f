// Which device is taken, what it must have, and the application's own.
#include "Faults.h"
#include "Sample.h"

#include "aotc/vulkan/device_state.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace {

using aotc::Status;
using namespace sample;

TEST(VulkanDeviceTest, SaysWhichDeviceItIs) {
  const Device device(software());
  ASSERT_EQ(device.status(), Status::ok) << aotc::status_text(device.status());
  EXPECT_STRNE(device.name(), "");
  EXPECT_NE(device.handle(), VkDevice{});
  EXPECT_NE(device.queue(), VkQueue{});
}

TEST(VulkanDeviceTest, TakesADeviceByNumber) {
  DeviceOptions options;
  options.index = 0;
  EXPECT_EQ(Device(options).status(), Status::ok);
  options.index = 1000;
  const Device device(options);
  EXPECT_EQ(device.status(), Status::device_missing);
  EXPECT_EQ(device.handle(), VkDevice{});
  EXPECT_STREQ(device.name(), "");
}

TEST(VulkanDeviceTest, WithoutALoaderThereIsNoDevice) {
  DeviceOptions options;
  options.get_instance_proc_addr = [](VkInstance, const char *) -> PFN_vkVoidFunction { return nullptr; };
  EXPECT_EQ(Device(options).status(), Status::device_missing);
}

TEST(VulkanDeviceTest, SaysWhatADeviceLacks) {
  const char *const features[]{"shaderInt64", "noSuchFeature"};
  Requirements requirements;
  requirements.features = features;
  requirements.feature_count = 2;
  const Device refused(software(), requirements);
  EXPECT_EQ(refused.status(), Status::feature_missing);
  ASSERT_NE(refused.missing(), nullptr);

  const Device device(software());
  ASSERT_EQ(device.status(), Status::ok);
  EXPECT_EQ(device.missing(), nullptr);
  EXPECT_EQ(device.missing(Requirements{}), nullptr) << "every device has what Vulkan promises";
  EXPECT_STREQ(device.missing(requirements), refused.missing());
  requirements = {};
  requirements.shared_bytes = 1u << 30;
  EXPECT_STREQ(device.missing(requirements), "maxComputeSharedMemorySize");
  requirements = {};
  requirements.workgroup_size[2] = 1u << 30;
  EXPECT_STREQ(device.missing(requirements), "maxComputeWorkGroupSize");
  requirements = {};
  requirements.range_bytes = std::uint64_t{1} << 40;
  EXPECT_STREQ(device.missing(requirements), "maxStorageBufferRange");
}

TEST(VulkanDeviceTest, ModelsAreRefusedByWhatADeviceLacks) {
  Sample sample;
  sample.program.requirements.workgroup_invocations = 1u << 30;
  const ModelState alone = sample.make(software());
  EXPECT_EQ(alone.status(), Status::feature_missing);
  EXPECT_STREQ(alone.missing(), "maxComputeWorkGroupInvocations");
  const ModelState beside = sample.make(Device(software()));
  EXPECT_EQ(beside.status(), Status::feature_missing);
  EXPECT_STREQ(beside.missing(), "maxComputeWorkGroupInvocations");

  Session session(alone, {});
  EXPECT_EQ(session.status(), Status::feature_missing);
  EXPECT_EQ(session.run(), Status::feature_missing);
  EXPECT_EQ(session.submit(VK_NULL_HANDLE), Status::feature_missing);
  EXPECT_EQ(session.input(x), nullptr);
  EXPECT_EQ(session.output(y), nullptr);
  EXPECT_EQ(session.state(0), nullptr);
  session.reset();
  float values[size];
  EXPECT_EQ(session.bind_input(x, values), Status::feature_missing);
}

//===-- the application's device ----------------------------------------------------------------------------------===//

// An application that made its device by itself, and counts how often its queue was locked.
struct Application {
  Device device{software()};
  int locked = 0, unlocked = 0;

  DeviceOptions adopt() {
    DeviceOptions options;
    options.adopted.instance = device.instance();
    options.adopted.physical_device = device.physical_device();
    options.adopted.device = device.handle();
    options.adopted.queue = device.queue();
    options.adopted.queue_family = device.queue_family();
    options.adopted.lock = [](void *user) { ++static_cast<Application *>(user)->locked; };
    options.adopted.unlock = [](void *user) { ++static_cast<Application *>(user)->unlocked; };
    options.adopted.user = this;
    return options;
  }
};

TEST(VulkanDeviceTest, WorksOnTheApplicationsDevice) {
  Application application;
  ASSERT_EQ(application.device.status(), Status::ok);
  Sample sample;
  {
    const ModelState model = sample.make(application.adopt());
    ASSERT_EQ(model.status(), Status::ok);
    EXPECT_EQ(model.device().handle(), application.device.handle());
    Session session(model, {});
    const int before = application.locked;
    fill(session.input(x), 1);
    ASSERT_EQ(session.run(), Status::ok);
    EXPECT_EQ(wrong(session.output(y), 1.5F), 0);
    EXPECT_EQ(application.locked, before + 1);
    EXPECT_EQ(application.unlocked, before + 1);
  }
  Session session(sample.make(application.device), {});
  EXPECT_EQ(session.run(), Status::ok) << "the application's device is still there";
}

TEST(VulkanDeviceTest, RefusesAnIncompleteDeviceOfTheApplication) {
  Application application;
  ASSERT_EQ(application.device.status(), Status::ok);
  for (int left = 0; left < 5; ++left) {
    DeviceOptions options = application.adopt();
    if (left == 0)
      options.adopted.instance = VK_NULL_HANDLE;
    if (left == 1)
      options.adopted.physical_device = VK_NULL_HANDLE;
    if (left == 2)
      options.adopted.queue = VK_NULL_HANDLE;
    if (left == 3)
      options.adopted.lock = nullptr;
    if (left == 4)
      options.adopted.unlock = nullptr;
    EXPECT_EQ(Device(options).status(), Status::device_missing) << left;
  }
}

// As loaders answer for an instance that was made for Vulkan 1.0.
PFN_vkVoidFunction VKAPI_CALL addressOfFirstVersion(VkInstance instance, const char *name) {
  const bool isLater = std::strstr(name, "PhysicalDeviceFeatures2") || std::strstr(name, "PhysicalDeviceProperties2");
  return isLater ? nullptr : faults::getInstanceProcAddr(instance, name);
}

TEST(VulkanDeviceTest, RefusesAnInstanceOfVulkan10) {
  Application application;
  DeviceOptions options = application.adopt();
  options.get_instance_proc_addr = addressOfFirstVersion;
  EXPECT_EQ(Device(options).status(), Status::device_missing);
}

TEST(VulkanDeviceTest, BelievesTheApplicationAboutFeatures) {
  Application application;
  ASSERT_EQ(application.device.status(), Status::ok);
  const char *const features[]{"shaderInt64"};
  Requirements requirements;
  requirements.features = features;
  requirements.feature_count = 1;
  DeviceOptions options = application.adopt();
  const Device without(options, requirements);
  EXPECT_EQ(without.status(), Status::feature_missing);
  EXPECT_STREQ(without.missing(), "shaderInt64");
  options.adopted.features = features;
  options.adopted.feature_count = 1;
  EXPECT_EQ(Device(options, requirements).status(), Status::ok);
}

TEST(VulkanDeviceTest, KnowsByItselfWhetherSubgroupsAdd) {
  Application application;
  ASSERT_EQ(application.device.status(), Status::ok);
  const char *const features[]{"subgroupArithmetic"};
  Requirements requirements;
  requirements.features = features;
  requirements.feature_count = 1;
  const Device adopted(application.adopt(), requirements);
  const char *const own = application.device.missing(requirements);
  EXPECT_EQ(adopted.status(), own ? Status::feature_missing : Status::ok);
  EXPECT_STREQ(adopted.missing(), own);
}

TEST(VulkanDeviceTest, KeepsPipelinesForTheNextStart) {
  Sample sample;
  std::size_t bytes = 0;
  std::vector<char> kept;
  {
    const ModelState model = sample.make(software());
    ASSERT_EQ(model.device().pipeline_cache(nullptr, &bytes), Status::ok);
    kept.resize(bytes);
    ASSERT_EQ(model.device().pipeline_cache(kept.data(), &bytes), Status::ok);
    EXPECT_GE(bytes, sizeof(VkPipelineCacheHeaderVersionOne));
    bytes = 1;
    EXPECT_EQ(model.device().pipeline_cache(kept.data(), &bytes), Status::out_of_memory);
  }
  DeviceOptions options = software();
  options.pipeline_cache = kept.data();
  options.pipeline_cache_bytes = kept.size();
  Session session(sample.make(options), {});
  fill(session.input(x), 1);
  ASSERT_EQ(session.run(), Status::ok);
  EXPECT_EQ(wrong(session.output(y), 1.5F), 0);
}

TEST(VulkanDeviceTest, TwoModelsShareADevice) {
  const Device device(software());
  Sample one, other;
  other.weights.assign(other.weights.size(), 10);
  Session first(one.make(device), {}), second(other.make(device), {});
  fill(first.input(x), 1);
  fill(second.input(x), 1);
  ASSERT_EQ(first.run(), Status::ok);
  ASSERT_EQ(second.run(), Status::ok);
  EXPECT_EQ(wrong(first.output(y), 1.5F), 0);
  EXPECT_EQ(wrong(second.output(y), 21, 0), 0);
}

} // namespace
