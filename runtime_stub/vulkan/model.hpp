// What the sessions of a model share on a device: the weights, uploaded once, and a pipeline for each shader. A
// generated Model is this. Must not know sessions.
#pragma once
#include <cstddef>
#include <cstdint>

#include "aotc/info.hpp"
#include "aotc/status.hpp"
#include "aotc/vulkan/device.hpp"
#include "aotc/vulkan/host_run.hpp"
#include "aotc/vulkan/reference.hpp"

AOTC_RUNTIME_BEGIN
namespace vulkan {

struct ShaderInfo {
  const char* name;
  const std::uint32_t* words;  // a SPIR-V module with the entry point "main"
  std::size_t bytes;
  int bindings;  // storage buffers 0, 1, … of set 0: 1 to 4
};

// What is generated for a model beside its ModelInfo: constant, and alive as long as the program.
struct Program {
  const ShaderInfo* shaders;
  int shader_count;
  void (*record)(Recorder& commands);   // all dispatches of a run, in order; null where the host has steps
  const int* first_dispatch = nullptr;  // of each step, ascending; null: each step is one dispatch
  Requirements requirements;
  const HostSteps* host = nullptr;  // null where every step has a shader
};

struct ModelShared;

// Cheap to copy, and free to go before the sessions made from it: the last one releases weights and pipelines.
class ModelState {
 public:
  // Reads info.weights_bytes from `weights`, which may go afterwards unless the host has steps. Null is fine where
  // there are none. weights_status: ok, or what is wrong with them.
  ModelState(const DeviceChoice& device, const ModelInfo& info, const Program& program, const std::byte* weights,
             Status weights_status = Status::ok) noexcept;
  ModelState(const ModelState& other) noexcept;
  ~ModelState();

  // ok; what is wrong with the weights; what the device's status says; feature_missing; out_of_memory; device_failed.
  Status status() const noexcept { return status_; }
  // With feature_missing: the first feature or limit that the device lacks; null otherwise.
  const char* missing() const noexcept { return missing_; }
  const Device& device() const noexcept { return device_; }
  const ModelInfo& info() const noexcept { return info_; }
  const Program& program() const noexcept { return program_; }
  const std::byte* weights() const noexcept { return weights_; }  // the host's

  // What a run submits, in order.
  int submission_count() const noexcept { return program_.host ? program_.host->submission_count : 1; }
  Submission submission(int index) const noexcept {
    return program_.host ? program_.host->submissions[index] : Submission{program_.record, 0, info_.step_count};
  }

  const ModelShared* shared() const noexcept { return shared_.get(); }  // null where status() is not ok

 private:
  Device device_;
  const ModelInfo& info_;
  const Program& program_;
  const std::byte* weights_;
  Status status_;
  const char* missing_ = nullptr;
  Reference<ModelShared> shared_;  // goes before the device
};

}  // namespace vulkan
AOTC_RUNTIME_END
