// A model as it might be generated: y = x + w + bias, and the state `total` += y. 256 floats each; w is among the
// weights, as is what bias is until one is bound.
#pragma once
#include "aotc/vulkan/session.hpp"

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

namespace sample {

using namespace aotc::vulkan;

constexpr int size = 256;
constexpr std::size_t bytes = size * sizeof(float);

enum Shader { add, accumulate };
enum Input { x, bias };
enum Output { y };

inline void record(Recorder &commands) {
  const aotc::vulkan::Range sum = arena(3 * bytes, bytes);
  commands.dispatch(add, {size / 64, 1, 1}, {input(x, bytes), weights(0, bytes), sum});
  commands.wait();
  commands.dispatch(add, {size / 64, 1, 1}, {sum, input(bias, bytes), output(y, bytes)});
  commands.wait();
  commands.dispatch(accumulate, {size / 64, 1, 1}, {output(y, bytes), arena(2 * bytes, bytes)});
}

inline std::vector<char> readShader(const char *name) {
  std::ifstream file(std::string(SHADERS "/") + name + ".spv", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

using Session = SessionState<2, 1, 1>;

// All tables of the model; a test may change them before it makes a ModelState.
struct Sample {
  std::vector<char> addWords = readShader("add"), accumulateWords = readShader("accumulate");
  aotc::Extent shape[2]{{4}, {size / 4}};
  aotc::TensorInfo inputs[2]{{"x", "x", aotc::Element::f32, 2, shape, 0},
                             {"bias", "bias", aotc::Element::f32, 2, shape, aotc::no_offset, bytes}};
  aotc::TensorInfo outputs[1]{{"y", "y", aotc::Element::f32, 2, shape, bytes}};
  aotc::TensorInfo states[1]{{"total", "total", aotc::Element::f32, 2, shape, 2 * bytes}};
  aotc::ModelInfo info{"sample", inputs, 2,         outputs, 1,         nullptr, 0,      3,
                       1,        256,    4 * bytes, 0,       2 * bytes, nullptr, states, 1};
  ShaderInfo shaders[2]{{"add", words(addWords), addWords.size(), 3},
                        {"accumulate", words(accumulateWords), accumulateWords.size(), 2}};
  Program program{shaders, 2, record, nullptr, {}};
  std::vector<float> weights = std::vector<float>(2 * size);

  Sample() {
    for (int i = 0; i < size; ++i) {
      weights[static_cast<std::size_t>(i)] = static_cast<float>(i); // w
      weights[static_cast<std::size_t>(size + i)] = 0.5F;           // bias
    }
  }

  // y = 2 * (x + w) + bias, where the host doubles.
  void letTheHostDouble() {
    static constexpr Submission submissions[] = {{recordSum, 0, 1}, {recordRest, 2, 2}};
    static constexpr aotc::Step steps[] = {{nullptr, 0}, {doubleSum, 1}, {nullptr, 0}, {nullptr, 0}};
    static constexpr int firstDispatch[] = {0, 1, 1, 2};
    static constexpr HostSteps host{submissions, 2, steps, runSteps};
    program = {shaders, 2, nullptr, firstDispatch, {}, &host};
    info.step_count = 4;
  }

  ModelState make(const DeviceOptions &options) { return ModelState(options, info, program, weightBytes()); }
  ModelState make(const Device &device) { return ModelState(device, info, program, weightBytes()); }

private:
  static void recordSum(Recorder &commands) {
    const aotc::vulkan::Range sum = arena(3 * bytes, bytes);
    commands.dispatch(add, {size / 64, 1, 1}, {input(x, bytes), aotc::vulkan::weights(0, bytes), sum});
    commands.fetch({input(x, bytes), sum});
  }
  static void doubleSum(const aotc::Frame &frame, aotc::Part) {
    for (int i = 0; i < size; ++i)
      frame.at<float>(3 * bytes)[i] *= 2;
    if (frame.input<float>(x)[0] < 0)
      frame.fail(aotc::Status::bound_exceeded);
  }
  static void recordRest(Recorder &commands) {
    const aotc::vulkan::Range sum = arena(3 * bytes, bytes);
    commands.put({sum});
    commands.dispatch(add, {size / 64, 1, 1}, {sum, input(bias, bytes), output(y, bytes)});
    commands.wait();
    commands.dispatch(accumulate, {size / 64, 1, 1}, {output(y, bytes), arena(2 * bytes, bytes)});
  }
  static void runSteps(HostRun &run) {
    run.submit(0);
    run.compute(1);
  }

  static const std::uint32_t *words(const std::vector<char> &code) {
    return reinterpret_cast<const std::uint32_t *>(code.data());
  }
  const std::byte *weightBytes() const { return reinterpret_cast<const std::byte *>(weights.data()); }
};

// The computer's software driver, if there is one: results and memory are the same wherever the tests run.
inline DeviceOptions software(bool alwaysStage = false) {
  DeviceOptions options;
  options.preferred = VK_PHYSICAL_DEVICE_TYPE_CPU;
  options.always_stage = alwaysStage;
  return options;
}

inline void fill(void *tensor, float value) {
  for (int i = 0; i < size; ++i)
    static_cast<float *>(tensor)[i] = value;
}

// How many elements of a result differ from offset + i * step.
inline int wrong(const void *tensor, float offset, float step = 1) {
  int count = 0;
  for (int i = 0; i < size; ++i)
    count += static_cast<const float *>(tensor)[i] != offset + static_cast<float>(i) * step;
  return count;
}

} // namespace sample
