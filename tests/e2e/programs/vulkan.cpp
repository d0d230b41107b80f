// What an application may do with a model on a device, here one called `digits` with an input and an output of floats:
// sessions on threads of their own, a second model beside, its own device, queue and buffers, also in C. Says nothing
// and returns 0 where every run gives the same bits; else the number of the line that went wrong.
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>
#include <vector>

#include "digits/digits.hpp"

#include "digits/digits.h" // with what it declares for those who have Vulkan

namespace {

using Values = std::vector<float>;

#define MUST(condition)                                                                                                \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      std::exit(__LINE__);                                                                                             \
    }                                                                                                                  \
  } while (false)

std::size_t elements(const aotc::TensorInfo &tensor) { return tensor.bytes() / sizeof(float); }

Values someInput() {
  Values values(elements(digits::info().inputs[0]));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i % 17) / 17;
  return values;
}

Values resultOf(digits::Session &session) {
  const Values input = someInput();
  std::memcpy(session.input(0), input.data(), input.size() * sizeof(float));
  MUST(session.run() == aotc::Status::ok);
  const auto *output = static_cast<const float *>(session.output(0));
  return Values(output, output + elements(digits::info().outputs[0]));
}

void runOnThreads(const digits::Model &model, const Values &expected) {
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 2; ++thread)
    threads.emplace_back([&] {
      digits::Session session{model};
      for (int run = 0; run < 10; ++run)
        MUST(resultOf(session) == expected);
    });
  for (std::thread &thread : threads)
    thread.join();
}

// Sessions outlive the handle that they were made from, and a model may share the device of another.
void runAfterItsModel(const aotc::vulkan::Device &device, const Values &expected) {
  std::optional<digits::Model> model{std::in_place, device};
  digits::Session session{*model};
  model.reset();
  MUST(resultOf(session) == expected);
}

void runOnHostBuffers(const digits::Model &model, const Values &expected) {
  digits::Session session{model};
  const Values input = someInput();
  Values output(expected.size());
  MUST(session.bind_input(0, input.data()) == aotc::Status::ok);
  MUST(session.bind_output(0, output.data()) == aotc::Status::ok);
  MUST(session.run() == aotc::Status::ok && output == expected);
}

// The first model's device stands for one that the application made.
void runOnAdoptedDevice(const aotc::vulkan::Device &device, const Values &expected) {
  aotc::vulkan::DeviceOptions options;
  options.adopted.instance = device.instance();
  options.adopted.physical_device = device.physical_device();
  options.adopted.device = device.handle();
  options.adopted.queue = device.queue();
  options.adopted.queue_family = device.queue_family();
  options.adopted.lock = [](void *user) { static_cast<const aotc::vulkan::Device *>(user)->lock(); };
  options.adopted.unlock = [](void *user) { static_cast<const aotc::vulkan::Device *>(user)->unlock(); };
  options.adopted.user = const_cast<aotc::vulkan::Device *>(&device);
  const digits::Model model{options};
  MUST(model.status() == aotc::Status::ok);
  digits::Session session{model};
  MUST(resultOf(session) == expected);
}

// A storage buffer that the host sees.
class SharedBuffer {
public:
  SharedBuffer(const aotc::vulkan::Device &device, std::size_t bytes) : device(device.handle()) {
    VkBufferCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
    info.size = bytes;
    info.usage = VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
    MUST(vkCreateBuffer(this->device, &info, nullptr, &buffer) == VK_SUCCESS);
    VkMemoryRequirements needs;
    vkGetBufferMemoryRequirements(this->device, buffer, &needs);
    VkMemoryAllocateInfo allocation{};
    allocation.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
    allocation.allocationSize = needs.size;
    allocation.memoryTypeIndex = mappedType(device.physical_device(), needs.memoryTypeBits);
    MUST(vkAllocateMemory(this->device, &allocation, nullptr, &memory) == VK_SUCCESS);
    MUST(vkBindBufferMemory(this->device, buffer, memory, 0) == VK_SUCCESS);
    void *address = nullptr;
    MUST(vkMapMemory(this->device, memory, 0, VK_WHOLE_SIZE, 0, &address) == VK_SUCCESS);
    mapped = static_cast<float *>(address);
  }
  SharedBuffer(const SharedBuffer &) = delete;
  SharedBuffer &operator=(const SharedBuffer &) = delete;
  ~SharedBuffer() {
    vkDestroyBuffer(device, buffer, nullptr);
    vkFreeMemory(device, memory, nullptr);
  }

  VkBuffer buffer = VK_NULL_HANDLE;
  float *mapped = nullptr;

private:
  static std::uint32_t mappedType(VkPhysicalDevice device, std::uint32_t allowed) {
    VkPhysicalDeviceMemoryProperties types;
    vkGetPhysicalDeviceMemoryProperties(device, &types);
    constexpr VkMemoryPropertyFlags wanted = VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    std::uint32_t type = 0;
    while (!(allowed >> type & 1) || (types.memoryTypes[type].propertyFlags & wanted) != wanted)
      ++type;
    return type;
  }

  VkDevice device;
  VkDeviceMemory memory = VK_NULL_HANDLE;
};

void runOnDeviceBuffers(const digits::Model &model, const Values &expected) {
  constexpr std::size_t offset = 256;
  const Values input = someInput();
  SharedBuffer in{model.device(), offset + input.size() * sizeof(float)};
  SharedBuffer out{model.device(), expected.size() * sizeof(float)};
  digits::Session session{model};
  MUST(session.bind_input(0, in.buffer, offset) == aotc::Status::ok);
  MUST(session.bind_output(0, out.buffer, 0) == aotc::Status::ok);
  std::memcpy(in.mapped + offset / sizeof(float), input.data(), input.size() * sizeof(float));
  MUST(session.run() == aotc::Status::ok);
  MUST(Values(out.mapped, out.mapped + expected.size()) == expected);
  MUST(session.bind_input(0, VK_NULL_HANDLE, 0) == aotc::Status::ok);
  MUST(session.bind_output(0, VK_NULL_HANDLE, 0) == aotc::Status::ok);
  MUST(resultOf(session) == expected);
}

// The C interface: on the application's device, with its buffers, submitted by halves.
void runFromC(const aotc::vulkan::Device &device, const Values &expected) {
  digits_device given{};
  digits_model *model = nullptr;
  MUST(digits_model_create_on_device(DIGITS_ABI, &given, &model) == DIGITS_DEVICE_MISSING && !model);
  given.instance = device.instance();
  given.physical_device = device.physical_device();
  given.device = device.handle();
  given.queue = device.queue();
  given.queue_family = device.queue_family();
  MUST(digits_model_create_on_device(DIGITS_ABI, &given, &model) == DIGITS_OK);
  digits_session *session = nullptr;
  MUST(digits_session_create(model, 1, &session) == DIGITS_OK);
  digits_model_destroy(model);
  const Values input = someInput();
  SharedBuffer in{device, input.size() * sizeof(float)}, out{device, expected.size() * sizeof(float)};
  std::memcpy(in.mapped, input.data(), input.size() * sizeof(float));
  MUST(digits_bind_input_buffer(session, 0, in.buffer, 0) == DIGITS_OK);
  MUST(digits_bind_output_buffer(session, 0, out.buffer, 0) == DIGITS_OK);
  MUST(digits_run(session) == DIGITS_OK);
  MUST(Values(out.mapped, out.mapped + expected.size()) == expected);
  std::memset(out.mapped, 0, expected.size() * sizeof(float));
  MUST(digits_submit(session, VK_NULL_HANDLE) == DIGITS_OK);
  MUST(vkQueueWaitIdle(device.queue()) == VK_SUCCESS);
  MUST(digits_finish(session) == DIGITS_OK);
  MUST(Values(out.mapped, out.mapped + expected.size()) == expected);
  digits_session_destroy(session);
}

} // namespace

int main() {
  const digits::Model model;
  MUST(model.status() == aotc::Status::ok);
  digits::Session session{model};
  const Values expected = resultOf(session);
  runOnThreads(model, expected);
  runAfterItsModel(model.device(), expected);
  runOnHostBuffers(model, expected);
  runOnAdoptedDevice(model.device(), expected);
  runOnDeviceBuffers(model, expected);
  runFromC(model.device(), expected);
  return 0;
}
